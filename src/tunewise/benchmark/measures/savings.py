"""What the first strategy of a race saves over each of the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from tunewise.benchmark.measures.pace import Spending
from tunewise.benchmark.measures.score import Score, by_strategy, score
from tunewise.benchmark.race import Run
from tunewise.format import number


@dataclass(frozen=True)
class Ratio:
    """How many times as much another strategy spent; at least so much where it never got there."""

    value: float
    at_least: bool = False

    def __str__(self) -> str:
        """As people say it."""
        return f"{'> ' if self.at_least else ''}{number(self.value, 2)}×"


@dataclass(frozen=True)
class Saving:
    """Another strategy's cost and time against those of the first; None where unknown."""

    strategy: str
    cost: Ratio | None
    time: Ratio | None


@dataclass(frozen=True)
class Savings:
    """What the first strategy saves until the mean curve stays above a level.

    Attributes:
        first: The strategy that the others are compared with.
        level: The share of the optimum.
        rivals: The others, in the order of the race; none where the first never gets there.
    """

    first: str
    level: float
    rivals: tuple[Saving, ...]


def savings(runs: Sequence[Run], level: float = 0.9) -> Savings:
    """The savings of the first strategy over each of the others."""
    return compared([score(group) for group in by_strategy(runs)], level)


def compared(scored: Sequence[Score], level: float) -> Savings:
    """The same from scores."""
    first, *others = scored
    if first.cost_to[level] is None:
        return Savings(first.strategy, level, ())
    rivals = [
        Saving(other.strategy, _ratio(first, other, level, "cost"),
               _ratio(first, other, level, "time"))
        for other in others
    ]  # fmt: skip
    return Savings(first.strategy, level, tuple(rivals))


def _ratio(first: Score, other: Score, level: float, kind: Spending) -> Ratio | None:
    own, theirs = (s.cost_to[level] if kind == "cost" else s.time_to[level] for s in (first, other))
    if not own:
        return None
    if theirs is None:
        spent = other.cost if kind == "cost" else other.time
        return Ratio(spent / own, at_least=True)
    return Ratio(theirs / own)
