"""A strategy that hears only of the trials that its problem is about."""

from tunewise.history import History, Trial
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion


class Restricted(Strategy):
    """For a study whose problem was changed: earlier trials may be outside of what is wanted now.

    They stay paid for, and teach nothing.
    """

    def __init__(self, inner: Strategy) -> None:
        """Restrict the history of another strategy to its problem."""
        super().__init__(inner.problem, inner.seed)
        self._inner = inner
        self.prior = inner.prior

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """What the other strategy suggests."""
        return self._inner.suggest(self._within(history), count)

    def recommend(self, history: History) -> Recommendation:
        """What the other strategy recommends."""
        return self._inner.recommend(self._within(history))

    def expected_gain(self, history: History) -> float | None:
        """What the other strategy expects."""
        return self._inner.expected_gain(self._within(history))

    def stops(self, history: History) -> str | None:
        """Why the other strategy would end the search."""
        return self._inner.stops(self._within(history))

    def time_limit(self, history: History, trial: Trial) -> float | None:
        """When the other strategy holds a trial to be hopeless."""
        return self._inner.time_limit(self._within(history), trial)

    def _within(self, history: History) -> History:
        return history.within(self.problem)
