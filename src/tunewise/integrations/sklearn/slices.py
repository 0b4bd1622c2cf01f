"""Cross-validation whose training parts are slices of the data."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from tunewise.data import indices

FRACTIONS = (1 / 16, 1 / 4, 1.0)
"""What trials use where nobody says."""

TELLING = 100
"""Items that a slice must hold where nobody chose it. On 25 rows a boosting of leaves of 20 cannot
split: all configs score the same."""

Split = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]


class SlicedSplitter:
    """Another splitter, with a nested, stratified slice of each training part.

    The parts that are scored on stay whole: a score means the same at every fraction.
    """

    def __init__(self, splitter: Any, fraction: float, stratified: bool, seed: int) -> None:
        """Keep which slices to take."""
        self._splitter, self._fraction = splitter, fraction
        self._stratified, self._seed = stratified, seed

    def split(self, x: Any, y: Any = None, **params: Any) -> Iterator[Split]:
        """The splits, with fewer items to train on."""
        for train, test in self._splitter.split(x, y, **params):
            classes = np.asarray(y)[train] if self._stratified else None
            kept = indices(len(train), self._fraction, stratify=classes, seed=self._seed)
            yield train[kept], test


def large_enough(fractions: tuple[float, ...], items: int, least: int) -> tuple[float, ...]:
    """The fractions whose slice of a training part has so many items at least, and 1."""
    return tuple(s for s in fractions if s == 1.0 or int(s * items) >= least)
