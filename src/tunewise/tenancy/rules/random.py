"""A user by chance."""

import numpy as np

from tunewise.tenancy.rules.rule import Rule


class Random(Rule):
    """Every user who waits is served with the same probability."""

    def pick(self) -> int | None:
        """A user drawn from the scheduler's seeded chance."""
        waiting = np.flatnonzero(self.board.waiting)
        return int(self.setting.rng.choice(waiting)) if len(waiting) else None

    def why(self, number: int) -> str:
        """That chance alone decided."""
        return "the user was drawn by chance"
