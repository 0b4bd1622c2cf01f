"""How wide the confidence bounds are: the beta of the algorithms, and that of the theorems."""

import math
from typing import NamedTuple

from tunewise.errors import TenancyError, nearest
from tunewise.tenancy.checks import number

BETAS = ("algorithms", "theorems")
"""By name: `of_algorithms` and `of_theorems`."""


class Everyone(NamedTuple):
    """What the theorems take of all users: n, K* and c*, the maxima over users."""

    users: int
    models: float
    dearest: float


def of_algorithms(models: float, step: int, delta: float) -> float:
    """log(K t^2 / delta), with a user's own K and t: line 9 of algorithm 2."""
    return math.log(models * step**2 / delta)


def of_theorems(everyone: Everyone, step: int, delta: float) -> float:
    """2 c* log(pi^2 n K* t^2 / (6 delta)): theorems 2 and 3; of one user alone theorem 1."""
    users, models, dearest = everyone
    return 2 * dearest * math.log(math.pi**2 * users * models * step**2 / (6 * delta))


def checked(beta: str, delta: float) -> None:
    """Refuse an unknown beta, or a delta that is no probability."""
    if beta not in BETAS:
        raise TenancyError(f"unknown beta {beta!r}{nearest(beta, sorted(BETAS))}")
    if not number(delta, f"delta is {delta!r}", above=0) < 1:
        raise TenancyError(f"delta is {delta}; expected a probability between 0 and 1")
