"""What the rules know of all users at once: a row a user, in the order in which they joined.

A step changes one row; choosing looks at one column. That is what keeps 100,000 users quick.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate import Array


class Board:
    """Columns over users, which grow as users join.

    Attributes:
        waiting: Whether the user has anything open.
        served: Whether anything was started for the user.
        value: What the rule for models says of the user's next arm, times the user's urgency.
        calm: The same without the urgency of a deadline.
        arm: That arm.
        width: Line 6 of algorithm 2: how far the user's best may still be away.
        seen: Whether `width` is known.
        here: Whether the user is here, with anything open or not.
        models: How many models are the user's own (K of algorithm 2).
        dearest: What the dearest of them costs.
    """

    def __init__(self) -> None:
        """Nobody is here yet."""
        self.waiting: NDArray[np.bool_] = np.zeros(0, bool)
        self.served: NDArray[np.bool_] = np.zeros(0, bool)
        self.seen: NDArray[np.bool_] = np.zeros(0, bool)
        self.here: NDArray[np.bool_] = np.zeros(0, bool)
        self.value: Array = np.zeros(0)
        self.calm: Array = np.zeros(0)
        self.width: Array = np.zeros(0)
        self.models: Array = np.zeros(0)
        self.dearest: Array = np.zeros(0)
        self.arm: NDArray[np.intp] = np.zeros(0, np.intp)

    def admit(self, number: int) -> None:
        """Make room for a user."""
        if number < len(self.waiting):
            return
        size = max(16, 2 * len(self.waiting), number + 1)
        for name, column in vars(self).items():
            grown: NDArray[Any] = np.zeros(size, column.dtype)
            grown[: len(column)] = column
            setattr(self, name, grown)

    def anybody(self) -> bool:
        """Whether anyone has anything open."""
        return bool(self.waiting.any())

    def first(self, among: NDArray[np.bool_]) -> int | None:
        """The first of these users in the order of joining."""
        number = int(among.argmax()) if len(among) else 0
        return number if len(among) and among[number] else None

    def highest(self, column: Array, among: NDArray[np.bool_]) -> int:
        """The user of these whose value is highest; the earliest where some are equal."""
        return int(np.where(among, column, -np.inf).argmax())

    def next_after(self, number: int) -> int | None:
        """Who comes after this user when everyone takes turns."""
        later = self.first(self.waiting[number + 1 :])
        return self.first(self.waiting) if later is None else number + 1 + later
