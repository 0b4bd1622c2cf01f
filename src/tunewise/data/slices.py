"""Which items are in a slice."""

import math
from collections.abc import Sequence
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from tunewise.data import order
from tunewise.errors import DataError

_FINEST = 10**9
"""Fractions are told apart to this denominator: 0.1 is 1/10, and not the float next to it."""

_MISSING = "\0missing"
"""The class of items whose label is None or no number; no label that is one is called so."""


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
            Items without one (None, NaN) are a class of their own; 1 and 1.0 are the same.
        names: What items are known by, one each. Then the slice does not depend on their order, so
            that lists of files are cut alike on machines that list them in another order.
        seed: Which slices: the same seed gives the same ones on every machine.

    Raises:
        DataError: When the fraction, the seed or the lengths are not right.
    """
    count, exact, seed = _count(count), _exact(fraction), _seed(seed)
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
    labels = as_labels(stratify)
    if labels.shape != (count,):
        shown = "x".join(map(str, labels.shape))
        raise DataError(
            f"there are {shown} classes for {count} items; expected one for each item, or"
            " stratify=None to do without classes"
        )
    if not count:
        return {}
    # Of numbers and texts there are few distinct ones to name; other things are named one by one.
    if labels.dtype.kind == "O":
        labels = np.asarray([_named(label) for label in labels])
    distinct, places = np.unique(labels, return_inverse=True)
    names, merged = np.unique([_named(label) for label in distinct.tolist()], return_inverse=True)
    places = merged[places]
    order_of_places = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=len(names)))
    parts = np.split(order_of_places, ends[:-1])
    return {str(name): members for name, members in zip(names, parts, strict=True)}


def as_labels(given: Any) -> npt.NDArray[Any]:
    """Classes as an array, whatever holds them: a tensor may require a gradient, or lie elsewhere.

    Raises:
        DataError: When there is not one class for each item.
    """
    for step in ("detach", "cpu"):
        given = getattr(given, step, lambda given=given: given)()
    try:
        return np.asarray(given)
    except (ValueError, TypeError, RuntimeError) as error:
        raise DataError(
            f"the classes are a {type(given).__name__} that is no list of them ({error}); expected"
            " one for each item, or stratify=None to do without classes"
        ) from error


def _named(label: Any) -> str:
    """What a class is called: 1 and 1.0 are one class, and all that is missing is one."""
    if isinstance(label, np.generic):
        label = label.item()
    absent = label is None or type(label).__name__ in ("NAType", "NaTType")
    if absent or (isinstance(label, float) and math.isnan(label)):
        return _MISSING
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _exact(fraction: float) -> Fraction:
    number = isinstance(fraction, Real) and not isinstance(fraction, bool)
    if not number or not 0 < fraction <= 1:
        raise DataError(f"fraction is {fraction!r}; expected a number above 0 and at most 1")
    # As it is written: 0.1 of a short float is 1/10 too.
    exact = fraction if isinstance(fraction, Fraction) else Fraction(str(fraction))
    return exact.limit_denominator(_FINEST) or Fraction(1, _FINEST)


def _seed(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise DataError(f"seed is {seed!r}; expected a whole number")
    return int(seed)


def _count(count: int) -> int:
    if isinstance(count, bool) or not isinstance(count, Integral) or count < 0:
        raise DataError(f"count is {count!r}; expected a whole number of items, 0 or above")
    return int(count)
