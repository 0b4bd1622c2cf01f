"""A strategy that hears only of trials that its problem, as it is now, asks for."""

from tunewise.history import History
from tunewise.strategy.loop.delegating import Delegating


class Restricted(Delegating):
    """For a study whose problem was changed: earlier trials may be outside of what is wanted now.

    They stay paid for, and teach nothing.
    """

    def heard(self, history: History) -> History:
        """The trials of the problem as it is now."""
        return history.within(self.problem)
