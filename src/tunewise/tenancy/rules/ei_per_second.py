"""Spearmint for many users: expected improvement per second for each, everyone in turn."""

from tunewise.tenancy.rules.round_robin import RoundRobin


class EiPerSecond(RoundRobin):
    """Section 6.2's SPEARMINT*, on the same prior as the other rules."""

    worth = "ei"
