"""HYBRID as published: GREEDY until it freezes, then everyone in turn (section 5.4)."""

from tunewise.tenancy.rules.freeze import Freeze
from tunewise.tenancy.rules.greedy import Greedy
from tunewise.tenancy.rules.rule import Setting
from tunewise.tenancy.tenant import Tenant


class EaseMl(Greedy):
    """GREEDY, with a round robin while line 7's set is frozen and nobody's best rises."""

    def __init__(self, setting: Setting, *, steps: int = 10, **options: object) -> None:
        """Frozen after this many steps (the paper's s)."""
        super().__init__(setting, **options)
        self._freeze = Freeze(steps)
        self._last = -1

    def pick(self) -> int | None:
        """Whom GREEDY takes, or who is next in turn."""
        if self._freeze.frozen:
            return self.board.next_after(self._last)
        return super().pick()

    def picked(self, tenant: Tenant, arm: int) -> None:
        """Turns go on from the last who was served."""
        super().picked(tenant, arm)
        self._last = tenant.number

    def told(self, tenant: Tenant, arm: int, accuracy: float) -> None:
        """Another step of the same, or not."""
        rose = not tenant.measured[:-1] or accuracy > max(y for _, y in tenant.measured[:-1])
        super().told(tenant, arm, accuracy)
        self._freeze.step(self.candidates(), rose)

    def why(self, number: int) -> str:
        """The gap, or the turn."""
        return "it is the user's turn" if self._freeze.frozen else super().why(number)
