"""How wide the confidence bounds are: the beta of the algorithms, and that of the theorems."""

import math
from collections.abc import Callable

from tunewise.errors import TenancyError, nearest
from tunewise.tenancy.checks import number


def of_algorithms(models: int, step: int, delta: float, users: int, dearest: float) -> float:
    """log(K t^2 / delta): lines 9 and 10 of algorithm 2."""
    return math.log(models * step**2 / delta)


def of_theorems(models: int, step: int, delta: float, users: int, dearest: float) -> float:
    """2 c* log(pi^2 n K* t^2 / (6 delta)): theorems 2 and 3, with n = 1 theorem 1."""
    return 2 * dearest * math.log(math.pi**2 * users * models * step**2 / (6 * delta))


BETAS: dict[str, Callable[[int, int, float, int, float], float]] = {
    "algorithms": of_algorithms,
    "theorems": of_theorems,
}
"""By name: from models K, a user's step t, delta, users n and the largest cost c*."""


def checked(beta: str, delta: float) -> None:
    """Refuse an unknown beta, or a delta that is no probability."""
    if beta not in BETAS:
        raise TenancyError(f"unknown beta {beta!r}{nearest(beta, sorted(BETAS))}")
    if not number(delta, f"delta is {delta!r}", above=0) < 1:
        raise TenancyError(f"delta is {delta}; expected a probability between 0 and 1")
