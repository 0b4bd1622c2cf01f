"""Measured tables, their replay in virtual time, races on them and the measures of a race.

A race is plain data: what people look at of it is made by `report`.
"""

from tunewise.benchmark.replay import ReplayExecutor
from tunewise.benchmark.table import Optimum, Row, Table

__all__ = ["Optimum", "ReplayExecutor", "Row", "Table"]
