"""Parameters whose values are listed: unordered choices and ordered steps."""

import math
import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tunewise.errors import SpaceError, nearest
from tunewise.space.parameter import Array, Parameter, Value, plain

_HALVES = re.compile("[\ud800-\udfff]")
"""Surrogates, which stand for nothing alone: no file and no store can keep them."""

_LARGEST = 10**300
"""Whole numbers beyond it have no float, and models know floats only."""

MOST_CHOICES = 3000
"""Values of a Choice: each has a column of its own in models."""

WIDE = 10.0
"""Above this ratio of largest to smallest value, an Ordinal is seen on a log scale."""


class Listed(Parameter):
    """A parameter with a list of values, each with its own row of an encoding table."""

    def __init__(
        self,
        name: str,
        values: Iterable[Value],
        when: Mapping[str, Value] | None = None,
        prior: Value = None,
        confidence: str | None = None,
    ) -> None:
        """Refuse an empty list, duplicates and what JSON could not keep.

        A `prior` is the value that you expect to be best, with "low", "medium" or "high"
        `confidence`: searches begin there, and forget it as measurements come in.
        """
        super().__init__(name, when)
        self._values = _checked_values(self.name, values)
        self._index = {value: i for i, value in enumerate(self._values)}
        self._table = self._encoded()
        self.width = self._table.shape[1]
        self._expect(prior, confidence)

    @abstractmethod
    def _encoded(self) -> Array:
        """The encoding of each value, as a `(size, width)` table with distinct rows."""

    @property
    def size(self) -> int:
        """How many values are listed."""
        return len(self._values)

    @property
    def neutral(self) -> Array:
        """The middle of all values' places."""
        return np.asarray(self._table.mean(axis=0), float)

    def values(self) -> list[Value]:
        """All values, as listed."""
        return list(self._values)

    def check(self, value: Value) -> Value:
        """The listed value that equals this one."""
        value = plain(value)
        try:
            return self._values[self._index[value]]
        except (KeyError, TypeError):
            return self._nearly(value)

    def _nearly(self, value: Value) -> Value:
        raise self.refuse(
            value, f"one of the listed values{nearest(str(value), map(str, self._values))}"
        )

    def indices(self, values: Sequence[Value]) -> npt.NDArray[np.intp]:
        """The positions of values in the list, as an `(n,)` array."""
        try:
            return np.fromiter(map(self._index.__getitem__, values), np.intp, len(values))
        except (KeyError, TypeError):
            checked = (self._index[self.check(value)] for value in values)
            return np.fromiter(checked, np.intp, len(values))

    def encode(self, values: Sequence[Value]) -> Array:
        """Rows of the encoding table."""
        return self._table[self.indices(values)]

    def decode(self, encoded: Array) -> list[Value]:
        """The values whose rows are nearest."""
        return self._at(_nearest_rows(self._table, np.asarray(encoded, float)))

    def draw(self, uniform: Array) -> list[Value]:
        """Every value with the same probability."""
        return self._at((np.asarray(uniform) * self.size).astype(np.intp).clip(0, self.size - 1))

    def neighbours(self, value: Value) -> list[Value]:
        """All the other values: no two are nearer than others."""
        return [other for other in self._values if other != value]

    def describe(self) -> dict[str, Any]:
        """Kind, name, values and conditions."""
        kind = type(self).__name__.lower()
        described = {"kind": kind, "name": self.name, "values": self.values()}
        return {**described, **self._described_more()}

    def _at(self, indices: npt.NDArray[np.intp]) -> list[Value]:
        return list(map(self._values.__getitem__, indices.tolist()))


class Choice(Listed):
    """Unordered values, encoded one-hot so that any two are equally far apart."""

    def _encoded(self) -> Array:
        if self.size > MOST_CHOICES:
            raise SpaceError(
                f"Choice {self.name!r} has {self.size:,} values; expected at most"
                f" {MOST_CHOICES:,}: nothing could be learned of so many. Numbers are an Ordinal,"
                " or an Integer or a Real with a range"
            )
        return np.eye(self.size)


class Ordinal(Listed):
    """Ordered values in one column.

    Positive numbers that span more than a factor of ten are spaced by their logarithm: such lists
    (learning rates, cluster sizes) are about orders of magnitude, and the gaps between them matter.
    All others are spaced by rank: the listed steps are the user's own idea of even steps, and a
    zero or a word has no logarithm.
    """

    def _encoded(self) -> Array:
        if self.size == 1:
            return np.zeros((1, 1))
        if all(_is_number(v) for v in self._values):
            self._refuse_disorder()
            low, high = min(self._values), max(self._values)
            if low > 0 and high / low > WIDE:
                logs = _spaced(np.log(np.array(self._values, float)))
                if np.abs(np.diff(logs[:, 0])).min() > 1e-12:  # else decoding were not exact
                    return logs
        return _spaced(np.arange(self.size, dtype=float))

    def _refuse_disorder(self) -> None:
        rising = self._values[1] > self._values[0]
        for a, b in pairwise(self._values):
            if (b > a) != rising:
                raise SpaceError(
                    f"Ordinal {self.name!r} has {b!r} after {a!r}: expected rising or falling"
                    f" numbers, such as {sorted(self._values)!r} (or a Choice, if unordered)"
                )

    def _nearly(self, value: Value) -> Value:
        numbers = [v for v in self._values if _is_number(v)]
        if not numbers or not _is_number(value):
            return super()._nearly(value)
        within = min(max(value, min(numbers)), max(numbers))  # a huge one has no distance
        closest = min(numbers, key=lambda v: abs(v - within))
        if abs(value) <= _LARGEST and math.isclose(
            closest, value, rel_tol=1e-9
        ):  # 0.1 + 0.2 is meant to be 0.3
            return closest
        raise self.refuse(value, f"one of {self.values()!r}; the nearest is {closest!r}")

    def decode(self, encoded: Array) -> list[Value]:
        """The values whose positions are nearest."""
        column = np.asarray(encoded, float).reshape(-1)
        positions, order = self._table[:, 0], np.argsort(self._table[:, 0])
        rising = positions[order]
        return self._at(order[np.searchsorted((rising[1:] + rising[:-1]) / 2, column)])

    def neighbours(self, value: Value) -> list[Value]:
        """The value before and the value after."""
        i = self._index[value]
        return [self._values[j] for j in (i - 1, i + 1) if 0 <= j < self.size]


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spaced(positions: Array) -> Array:
    low, high = float(positions.min()), float(positions.max())
    return np.clip((positions - low) / (high - low), 0.0, 1.0).reshape(-1, 1)


def _nearest_rows(table: Array, encoded: Array) -> npt.NDArray[np.intp]:
    """The nearest row of a `(size, width)` table for each row of `(n, width)`, in bounded memory.

    Squared distances without the part that all rows of the table share.
    """
    norms = (table**2).sum(axis=1)
    step = max(1, 2_000_000 // len(table))
    chunks = [encoded[i : i + step] for i in range(0, len(encoded), step)]
    found = [np.argmin(norms - 2 * chunk @ table.T, axis=1) for chunk in chunks]
    return np.concatenate(found) if found else np.empty(0, np.intp)


def _checked_values(name: str, values: Iterable[Value]) -> tuple[Value, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise SpaceError(f"the values of {name!r} are {values!r}: expected a list, [{values!r}]")
    listed = tuple(map(plain, values))
    if not listed:
        raise SpaceError(f"{name!r} has no values: expected a list of at least one")
    seen: set[Value] = set()
    for value in listed:
        if value is not None and not isinstance(value, str | int | float):
            raise SpaceError(
                f"{name!r} lists {value!r}: expected text, numbers, booleans or None; try"
                f" {str(value)!r}"
            )
        if isinstance(value, str) and not value.isprintable() and _HALVES.search(value):
            raise SpaceError(
                f"{name!r} lists {value!r}: expected text without halves of characters"
            )
        if isinstance(value, int) and abs(value) > _LARGEST:
            raise SpaceError(f"{name!r} lists a number of more than 300 digits: expected fewer")
        if isinstance(value, float) and not math.isfinite(value):
            raise SpaceError(f"{name!r} lists {value!r}: expected finite numbers")
        if value in seen:
            raise SpaceError(f"{name!r} lists {value!r} twice: expected distinct values")
        seen.add(value)
    return listed
