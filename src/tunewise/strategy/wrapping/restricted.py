"""A strategy that hears only of the trials that its problem is about."""

from tunewise.history import History
from tunewise.strategy.wrapping.delegating import Delegating


class Restricted(Delegating):
    """For a study whose problem was changed: earlier trials may be outside of what is wanted now.

    They stay paid for, and teach nothing.
    """

    def heard(self, history: History) -> History:
        """The trials of the problem as it is now."""
        return history.within(self.problem)
