"""Declared tasks in the tables of a database: examples, changes, models, the scheduler's events."""

from tunewise.storage.tasks.opening import open_tasks
from tunewise.storage.tasks.rows import ExampleRow, TaskRow
from tunewise.storage.tasks.store import TaskStore

__all__ = ["ExampleRow", "TaskRow", "TaskStore", "open_tasks"]
