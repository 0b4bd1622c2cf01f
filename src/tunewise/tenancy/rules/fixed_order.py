"""A fixed order of models for each user, everyone in turn: what users did before ease.ml."""

from tunewise.tenancy.rules.round_robin import RoundRobin


class FixedOrder(RoundRobin):
    """Section 6.2's MOSTCITED and MOSTRECENT: the order is given to the scheduler."""

    worth = "order"
