"""What reconfigurations cost, learned from those that happened."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tunewise.space import Config

Classify = Callable[[Config, Config], frozenset[str]]


def _any_change(old: Config, new: Config) -> frozenset[str]:
    """Without more knowledge: which parameters change."""
    return frozenset(name for name in {*old, *new} if old.get(name) != new.get(name))


@dataclass
class ReconfigurationCosts:
    """Mean seconds of a switch, by the kinds of change that it is made of.

    Attributes:
        classify: The kinds of the change from one setting to another.
        unknown: Seconds that a change of a kind never seen is taken to cost.
    """

    classify: Classify = _any_change
    unknown: float = 0.0
    _seen: dict[frozenset[str], list[float]] = field(default_factory=dict)

    def learn(self, kinds: frozenset[str], seconds: float) -> None:
        """Take in what a switch cost."""
        if kinds:
            self._seen.setdefault(kinds, []).append(seconds)

    def add(self, kinds: frozenset[str], seconds: float) -> None:
        """Take in what the last switch of these kinds cost beside."""
        if self._seen.get(kinds):
            self._seen[kinds][-1] += seconds

    def forget(self, kinds: frozenset[str]) -> None:
        """Take back what the last switch of these kinds cost: it failed before it was over."""
        if self._seen.get(kinds):
            self._seen[kinds].pop()
            self._seen = {each: costs for each, costs in self._seen.items() if costs}

    def expected(self, old: Config, new: Config) -> float:
        """Seconds of a switch: as the same kinds cost before, else as the nearest known."""
        return self._told(old, new, _mean)

    def worst(self, old: Config, new: Config) -> float:
        """The same, where each switch costs as much as the dearest of its kinds so far."""
        return self._told(old, new, max)

    def _told(self, old: Config, new: Config, of: Callable[[list[float]], float]) -> float:
        kinds = self.classify(old, new)
        if not kinds:
            return 0.0
        if kinds in self._seen:
            return of(self._seen[kinds])
        known = {each: of(costs) for each, costs in self._seen.items()}
        if not known:
            return self.unknown
        inside = [cost for each, cost in known.items() if each < kinds]
        around = [cost for each, cost in known.items() if each > kinds]
        if around:
            return min(around)
        return max(inside) if inside else sum(known.values()) / len(known)


def _mean(costs: list[float]) -> float:
    return sum(costs) / len(costs)
