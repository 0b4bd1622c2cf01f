"""A floor under everyone's service: nobody waits for ever, whatever the rule prefers.

A user who waits is due after `rounds` times as many picks as there were users when the wait began.
Who is due is served before anyone the rule prefers, the longest due first. Whoever was served
after that is due later, so no wait is longer than `rounds + 1` times that many picks.
"""

import numpy as np
from numpy.typing import NDArray

from tunewise.tenancy.checks import whole

_NEVER = np.iinfo(np.int64).max


class Waits:
    """When each user of a pool is due, counted in the picks of that pool."""

    def __init__(self, rounds: int | None) -> None:
        """Due after so many rounds of picks; None: nobody ever is."""
        self._rounds = None if rounds is None else whole(rounds, f"patience is {rounds!r} rounds")
        self._picks = 0
        self._due: NDArray[np.int64] = np.zeros(0, np.int64)
        self._bound: NDArray[np.int64] = np.zeros(0, np.int64)

    def begin(self, number: int, users: int) -> None:
        """A wait begins: the user joined, or has something open again."""
        if number >= len(self._due):
            more = np.zeros(max(16, number + 1), np.int64)
            self._due = np.concatenate([self._due, more])
            self._bound = np.concatenate([self._bound, more])
        if self._rounds is None:
            self._due[number] = _NEVER
            return
        self._due[number] = self._picks + self._rounds * max(users, 1)
        self._bound[number] = (self._rounds + 1) * max(users, 1)

    def served(self, number: int, users: int) -> None:
        """A pick: the user's next wait begins."""
        self._picks += 1
        self.begin(number, users)

    def overdue(self, waiting: NDArray[np.bool_]) -> int | None:
        """Who must be served now."""
        known = min(len(waiting), len(self._due))
        if not known:
            return None
        due = np.where(waiting[:known], self._due[:known], _NEVER)
        first = int(due.argmin())
        return first if due[first] <= self._picks else None

    def longest_wait(self, number: int) -> int | None:
        """No wait of this user, once begun, takes more picks than this; None: any may."""
        return None if self._rounds is None else int(self._bound[number])
