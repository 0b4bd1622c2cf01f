"""The default: the user whose next model is expected to gain most per second.

It keeps the two phases of ease.ml's HYBRID and changes what the greedy one goes by. The gap of a
confidence bound says how far a user might rise, not how soon. The expected gain per second is the
rate at which users and their models compete for the cluster; it looks one model ahead, and does not
count what a model would teach about others.
"""

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate import Array
from tunewise.tenancy.checks import flag, number
from tunewise.tenancy.foresight import rates
from tunewise.tenancy.latent import LOGIT
from tunewise.tenancy.rules.freeze import Freeze
from tunewise.tenancy.rules.rule import Rule, Setting
from tunewise.tenancy.tenant import Tenant


class Hybrid(Rule):
    """Expected gain per second over all users; everyone in turn while that is frozen."""

    latent = LOGIT
    spread = True
    features = True
    worth = "ei"
    patience = 20

    def __init__(
        self,
        setting: Setting,
        *,
        steps: int = 10,
        overhead: float = 0.0,
        foresight: bool = True,
        **options: object,
    ) -> None:
        """Frozen after this many steps; the overhead is added to the cost of each model.

        With foresight, an early slice counts with the choice that it leaves.
        """
        super().__init__(setting, **options)  # type: ignore[arg-type]  # checked by Rule
        self._freeze = Freeze(steps)
        self._overhead = number(overhead, f"overhead is {overhead!r}", least=0)
        self._foresight = flag(foresight, "foresight")
        self._last = -1

    def cost(self, tenant: Tenant) -> Array:
        """Expected cost, with the overhead of starting anything at all."""
        return super().cost(tenant) + self._overhead

    def scores(self, tenant: Tenant) -> Array:
        """Gain per cost; that of an early slice with the choice that it leaves."""
        if tenant.prior.slices == 1 or self.model != "ei" or not self._foresight:
            return super().scores(tenant)
        chance = self.chance(tenant)
        shape = tenant.prior.slices, -1
        own = chance.latent.gain(chance.belief, chance.best)
        cost, gain = chance.cost.reshape(shape), own.reshape(shape)
        open_ = tenant.open.reshape(shape)
        found = rates(tenant.curves(), chance.latent, chance.best, cost, gain, open_)
        return np.asarray(found.reshape(-1), float)

    def value(self, tenant: Tenant, score: float) -> float:
        """The expected gain per cost, as a share of what the user can expect where that counts."""
        value = super().value(tenant, score)
        if not self.setting.relative:
            return value
        hope = float(tenant.latent.accuracy(np.asarray(tenant.believed().mean)).max())
        return value / max(tenant.best, hope, 1e-6)

    def pick(self) -> int | None:
        """The user with the highest value, or who is next in turn."""
        board = self.board
        if not board.anybody():
            return None
        if self._freeze.frozen:
            return board.next_after(self._last)
        return board.highest(board.value, board.waiting)

    def candidates(self) -> NDArray[np.bool_]:
        """Users whose value is at least the mean of all who wait, as in line 7."""
        board = self.board
        if not board.anybody():
            return board.waiting
        mean = float(board.value[board.waiting].mean())
        return np.asarray(board.waiting & (board.value >= mean), bool)

    def picked(self, tenant: Tenant, arm: int) -> None:
        """Turns go on from the last who was served."""
        self._last = tenant.number

    def told(self, tenant: Tenant, arm: int, accuracy: float) -> None:
        """Another step of the same, or not."""
        rose = not tenant.measured[:-1] or accuracy > max(y for _, y in tenant.measured[:-1])
        self._freeze.step(self.candidates(), rose)

    def why(self, number: int) -> str:
        """The gain per second, or the turn."""
        if self._freeze.frozen:
            return "it is the user's turn"
        return "no other user is expected to gain more per second"
