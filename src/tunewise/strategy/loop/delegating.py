"""A strategy around another one, which answers all that the outer one does not."""

from typing import Protocol

from tunewise.history import History, Trial
from tunewise.strategy.pruner import Pruner
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion


class Delegating(Strategy):
    """Passes every question on; a wrapper overrides what it changes, and nothing else.

    Attributes:
        inner: Who answers.
    """

    def __init__(self, inner: Strategy) -> None:
        """Stand in front of another strategy."""
        super().__init__(inner.problem, inner.seed)
        self.inner, self.prior = inner, inner.prior
        self.pruner = DelegatingPruner(self)

    def heard(self, history: History) -> History:
        """What the inner strategy hears of a history; by default all of it."""
        return history

    def posed(self, history: History) -> tuple[Strategy, History]:
        """The inner strategy, and what it hears."""
        return self.inner, self.heard(history)

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """What the inner strategy suggests."""
        return self.inner.suggest(self.heard(history), count)

    def recommend(self, history: History) -> Recommendation:
        """What the inner strategy recommends."""
        return self.inner.recommend(self.heard(history))

    def expected_gain(self, history: History) -> float | None:
        """What the inner strategy expects of another trial."""
        return self.inner.expected_gain(self.heard(history))

    def stops(self, history: History) -> str | None:
        """Why the inner strategy would end the search."""
        return self.inner.stops(self.heard(history))


class Posing(Protocol):
    """What asks another strategy."""

    def posed(self, history: History) -> tuple[Strategy, History]:
        """The strategy that is asked, and what it hears of a history."""


class DelegatingPruner(Pruner):
    """Passes every question on to the pruner of an inner strategy."""

    def __init__(self, outer: Posing) -> None:
        """Ask the inner strategy of this one."""
        self._outer = outer

    def limit(self, history: History, trial: Trial) -> float | None:
        """When the inner strategy prunes a trial."""
        inner, heard = self._outer.posed(history)
        return inner.pruner.limit(heard, trial)

    def verdict(self, history: History, trial: Trial) -> str | None:
        """Why the inner strategy would stop a running trial."""
        inner, heard = self._outer.posed(history)
        return inner.pruner.verdict(heard, trial)
