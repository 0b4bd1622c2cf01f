"""Which items are in a slice."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tunewise.data import order
from tunewise.errors import DataError

_FINEST = 10**9
"""Fractions are told apart to this denominator: 0.1 is 1/10, and not the float next to it."""


def indices(
    count: int,
    fraction: float,
    *,
    stratify: Sequence[Any] | npt.NDArray[Any] | None = None,
    names: Sequence[str] | None = None,
    seed: int = 0,
) -> npt.NDArray[np.intp]:
    """The places of the items that are in the slice at a fraction, ascending.

    Slices of one seed are nested: a smaller one is inside every larger one. Of a class with `n`
    items the slice has `fraction * n` of them, rounded up or down: a class that is too small to be
    in every slice is left out of as many as its share says. A slice has one item at least.

    Args:
        count: How many items there are.
        fraction: Above 0, at most 1; 1 is all of them.
        stratify: The class of each item, where the slice is to have a fair share of each class.
        names: What items are known by, one each. Then the slice does not depend on their order, so
            that lists of files are cut alike on machines that list them in another order.
        seed: Which slices: the same seed gives the same ones on every machine.

    Raises:
        DataError: When the fraction, the seed or the lengths are not right.
    """
    exact, seed = _exact(fraction), _seed(seed)
    classes = _classes(count, stratify)
    if names is not None and len(names) != count:
        raise DataError(f"there are {len(names)} names for {count} items; expected one each")
    hashes = order.by_place(count, seed) if names is None else order.by_name(names, seed)
    kept = [
        members[order.ranks(hashes[members])][:taken]
        for label, members in classes.items()
        for taken in (_taken(exact, len(members), label, seed),)
    ]
    chosen = np.concatenate(kept) if kept else np.empty(0, dtype=np.intp)
    if len(chosen) == 0 and count:
        chosen = _first(classes, hashes, seed)
    return np.sort(chosen)


def _taken(fraction: Fraction, count: int, label: str, seed: int) -> int:
    """How many of a class: `floor(fraction * count + u)`, with an `u` in [0, 1) of the class' own.

    This never falls as the fraction grows, so slices are nested; it is less than one item away
    from the exact part; and over many small classes it is right on average, where rounding would
    be not.
    """
    return math.floor(fraction * count + _luck(label, seed))


def _luck(label: str, seed: int) -> Fraction:
    return Fraction(int(order.by_name([f"class {label}"], seed)[0]), 2**64)


def _first(
    classes: dict[str, npt.NDArray[np.intp]], hashes: npt.NDArray[np.uint64], seed: int
) -> npt.NDArray[np.intp]:
    """The item that enters first as the fraction grows from 0: it is in every other slice too."""
    enters = {label: (1 - _luck(label, seed)) / len(items) for label, items in classes.items()}
    members = classes[min(enters, key=lambda label: (enters[label], label))]
    return members[order.ranks(hashes[members])][:1]


def _classes(
    count: int, stratify: Sequence[Any] | npt.NDArray[Any] | None
) -> dict[str, npt.NDArray[np.intp]]:
    """The places of each class' items, by the class' name."""
    if stratify is None:
        return {"": np.arange(count)} if count else {}
    labels = np.asarray(stratify)
    if labels.shape != (count,):
        shown = "x".join(map(str, labels.shape))
        raise DataError(f"there are {shown} classes for {count} items; expected one for each item")
    distinct, places = np.unique(labels, return_inverse=True)
    order_of_places = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=len(distinct)))
    parts = np.split(order_of_places, ends[:-1])
    return {str(label): members for label, members in zip(distinct, parts, strict=True)}


def _exact(fraction: float) -> Fraction:
    number = isinstance(fraction, int | float | Fraction) and not isinstance(fraction, bool)
    if not number or not 0 < fraction <= 1:
        raise DataError(f"fraction is {fraction!r}; expected a number above 0 and at most 1")
    return Fraction(fraction).limit_denominator(_FINEST) or Fraction(1, _FINEST)


def _seed(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise DataError(f"seed is {seed!r}; expected a whole number")
    return int(seed)
