"""One thread a training, and no warnings about what is meant so."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_thread() -> Iterator[None]:
    """With one thread in every numeric library.

    Two trainings with two threads each on two cores take many times as long as with one each.
    """
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch is not None else 1
    with threadpool_limits(limits=1):
        if torch is not None:
            torch.set_num_threads(1)
        try:
            yield
        finally:
            if torch is not None:
                torch.set_num_threads(before)


@contextmanager
def quiet() -> Iterator[None]:
    """With one thread, and without warnings: of convergence, of names that columns have not."""
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
