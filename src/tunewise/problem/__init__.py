"""What is wanted: an objective and constraints over a space, under a budget."""

from tunewise.problem.constraint import Constraint, parse_constraint
from tunewise.problem.metric import KNOWN, UNITS, Metric, Metrics, hourly, quantity
from tunewise.problem.objective import Objective
from tunewise.problem.problem import Price, Problem

__all__ = [
    "Constraint",
    "KNOWN",
    "Metric",
    "Metrics",
    "Objective",
    "Price",
    "Problem",
    "UNITS",
    "hourly",
    "parse_constraint",
    "quantity",
]
