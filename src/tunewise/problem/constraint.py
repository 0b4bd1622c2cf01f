"""A limit on a metric, and how people write it."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tunewise.errors import ProblemError, nearest
from tunewise.problem.metric import LONGEST, Metric, quantity

_EXPRESSION = re.compile(
    r"^\s*(?P<metric>[^\W\d][\w.\-]*)\s*(?P<sign>[<>=]\s*=|=\s*[<>]|[≤≥<>=])\s*(?P<bound>.+?)\s*$"
)

_SEVERAL = re.compile(r"\s*(?:\band\b|&+|[,;])\s*(?=[^\W\d])")
"""What stands between two limits that are written as one."""

_SIGNS = {"≤": "<=", "≥": ">=", "<": "<=", ">": ">=", "=<": "<=", "=>": ">="}


@dataclass(frozen=True)
class Constraint:
    """A limit on a metric of the config that will be deployed."""

    metric: str
    sign: Literal["<=", ">="]
    bound: float

    def __str__(self) -> str:
        """As it would be written by hand."""
        short = f"{self.bound:g}"
        bound = short if float(short) == self.bound else repr(self.bound)
        return f"{self.metric} {self.sign} {bound}"

    def holds(self, value: float) -> bool:
        """Whether a measured value keeps the limit."""
        return value <= self.bound if self.sign == "<=" else value >= self.bound

    def violation(self, value: float) -> float:
        """How far a value misses the limit, as a share of the bound; 0 when it holds."""
        excess = value - self.bound if self.sign == "<=" else self.bound - value
        return max(0.0, excess) / (abs(self.bound) or 1.0)


def parse_constraint(
    expression: "str | Sequence[Any] | Constraint", metrics: Mapping[str, Metric]
) -> Constraint:
    """Read `"time <= 5 min"`, `("time", "<=", 300)` or a Constraint, over known metrics."""
    bound: str | float
    if isinstance(expression, Constraint):
        metric, sign, bound = expression.metric, str(expression.sign), expression.bound
    elif isinstance(expression, str):
        metric, sign, bound = _split(expression)
    elif isinstance(expression, Sequence) and len(expression) == 3:
        metric, sign, bound = str(expression[0]), str(expression[1]), expression[2]
    else:
        raise ProblemError(
            f"constraint {expression!r} is not understood; expected a string such as"
            ' "cost <= 0.10" or a triple such as ("cost", "<=", 0.10)'
        )
    sign = _SIGNS.get(sign, sign)
    if sign not in ("<=", ">="):
        raise ProblemError(f"constraint on {metric!r} uses {sign!r}; expected <= or >=")
    if metric not in metrics:
        raise ProblemError(
            f"constraint on unknown metric {metric!r}{nearest(metric, metrics)}"
            f" (declare your own with metrics=[{metric!r}])"
        )
    value = quantity(bound, metric, metrics[metric].kind)
    constraint = Constraint(metric, "<=" if sign == "<=" else ">=", value)
    _refuse_impossible(constraint, metrics[metric])
    return constraint


def _split(expression: str) -> tuple[str, str, str]:
    found = _EXPRESSION.match(expression) if len(expression) <= LONGEST else None
    if found is None:
        raise ProblemError(
            f"constraint {expression[:LONGEST]!r} is not understood; expected metric, <= or >=,"
            ' number, such as "cost <= 0.10" or "time <= 5 min"'
        )
    if len(limits := _SEVERAL.split(expression.strip())) > 1 and all(
        map(_EXPRESSION.match, limits)
    ):
        raise ProblemError(f"constraint {expression!r} is more than one limit; write {limits}")
    return found["metric"], "".join(found["sign"].split()), found["bound"]


def _refuse_impossible(constraint: Constraint, metric: Metric) -> None:
    low, high = {"share": (0.0, 1.0), "positive": (0.0, math.inf)}.get(
        metric.kind, (-math.inf, math.inf)
    )
    bound, above = constraint.bound, constraint.sign == ">="
    if not math.isfinite(bound):
        raise ProblemError(f"constraint {constraint}: the bound must be a finite number")
    never = bound > high if above else bound < low
    if never or (metric.kind == "positive" and not above and bound <= 0):
        lies = "is above 0" if high == math.inf else f"lies between {low:g} and {high:g}"
        percent = f"; write {bound:g} %" if metric.kind == "share" and 1 < bound <= 100 else ""
        raise ProblemError(f"constraint {constraint} can never hold: {metric.name} {lies}{percent}")


def refuse_contradiction(constraints: Iterable[Constraint]) -> None:
    """Refuse a least and a most of one metric that exclude each other."""
    listed = list(constraints)
    for low in (c for c in listed if c.sign == ">="):
        for high in (c for c in listed if c.sign == "<=" and c.metric == low.metric):
            if low.bound > high.bound:
                raise ProblemError(f"constraints {low} and {high} cannot both hold")


def is_triple(subject_to: Any) -> bool:
    """Whether this is one constraint such as `("cost", "<=", 0.1)`, and no list of some."""
    return (
        isinstance(subject_to, tuple)
        and len(subject_to) == 3
        and isinstance(subject_to[1], str)
        and subject_to[1] in ("<=", ">=", *_SIGNS)
    )
