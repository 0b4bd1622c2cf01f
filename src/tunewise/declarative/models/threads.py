"""One thread a training, and no warnings about what is meant so."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def quiet() -> Iterator[None]:
    """With one thread in every numeric library, and without a word of convergence."""
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
