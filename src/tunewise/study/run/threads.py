"""Strategies compute with one thread: their matrices are small, and jobs need the cores."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Linear algebra inside uses one thread; what was set before holds again afterwards."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited


@cache
def _controller() -> Any:
    """Knows the numerical libraries of this process, looked up once."""
    import scipy.linalg  # noqa: F401 - its library must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
