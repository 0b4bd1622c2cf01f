"""A fixed order of models for each user, everyone in turn: what users did before ease.ml."""

from tunewise.errors import TenancyError, nearest
from tunewise.surrogate import Array
from tunewise.tenancy.rules.round_robin import RoundRobin
from tunewise.tenancy.rules.rule import Setting


class FixedOrder(RoundRobin):
    """Models in an order that is given to the scheduler."""

    worth = "order"

    def __init__(self, setting: Setting, *, by: str = "", **options: object) -> None:
        """By one of the scheduler's orders that has a name, or by the only one."""
        super().__init__(setting, **options)
        if by not in setting.orders:
            named = sorted(name for name in setting.orders if name)
            told = nearest(by, named) if named else f"; give Scheduler(order={{{by!r}: [...]}})"
            raise TenancyError(f"unknown order {by!r}{told}")
        self._by = by

    def order(self) -> Array:
        """Ranks in that order."""
        return self.setting.orders[self._by]


class MostCited(FixedOrder):
    """Section 6.2's MOSTCITED: by the order named "citations"."""

    def __init__(self, setting: Setting, *, by: str = "citations", **options: object) -> None:
        """Of a table of models, the column of citations."""
        super().__init__(setting, by=by, **options)


class MostRecent(FixedOrder):
    """Section 6.2's MOSTRECENT: by the order named "year"."""

    def __init__(self, setting: Setting, *, by: str = "year", **options: object) -> None:
        """Of a table of models, the column of years."""
        super().__init__(setting, by=by, **options)
