"""One thread a training, and no warnings about what is meant so."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from threadpoolctl import threadpool_limits

_THREADS = ContextVar("threads", default=1)


def threads() -> int:
    """Threads of the training that runs here."""
    return _THREADS.get()


@contextmanager
def with_threads(number: int = 1) -> Iterator[None]:
    """With so many threads in every numeric library.

    One is best where cores are shared: two trainings with two threads each on two cores take many
    times as long as with one each.
    """
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch is not None else 1
    token = _THREADS.set(number)
    with threadpool_limits(limits=number):
        if torch is not None:
            torch.set_num_threads(number)
        try:
            yield
        finally:
            _THREADS.reset(token)
            if torch is not None:
                torch.set_num_threads(before)


@contextmanager
def quiet() -> Iterator[None]:
    """Without more threads than meant, and without warnings: of convergence, of column names."""
    with threadpool_limits(limits=threads()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
