"""The routines of LAPACK, loaded by the first fit: what fits nothing starts without them."""

from functools import cache
from typing import Any


@cache
def lapack() -> Any:
    """SciPy's own names of LAPACK: `dpotrf`, `dpotrs`, `dpotri` and `dtrtrs` are used here."""
    from scipy.linalg import lapack

    return lapack
