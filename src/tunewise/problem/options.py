"""Options as data: what each may be, and the one check that refuses what it may not be.

An option is such as `whole(1, 32)`; a table of them by name says what a function takes.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from tunewise.errors import TunewiseError, nearest

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Option:
    """What an option may be.

    Attributes:
        expected: The same in words, which end a sentence.
        fits: Whether a value may be it.
        words: What it is chosen from, where it is one of a few words.
    """

    expected: str
    fits: Callable[[Any], bool]
    words: tuple[str, ...] = ()

    def or_none(self) -> "Option":
        """The same, or nothing at all."""
        words = f"{self.expected}, or None"
        return replace(self, expected=words, fits=lambda given: given is None or self.fits(given))

    def check(self, name: str, given: Any, error: type[TunewiseError], said: str = "") -> None:
        """Refuse a value that does not fit; `said` begins the sentence instead of the name."""
        if self.fits(given):
            return
        if self.words:
            raise error(f"unknown {name} {given!r}{nearest(str(given), list(self.words))}")
        raise error(f"{said or f'{name} is {given!r}'}; expected {self.expected}")


def whole(least: int = 1, most: int | None = None, of: str = "") -> Option:
    """A whole number within bounds."""
    span = f", {least} or above" if most is None else f" from {least} to {most}"

    def fits(given: Any) -> bool:
        if not isinstance(given, Integral) or isinstance(given, bool):
            return False
        return least <= int(given) <= (math.inf if most is None else most)

    return Option(f"a whole number{of}{span}", fits)


def number(*, least: float = -math.inf, above: float = -math.inf, endless: bool = False) -> Option:
    """A number within bounds, finite unless it may be endless."""
    span = f" above {above:g}" if math.isfinite(above) else ""
    span = f", {least:g} or above" if math.isfinite(least) else span

    def fits(given: Any) -> bool:
        told = _real(given)
        return least <= told and told > above and (endless or math.isfinite(told))

    return Option(f"a {'' if endless else 'finite '}number{span}", fits)


def _real(given: Any) -> float:
    """The number that a value is, NaN where it is none."""
    return float(given) if isinstance(given, Real) and not isinstance(given, bool) else math.nan


def share(*, none: bool = False, whole: bool = False) -> Option:
    """A number between 0 and 1; also 0 where it may be none, and 1 where it may be the whole."""
    expected = "a number above 0 and at most 1" if whole else "a number between 0 and 1"

    def fits(given: Any) -> bool:
        told = _real(given)
        return 0 < told < 1 or (none and told == 0) or (whole and told == 1)

    return Option("a share, from 0 to 1" if none and whole else expected, fits)


def choice(words: Iterable[str]) -> Option:
    """One of a few words."""
    known = tuple(words)
    return Option("one of " + ", ".join(known), lambda given: given in known, known)


FLAG = Option("True or False", lambda given: isinstance(given, bool) or _is_flag(given))


def _is_flag(given: Any) -> bool:
    """Whether it is a truth value of numpy's, which is no bool."""
    return type(given).__name__ in ("bool_", "bool") and type(given).__module__ == "numpy"


def checked(
    table: Mapping[str, Option], error: type[TunewiseError], **own: Option
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Check what a function is given by a table of options, and by those of its own."""
    known = {**table, **own}

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)

        @wraps(function)
        def called(*arguments: P.args, **options: P.kwargs) -> T:
            for name, given in signature.bind(*arguments, **options).arguments.items():
                if name in known:
                    known[name].check(name, given, error)
            return function(*arguments, **options)

        return called

    return decorated
