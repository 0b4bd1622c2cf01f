"""Options of strategies, checked: a wrong one is refused with a sentence that names it."""

from collections.abc import Iterable
from numbers import Real
from typing import Any

from tunewise.acquisition.lookahead import Lookahead
from tunewise.errors import StrategyError, nearest
from tunewise.strategy.pruner import GRACE

ROOTS = (1, 32)
"""How many Gauss-Hermite roots make sense."""

HORIZONS = (0, 3)
"""How far it makes sense to look ahead: each step takes roots times as long as the one before."""


def check_choice(name: str, given: Any, valid: Iterable[str]) -> None:
    """Refuse what is not one of the valid words."""
    words = list(valid)
    if given not in words:
        raise StrategyError(f"unknown {name} {given!r}{nearest(str(given), words)}")


def check_whole(name: str, given: Any, least: int = 1, most: int | None = None) -> None:
    """Refuse what is not a whole number within the bounds."""
    if (
        isinstance(given, bool)
        or not isinstance(given, int)
        or given < least
        or (most is not None and given > most)
    ):
        span = f"{least} or more" if most is None else f"from {least} to {most}"
        raise StrategyError(f"{name} is {given!r}; expected a whole number {span}")


def check_number(name: str, given: Any, least: float = 0.0) -> None:
    """Refuse what is not a finite number at or above the least."""
    if not _is_number(given) or not least <= given < float("inf"):
        raise StrategyError(f"{name} is {given!r}; expected a finite number, {least:g} or more")


def check_positive(name: str, given: Any) -> None:
    """Refuse what is not a number above 0; infinity is one."""
    if not _is_number(given) or not given > 0:
        raise StrategyError(f"{name} is {given!r}; expected a number above 0, or None")


def check_share(name: str, given: Any, whole: bool = False) -> None:
    """Refuse what is not a number between 0 and 1; 1 itself is one if it may be the whole."""
    if not _is_number(given) or not 0 < given <= 1 or (given == 1 and not whole):
        span = "above 0 and at most 1" if whole else "between 0 and 1"
        raise StrategyError(f"{name} is {given!r}; expected a number {span}")


def check_part(name: str, given: Any) -> None:
    """Refuse what is not a number from 0 to 1."""
    check_number(name, given)
    if given > 1:
        raise StrategyError(f"{name} is {given!r}; expected a share, from 0 to 1")


def check_flag(name: str, given: Any) -> bool:
    """Refuse what is neither true nor false."""
    if not isinstance(given, bool):
        raise StrategyError(f"{name} is {given!r}; expected True or False")
    return given


def grace(given: float | bool | None) -> float | None:
    """How many times as long as one that could win a trial may run; None lets all run on."""
    if given is None or given is False:
        return None
    if given is True:
        return GRACE
    if not _is_number(given) or not 1.0 <= given < float("inf"):
        raise StrategyError(
            f"stop_hopeless is {given!r}; expected True, False, or how many times as long as one"
            " that could win a trial may run: a finite number, 1 or more"
        )
    return float(given)


def check_lookahead(ahead: Lookahead) -> None:
    """Refuse paths that cannot be followed, or not in time."""
    check_whole("horizon", ahead.horizon, *HORIZONS)
    check_whole("roots", ahead.roots, *ROOTS)
    check_whole("accuracy_roots", ahead.accuracy_roots, *ROOTS)
    check_share("discount", ahead.discount, whole=True)


def _is_number(given: Any) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool)


def refuse_given(name: str, given: Any, where: str) -> None:
    """Refuse an option that says nothing there."""
    if given is not None:
        raise StrategyError(f"{name} is {given!r}; expected nothing {where}")
