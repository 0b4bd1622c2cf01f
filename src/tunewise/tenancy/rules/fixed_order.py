"""A fixed order of models for each user, everyone in turn: what users did before ease.ml."""

from tunewise.errors import TenancyError, nearest
from tunewise.surrogate import Array
from tunewise.tenancy.rules.round_robin import RoundRobin
from tunewise.tenancy.rules.rule import Setting


class FixedOrder(RoundRobin):
    """Section 6.2's MOSTCITED and MOSTRECENT: the orders are given to the scheduler."""

    worth = "order"

    def __init__(self, setting: Setting, *, by: str = "", **options: object) -> None:
        """By one of the scheduler's orders that has a name, or by the only one."""
        super().__init__(setting, **options)
        if by not in setting.orders:
            named = sorted(name for name in setting.orders if name)
            raise TenancyError(f"unknown order {by!r}{nearest(by, named)}")
        self._by = by

    def order(self) -> Array:
        """Ranks in that order."""
        return self.setting.orders[self._by]
