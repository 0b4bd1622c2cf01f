"""A floor under everyone's service: nobody waits for ever, whatever the rule prefers.

A user who waits is due after `rounds` times as many picks as there were users when the wait began.
Who is due is served before anyone the rule prefers, the longest due first; so no wait is longer
than that and one more pick for each user who was already due.
"""

import numpy as np
from numpy.typing import NDArray

from tunewise.errors import TenancyError


class Patience:
    """When each user is due, counted in picks."""

    def __init__(self, rounds: int) -> None:
        """Due after so many rounds of picks."""
        if rounds < 1:
            raise TenancyError(f"patience is {rounds} rounds; expected 1 or more")
        self._rounds = rounds
        self._due: NDArray[np.int64] = np.zeros(0, np.int64)
        self._bound: NDArray[np.int64] = np.zeros(0, np.int64)

    def begin(self, number: int, now: int, users: int) -> None:
        """A wait begins: the user joined, or was just served."""
        if number >= len(self._due):
            more = max(16, number + 1)
            self._due = np.concatenate([self._due, np.zeros(more, np.int64)])
            self._bound = np.concatenate([self._bound, np.zeros(more, np.int64)])
        self._due[number] = now + self._rounds * max(users, 1)
        self._bound[number] = (self._rounds + 1) * max(users, 1)

    def overdue(self, waiting: NDArray[np.bool_], now: int) -> int | None:
        """Who must be served now."""
        due = np.where(waiting, self._due[: len(waiting)], np.iinfo(np.int64).max)
        first = int(due.argmin()) if len(due) else 0
        return first if len(due) and due[first] <= now else None

    def longest_wait(self, number: int) -> int:
        """No wait of this user, from the last begin on, is longer than this many picks."""
        return int(self._bound[number])
