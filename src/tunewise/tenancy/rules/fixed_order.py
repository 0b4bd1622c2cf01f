"""A fixed order of models for each user, everyone in turn: what users did before ease.ml."""

from tunewise.tenancy.rules.round_robin import RoundRobin
from tunewise.tenancy.rules.rule import Setting


class FixedOrder(RoundRobin):
    """Models in an order that is given to the scheduler."""

    worth = "order"

    def __init__(self, setting: Setting, *, by: str = "", **options: object) -> None:
        """By one of the scheduler's orders that has a name, or by the only one."""
        self.by = by
        super().__init__(setting, **options)


class MostCited(RoundRobin):
    """Section 6.2's MOSTCITED."""

    worth, by = "order", "citations"


class MostRecent(RoundRobin):
    """Section 6.2's MOSTRECENT."""

    worth, by = "order", "year"
