"""One dimension of a space: which values it has, and how models see them."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tunewise.errors import SpaceError, nearest
from tunewise.format import value as shown

Value: TypeAlias = Any  # a scalar that JSON knows: str, int, float, bool or None
Config: TypeAlias = dict[str, Value]
Array: TypeAlias = npt.NDArray[np.float64]

ABSENT: Value = ()
"""Stands for an inactive parameter where a place cannot stay empty; no value is a tuple."""

CONFIDENCE = {"low": 0.5, "medium": 0.25, "high": 0.125}
"""How near the best is to a prior: the standard deviation of it, as a part of the range."""

_LARGEST = 10**4000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class Parameter(ABC):
    """A named dimension.

    `check` gives every value one canonical form, and the other methods speak of canonical values
    only: `decode(encode(values)) == values`, and whatever `draw` and `neighbours` return is valid.
    """

    width: int = 1
    """How many columns the encoding has."""

    prior: Value = None
    """Where somebody who knows expects the best value; None for nowhere."""
    confidence: str = "medium"
    """How sure that is."""

    def __init__(self, name: str, when: Mapping[str, Value] | None = None) -> None:
        """Refuse a name that a command template cannot hold as `{name}`.

        Args:
            name: How configs and commands call it.
            when: By the name of another parameter, the value or values that it must have for
                this one to apply; elsewhere this one is absent from the config.
        """
        self.name = _checked_name(name)
        self.when = _checked_when(self.name, when)

    @property
    def neutral(self) -> Array:
        """The `(width,)` place in the encoding of a config that the parameter does not apply to."""
        return np.full(self.width, 0.5)

    def encode_present(self, values: Sequence[Value]) -> Array:
        """As `encode`, with the neutral place wherever the value is `ABSENT`."""
        encoded = np.tile(self.neutral, (len(values), 1))
        if present := [i for i, value in enumerate(values) if value != ABSENT]:
            encoded[present] = self.encode([values[i] for i in present])
        return encoded

    def _expect(self, prior: Value, confidence: str | None) -> None:
        """Take where the best value is expected, once all values are known."""
        if confidence is not None and confidence not in CONFIDENCE:
            raise SpaceError(
                f"{self.name!r} has confidence = {confidence!r}: expected one of three words"
                f"{nearest(str(confidence), CONFIDENCE)}"
            )
        if prior is None:
            if confidence is not None:
                raise SpaceError(
                    f"{self.name!r} has confidence = {confidence!r} and no prior: expected the"
                    " value that you believe in, such as prior=0.001"
                )
            return
        try:
            self.prior = self.check(prior)
        except SpaceError as error:
            raise SpaceError(f"the prior {error}") from None
        self.confidence = confidence or self.confidence

    def _described_more(self) -> dict[str, Any]:
        """Conditions and what is expected as a part of the description, where there are any."""
        listed = {name: list(values) for name, values in self.when.items()}
        when = {"when": listed} if listed else {}
        if self.prior is None:
            return when
        return {**when, "prior": self.prior, "confidence": self.confidence}

    @property
    @abstractmethod
    def size(self) -> int | None:
        """How many values there are, None for a continuum."""

    @abstractmethod
    def values(self) -> list[Value]:
        """All values in order; only for a parameter with a size."""

    @abstractmethod
    def check(self, value: Value) -> Value:
        """The canonical form of a value, or a SpaceError that says what was expected."""

    @abstractmethod
    def encode(self, values: Sequence[Value]) -> Array:
        """Valid values as an `(n, width)` array in [0, 1]."""

    @abstractmethod
    def decode(self, encoded: Array) -> list[Value]:
        """The values nearest to the rows of an `(n, width)` array."""

    @abstractmethod
    def draw(self, uniform: Array) -> list[Value]:
        """Values for an `(n,)` array of uniform numbers in [0, 1)."""

    @abstractmethod
    def neighbours(self, value: Value) -> list[Value]:
        """Other values one small step away."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The parameter as plain data: equal for equal parameters only."""

    @property
    def range(self) -> str:
        """Its values in words, for people."""
        described = self.describe()
        if "low" in described:
            log = ", log scale" if described.get("log") else ""
            step = f" in steps of {shown(described['step'])}" if "step" in described else ""
            return f"{shown(described['low'])} to {shown(described['high'])}{step}{log}"
        values = [shown(v) for v in self.values()]
        return ", ".join(values[:8]) + (f", … ({len(values)} values)" if len(values) > 8 else "")

    def refuse(self, value: Value, expected: str) -> SpaceError:
        """The error for a wrong value, as a sentence."""
        return SpaceError(f"{self.name} = {value!r} is not valid: expected {expected}")

    def __eq__(self, other: object) -> bool:
        """Parameters are equal when they describe the same values."""
        return isinstance(other, Parameter) and self.describe() == other.describe()

    def __hash__(self) -> int:
        """By name: equal parameters have equal names."""
        return hash(self.name)

    def __repr__(self) -> str:
        """As it would be written by hand, near enough."""
        shown = {k: v for k, v in self.describe().items() if k not in ("kind", "name")}
        arguments = "".join(f", {k}={v!r}" for k, v in shown.items())
        return f"{type(self).__name__}({self.name!r}{arguments})"


def plain(value: Value) -> Value:
    """A numpy scalar as the Python scalar it stands for; other values as they are.

    Raises:
        SpaceError: For a whole number that Python itself would not write down.
    """
    if isinstance(value, int) and not -_LARGEST <= value <= _LARGEST:
        raise SpaceError("a value is a number of more than 4000 digits; expected a smaller one")
    return value.item() if isinstance(value, np.generic) else value


def _checked_when(name: str, when: Any) -> dict[str, tuple[Value, ...]]:
    if when is None:
        return {}
    if not isinstance(when, Mapping) or not when:
        raise SpaceError(
            f"{name!r} has when = {when!r}: expected the value of another parameter, such as"
            " {'optimizer': 'sgd'}"
        )
    if name in when:
        raise SpaceError(f"{name!r} has a condition on itself: expected one on another parameter")
    listed = {
        other: tuple(map(plain, values)) if isinstance(values, list | tuple) else (plain(values),)
        for other, values in when.items()
    }
    for other, values in listed.items():
        if not values:
            raise SpaceError(f"{name!r} applies for no value of {other!r}: expected at least one")
    return listed


def _checked_name(name: object) -> str:
    if isinstance(name, str) and _NAME.match(name):
        return name
    suggestion = re.sub(r"\W", "_", str(name), flags=re.ASCII)
    if not _NAME.match(suggestion):
        suggestion = f"_{suggestion}"
    raise SpaceError(
        f"{name!r} is not a name for a parameter: expected letters, digits and underscores, with"
        f" no digit first, so that commands can say {{name}}; try {suggestion!r}"
    )


def distinct(parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """The parameters of a space; none, other things and equal names are refused."""
    if not parameters:
        raise SpaceError("a space needs at least one parameter, such as Real('x', 0, 1)")
    for i, parameter in enumerate(parameters):
        if not isinstance(parameter, Parameter):
            raise SpaceError(
                f"{parameter!r} is not a parameter: expected Choice, Ordinal, Integer, Real or"
                f" Cluster{_meant(parameter)}"
            )
        if parameter.name in (p.name for p in parameters[:i]):
            raise SpaceError(
                f"two parameters are named {parameter.name!r}: expected distinct names"
            )
    return parameters


def _meant(given: object) -> str:
    """What somebody who gave this instead of a parameter probably wants, in brackets."""
    if isinstance(given, list | tuple) and any(isinstance(each, Parameter) for each in given):
        return ", one by one: Space(first, second), or Space(*list_of_them)"
    return " (for a list of configs use Space.of)"
