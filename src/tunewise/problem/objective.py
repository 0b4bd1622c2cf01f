"""A metric of which more, or less, is better."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from tunewise.errors import ProblemError, nearest
from tunewise.problem.metric import Metric


@dataclass(frozen=True)
class Objective:
    """A metric of which more, or less, is better."""

    metric: str
    maximize: bool

    def __str__(self) -> str:
        """As a phrase."""
        return f"{'maximise' if self.maximize else 'minimise'} {self.metric}"

    def loss(self, value: float) -> float:
        """A value of the metric, so that less is better."""
        return -value if self.maximize else value


def aim_of(objectives: Sequence[Objective]) -> str:
    """All of them as a phrase, such as "maximise accuracy, minimise cost and time"."""
    more = [o.metric for o in objectives if o.maximize]
    less = [o.metric for o in objectives if not o.maximize]
    pairs = (("maximise", more), ("minimise", less))
    said = [f"{verb} {_listed(names)}" for verb, names in pairs if names]
    return (" and " if len(objectives) < 3 else ", ").join(said)


def _listed(names: Sequence[str]) -> str:
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def objectives_of(
    maximize: Any, minimize: Any, metrics: Mapping[str, Metric]
) -> tuple[Objective, ...]:
    """What is to be maximised and minimised, refused where it is unclear."""
    given = [(maximize, True), (minimize, False)]
    if all(isinstance(names, str) for names, _ in given):
        raise ProblemError(
            "give exactly one of maximize= and minimize=; for a Pareto front of both, give lists:"
            f" maximize=[{maximize!r}], minimize=[{minimize!r}]"
        )
    found = tuple(
        Objective(_objective_name(name, metrics), more)
        for names, more in given
        if names is not None
        for name in (
            [names] if isinstance(names, str) or not isinstance(names, Sequence) else names
        )
    )
    if not found:
        raise ProblemError("give exactly one of maximize= and minimize=, or lists of metrics")
    seen = [objective.metric for objective in found]
    if repeated := [name for name in seen if seen.count(name) > 1]:
        raise ProblemError(f"the objective {repeated[0]!r} is given twice; expected it once")
    return found


_TYPO = 0.85
"""How much a name is alike that is a typo: one letter of four is missing, or two of eight. More
differs where somebody says whose accuracy it is, as `val_accuracy`."""


def _objective_name(name: Any, metrics: Mapping[str, Metric]) -> str:
    if not isinstance(name, str) or not name:
        raise ProblemError(f"the objective is {name!r}; expected the name of a metric")
    # A name of one's own declares a metric, unless it is all but a known one: that is a typo.
    if name not in metrics and get_close_matches(name.lower(), metrics, n=1, cutoff=_TYPO):
        raise ProblemError(
            f"unknown metric {name!r}{nearest(name, metrics)}"
            f" (declare your own with metrics=[{name!r}])"
        )
    return name
