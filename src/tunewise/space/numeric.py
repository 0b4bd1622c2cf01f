"""Parameters that are numbers between two bounds, on a linear or a log scale."""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tunewise.errors import SpaceError, answering
from tunewise.space.parameter import Array, Parameter, Value, plain

DIGITS = 12
"""Significant digits of a Real: few enough to survive encoding, more than any job can feel."""


@dataclass(frozen=True)
class Scale:
    """A monotone map from [low, high] to [0, 1]; log needs low > 0."""

    low: float
    high: float
    log: bool

    def to_unit(self, values: Array) -> Array:
        """Positions in [0, 1]."""
        start, span = self._ends()
        if span == 0:
            return np.zeros_like(values)
        return (((np.log(values) if self.log else values) - start) / span).clip(0, 1)

    def from_unit(self, positions: Array) -> Array:
        """Values at the positions; outside of [0, 1] stands for the nearer bound."""
        start, span = self._ends()
        values = start + span * np.clip(positions, 0, 1)
        return (np.exp(values) if self.log else values).clip(self.low, self.high)

    def _ends(self) -> tuple[float, float]:
        if not self.log:
            return self.low, self.high - self.low
        return math.log(self.low), math.log(self.high) - math.log(self.low)


class Numeric(Parameter):
    """A number between two bounds, in one column."""

    limit: ClassVar[float]  # beyond it, floats could not tell neighbouring values apart
    smallest: ClassVar[float]  # the least that a log scale can hold
    steps: ClassVar[tuple[float, ...]] = (0.01, 0.05)  # sizes of small moves, as parts of the range

    @answering(
        "a Real or an Integer",
        SpaceError,
        usage="its name and its two ends, as in tunewise.Real('rate', 1e-5, 1e-1, log=True)",
    )
    def __init__(
        self,
        name: str,
        low: float,
        high: float,
        log: bool = False,
        when: Mapping[str, Value] | None = None,
        step: float | None = None,
        prior: float | None = None,
        confidence: str | None = None,
    ) -> None:
        """Refuse bounds that are no numbers, in the wrong order, or without a logarithm.

        With a `step` only low, low + step and so on are valid, up to the last that is not above
        high. A `prior` is the value that you expect to be best, with "low", "medium" or "high"
        `confidence`: searches begin there, and forget it as measurements come in.
        """
        super().__init__(name, when)
        self.low, self.high, self.log = self._bound(low), self._bound(high), bool(log)
        if self.low > self.high:
            raise SpaceError(
                f"{name!r} has low = {low!r} above high = {high!r}: expected low <= high; try"
                f" {type(self).__name__}({name!r}, {high!r}, {low!r})"
            )
        if self.log and self.low < self.smallest:
            raise SpaceError(
                f"{name!r} has log=True and low = {low!r}: a log scale expects low of at least"
                f" {self.smallest:g}; raise low or leave out log"
            )
        self.step = None if step is None else self._checked_step(step)
        if self.step is not None:
            self.high = self._place(math.floor((self.high - self.low) / self.step + 1e-9))
        self._scale = Scale(self.low, self.high, self.log)
        self._settled()
        self._expect(prior, confidence)

    def _settled(self) -> None:
        """What a kind of number has to know before its values can be checked."""

    def _checked_step(self, step: Any) -> Any:
        number = self._number(step)
        if number is None or number <= 0:
            raise SpaceError(f"{self.name!r} has step = {step!r}: expected a number above 0")
        if self.log:
            raise SpaceError(
                f"{self.name!r} has log=True and step = {step!r}: expected one of them; list the"
                f" values in an Ordinal to have both"
            )
        if number > self.high - self.low > 0:
            raise SpaceError(
                f"{self.name!r} has step = {step!r}: expected at most {self.high - self.low:g}, the"
                " width of its range"
            )
        return self._rounded(number)

    def _place(self, count: int) -> Any:
        """The value so many steps above low."""
        assert self.step is not None
        return self._rounded(float(f"{self.low + count * self.step:.{DIGITS}g}"))

    def _stepped(self) -> list[Any]:
        return [self._place(i) for i in range(round((self.high - self.low) / self.step) + 1)]

    def _onto_steps(self, values: Array) -> list[Any]:
        """The nearest valid values."""
        places = np.rint((np.clip(values, self.low, self.high) - self.low) / self.step)
        return [self._place(int(place)) for place in places]

    def _drawn_steps(self, uniform: Array) -> list[Any]:
        """Valid values, each with the same probability."""
        count = round((self.high - self.low) / self.step) + 1
        places = np.floor(np.asarray(uniform, float) * count).clip(0, count - 1)
        return [self._place(int(place)) for place in places]

    def _refuse_between(self, value: Value, number: float) -> None:
        """Refuse a number that is on no step."""
        nearest = self._onto_steps(np.array([number]))[0]
        if abs(nearest - number) > 1e-9 * max(abs(number), abs(self.step or 0)):
            expected = f"a number from {self.low!r} to {self.high!r} in steps of {self.step!r}"
            raise self.refuse(value, f"{expected}; the nearest is {nearest!r}")

    def _number(self, value: Value) -> Any:
        """The value as a finite number, None if it is not one."""
        value = plain(value)
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def _bound(self, value: Value) -> Any:
        number = self._number(value)
        if number is None or abs(number) > self.limit:
            raise SpaceError(
                f"{self.name!r} has the bound {value!r}: expected a number between"
                f" {-self.limit:g} and {self.limit:g}"
            )
        return self._rounded(number)

    @abstractmethod
    def _rounded(self, number: float) -> Any:
        """A bound in the canonical form of values."""

    def encode(self, values: Sequence[Value]) -> Array:
        """Positions between the bounds, as an `(n, 1)` array."""
        return self._scale.to_unit(np.asarray(values, float).reshape(-1, 1))

    def neighbours(self, value: Value) -> list[Value]:
        """Values a small step of the range to both sides."""
        moves = np.array([side * step for step in self.steps for side in (-1, 1)])
        near = self.decode((self.encode([value])[0, 0] + moves).reshape(-1, 1))
        return [other for other in dict.fromkeys(near) if other != value]

    def describe(self) -> dict[str, Any]:
        """Kind, name, bounds, scale and conditions."""
        bounds = {"low": self.low, "high": self.high, "log": self.log}
        if self.step is not None:
            bounds["step"] = self.step
        kind = type(self).__name__.lower()
        return {"kind": kind, "name": self.name, **bounds, **self._described_more()}


class Integer(Numeric):
    """A whole number from low to high, both included."""

    limit = 1e12
    smallest = 1
    low: int
    high: int

    @property
    def size(self) -> int:
        """How many whole numbers there are."""
        return (self.high - self.low) // (self.step or 1) + 1

    def values(self) -> list[int]:
        """All whole numbers from low to high, or those on a step."""
        return list(range(self.low, self.high + 1, self.step or 1))

    def check(self, value: Value) -> int:
        """The value as an int; 4.0 is 4."""
        number = self._number(value)
        expected = f"a whole number from {self.low} to {self.high}"
        if number is None:
            raise self.refuse(value, expected)
        if number != int(number) or not self.low <= number <= self.high:
            closest = min(max(round(number), self.low), self.high)
            raise self.refuse(value, f"{expected}; the nearest is {closest}")
        if self.step is not None:
            self._refuse_between(value, number)
        return int(number)

    def _rounded(self, number: float) -> int:
        if number != int(number):
            raise SpaceError(
                f"{self.name!r} has the bound {number!r}: expected a whole number; try"
                f" {round(number)} or a Real"
            )
        return int(number)

    def decode(self, encoded: Array) -> list[int]:
        """The nearest whole numbers."""
        if self.step is not None:
            return self._onto_steps(self._scale.from_unit(_column(encoded)))
        values: list[int] = np.rint(self._scale.from_unit(_column(encoded))).astype(int).tolist()
        return values

    def draw(self, uniform: Array) -> list[int]:
        """Whole numbers; each gets the part of the scale that rounds to it."""
        if self.step is not None:
            return self._drawn_steps(uniform)
        scale = Scale(self.low - 0.5, self.high + 0.5, self.log)
        drawn = np.rint(scale.from_unit(np.asarray(uniform))).clip(self.low, self.high)
        values: list[int] = drawn.astype(int).tolist()
        return values

    def neighbours(self, value: Value) -> list[int]:
        """The next whole numbers, and some a small step of the range away."""
        step = self.step or 1
        next_to = [n for n in (value - step, value + step) if self.low <= n <= self.high]
        return list(dict.fromkeys([*next_to, *super().neighbours(value)]))


class Real(Numeric):
    """A number from low to high, both included.

    Values keep 12 significant digits: of their own on a log scale, of the larger bound on a linear
    one. That is what makes decoding exact.
    """

    limit = 1e100
    smallest = 1e-100
    low: float
    high: float

    def _settled(self) -> None:
        """Refuse bounds that are too close for 12 digits."""
        self._ends = {self._digits(bound): bound for bound in (self.low, self.high)}
        if self.low != self.high and len(self._ends) == 1:
            raise SpaceError(
                f"{self.name!r} has low = {self.low!r} and high = {self.high!r}: expected bounds"
                f" that differ in"
                f" their first {DIGITS} digits"
            )

    @property
    def size(self) -> int | None:
        """None, for there is no end of them, unless there are steps; 1 where bounds are equal."""
        if self.low == self.high:
            return 1
        return None if self.step is None else round((self.high - self.low) / self.step) + 1

    def values(self) -> list[float]:
        """Those on a step, or the only one where the bounds are equal."""
        if self.size is None:
            raise SpaceError(f"{self.name!r} is continuous: its values cannot be listed")
        return [self.low] if self.step is None else self._stepped()

    def check(self, value: Value) -> float:
        """The value as a float of 12 significant digits."""
        number = self._number(value)
        expected = f"a number from {self.low!r} to {self.high!r}"
        if number is None:
            raise self.refuse(value, expected)
        canonical = self._canonical(min(max(number, self.low), self.high))
        if not self._within(number):
            raise self.refuse(value, f"{expected}; the nearest is {canonical!r}")
        if self.step is None:
            return canonical
        self._refuse_between(value, number)
        return float(self._onto_steps(np.array([number]))[0])

    def _within(self, number: float) -> bool:
        """Whether a number is between the bounds, but for rounding noise."""
        largest = max(abs(self.low), abs(self.high))
        below, above = (self.low, self.high) if self.log else (largest, largest)
        return bool(self.low - 1e-12 * below <= number <= self.high + 1e-12 * above)

    def _rounded(self, number: float) -> float:
        return float(number) + 0.0  # no negative zero: it would print as another value

    @cached_property
    def _decimals(self) -> int:
        largest = max(abs(self.low), abs(self.high))
        return DIGITS - 1 - math.floor(math.log10(largest)) if largest else 0

    def _digits(self, number: float) -> float:
        return float(f"{number:.{DIGITS}g}" if self.log else round(number, self._decimals)) + 0.0

    def _canonical(self, number: float) -> float:
        """The number to 12 digits; a bound stands for all that rounds as it does."""
        digits = self._digits(number)
        return self._ends.get(digits, digits)

    def decode(self, encoded: Array) -> list[float]:
        """The values at the positions, to 12 significant digits."""
        if self.step is not None:
            return self._onto_steps(self._scale.from_unit(_column(encoded)))
        return [self._canonical(v) for v in self._scale.from_unit(_column(encoded)).tolist()]

    def draw(self, uniform: Array) -> list[float]:
        """Values with the same probability everywhere on the scale."""
        if self.step is not None:
            return self._drawn_steps(uniform)
        return self.decode(np.asarray(uniform, float))


def _column(encoded: Array) -> Array:
    return np.asarray(encoded, float).reshape(-1)
