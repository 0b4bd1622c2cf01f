"""GREEDY: the user with the largest gap between what may be and what is (algorithm 2)."""

import numpy as np
from numpy.typing import NDArray

from tunewise.tenancy.rules.rule import Rule, Setting
from tunewise.tenancy.tenant import Tenant


class Greedy(Rule):
    """Algorithm 2 in full: one step for each user first, then lines 6 to 8."""

    def __init__(self, setting: Setting, **options: object) -> None:
        """Nobody has been bounded yet."""
        super().__init__(setting, **options)  # type: ignore[arg-type]  # checked by Rule
        self._bound: dict[int, float] = {}
        self._played: dict[tuple[int, int], float] = {}

    def pick(self) -> int | None:
        """A user without a model, or else line 8: the largest gap among the candidates."""
        board = self.board
        new = board.first(board.waiting & ~board.served)
        if new is not None or not board.anybody():
            return new
        candidates = self.candidates()
        if not candidates.any():
            candidates = board.waiting
        return board.highest(board.value, candidates)

    def candidates(self) -> NDArray[np.bool_]:
        """Line 7: users whose width is at least the mean of all users; only who waits is served.

        A user without a width has no measured model yet.
        """
        board = self.board
        if not board.seen.any():
            return board.seen
        mean = float(board.width[board.seen].mean())
        # A rounding error must not throw out users who all have the same width.
        wide = board.width >= mean - 1e-12 * (1 + abs(mean))
        return np.asarray(board.waiting & board.seen & wide, bool)

    def picked(self, tenant: Tenant, arm: int) -> None:
        """Keep the bound of the arm that is played, as it is before its value is known."""
        chance = self.chance(tenant)
        std = np.asarray(chance.belief.std, float)[arm]
        width = np.sqrt(chance.beta / chance.cost[arm]) * std
        bound = tenant.latent.accuracy(np.asarray(chance.belief.mean, float)[arm] + width)
        self._played[tenant.number, arm] = float(bound)

    def told(self, tenant: Tenant, arm: int, accuracy: float) -> None:
        """Line 6: the bound is the least so far of B(a) and y + width; the width is its rest."""
        number = tenant.number
        played = self._played.pop((number, arm), np.inf)
        self._bound[number] = min(played, self._bound.get(number, np.inf))
        self.board.width[number] = self._bound[number] - accuracy
        self.board.seen[number] = True

    def left(self, number: int) -> None:
        """Forget the user's bounds."""
        super().left(number)
        self._bound.pop(number, None)
        self._played = {key: bound for key, bound in self._played.items() if key[0] != number}

    def why(self, number: int) -> str:
        """How far the user may still be from the best model."""
        if not self.board.served[number]:
            return "the user has no model yet"
        return f"the gap to what may be reached, {self.board.value[number]:.3g}, is the largest"
