"""A declared task: feed it, let it train, ask it, look at what it learned from."""

from tunewise.declarative.task.task import Task

__all__ = ["Task"]
