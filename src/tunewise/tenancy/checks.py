"""What callers say, refused with a sentence where it makes no sense."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tunewise.errors import TenancyError, nearest
from tunewise.problem import options


def number(value: Any, said: str, *, least: float = -math.inf, above: float = -math.inf) -> float:
    """A finite number of `least` or more and above `above`; `said` is how the error begins."""
    options.number(least=least, above=above).check("", value, TenancyError, said)
    return float(value)


def numbers(values: Any, what: str) -> list[float]:
    """A list of numbers; NaN where one is not known."""
    found = []
    for value in several(values, what, "a list of numbers"):
        unknown = isinstance(value, float | np.floating) and math.isnan(value)
        found.append(math.nan if unknown else number(value, f"{value!r} is among the {what}"))
    return found


def whole(value: Any, said: str, least: int = 1) -> int:
    """A whole number of `least` or more; `said` is how the error begins."""
    options.whole(least).check("", value, TenancyError, said)
    return int(value)


def flag(value: Any, name: str) -> bool:
    """True or false."""
    options.FLAG.check(name, value, TenancyError)
    return bool(value)


def text(name: Any, what: str) -> str:
    """A name that is not empty."""
    if not isinstance(name, str) or not name:
        raise TenancyError(f"{what} is called {name!r}; expected a text")
    return name


def several(values: Any, what: str, expected: str) -> list[Any]:
    """A list of things, not one thing, nor a text."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TenancyError(f"{what} is {values!r}; expected {expected}")
    return list(values)


def user(name: Any, weight: Any, deadline: Any) -> None:
    """A user with a name, a weight above 0, and a deadline or none."""
    text(name, "a user")
    number(weight, f"user {name!r} has the weight {weight!r}", above=0)
    if deadline is not None:
        number(deadline, f"user {name!r} has the deadline {deadline!r}")


def names(models: Any, what: str = "models") -> list[str]:
    """The names of models, all different."""
    hint = f", as in [{models!r}]" if isinstance(models, str) else ""
    listed = several(models, what, f"a list of names{hint}")
    for name in listed:
        text(name, "a model")
    if len(set(listed)) != len(listed):
        twice = next(name for name in listed if listed.count(name) > 1)
        raise TenancyError(f"two models have the same name: {twice!r}")
    return listed


def orders(
    given: Sequence[str] | Mapping[str, Sequence[str]] | None, models: Sequence[str]
) -> dict[str, list[str]]:
    """Fixed orders of models by name; the one without a name is that of the models, or given."""
    if isinstance(given, Mapping):
        return {"": list(models)} | {name: _order(each, models) for name, each in given.items()}
    return {"": list(models) if given is None else _order(given, models)}


def _order(given: Sequence[str], models: Sequence[str]) -> list[str]:
    listed = names(given, "an order of models")
    for name in listed:
        if name not in models:
            raise TenancyError(f"unknown model {name!r} in the order{nearest(name, models)}")
    return listed


def fractions(given: Sequence[float]) -> tuple[float, ...]:
    """Ascending fractions above 0 and below 1."""
    try:
        found = tuple(float(fraction) for fraction in given)
    except (TypeError, ValueError):
        found = (math.nan,)
    if list(found) != sorted({f for f in found if 0 < f < 1}):
        raise TenancyError(
            f"fractions are {given!r}; expected ascending ones above 0 and below 1, without 1"
        )
    return found
