"""The page of a training that was tuned while it ran."""

from tunewise.report.training.page import render, write

__all__ = ["render", "write"]
