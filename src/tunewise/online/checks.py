"""What a tuner is told before it begins: refused in a sentence where it cannot be."""

import math
from collections.abc import Callable
from typing import Any

from tunewise.errors import ProblemError, SpaceError, TunewiseError
from tunewise.problem import quantity
from tunewise.space import Config, Space

_MOST = 512
"""Settings whose prices are looked at before the training begins; of others, when they are met."""


def checked_space(space: Any) -> Space:
    """The space, if it is one."""
    if not isinstance(space, Space):
        raise SpaceError(
            f"space is {space!r}; expected a tw.Space, such as"
            " tw.Space(tw.Ordinal('loader_workers', [0, 1, 2]))"
        )
    return space


def checked_seed(seed: Any) -> int:
    """The seed, if it is a whole number."""
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or int(seed) < 0:
        raise ProblemError(f"seed is {seed!r}; expected a whole number, 0 or above")
    return int(seed)


def checked_deadline(deadline: Any, price: Any) -> float | None:
    """Seconds, from a number or a text such as "2 h"."""
    if deadline is None:
        return None
    expected = "expected seconds above 0, or a text such as '2 h'"
    if isinstance(deadline, bool):
        raise ProblemError(f"deadline is {deadline!r}; {expected}")
    try:
        seconds = quantity(deadline, "time")
    except TunewiseError as error:
        raise ProblemError(f"deadline is {deadline!r}: {error}") from error
    if not (math.isfinite(seconds) and seconds > 0):
        raise ProblemError(f"deadline is {deadline!r}; {expected}")
    if price is None:
        raise ProblemError(
            f"deadline is {deadline!r}, but there is no price: without one the training is made as"
            " fast as it can be anyway; expected price=, or no deadline"
        )
    return seconds


def checked_price(price: Any, space: Space, first: Config) -> Callable[[Config], float] | None:
    """The price, which refuses to be anything but USD above 0 for any setting."""
    if price is None:
        return None
    if not callable(price):
        raise ProblemError(
            f"price is {price!r}; expected a function of a setting, such as"
            " price=lambda setting: 0.10 * setting['workers']"
        )

    def priced(setting: Config) -> float:
        told = price(setting)
        try:
            usd = math.nan if isinstance(told, bool | str) else float(told)
        except (TypeError, ValueError):
            usd = math.nan
        if not (math.isfinite(usd) and usd > 0):
            raise ProblemError(
                f"the price of {dict(setting)} is {told!r}; expected USD per hour, above 0"
            )
        return usd

    for setting in space.configs if space.size is not None and space.size <= _MOST else [first]:
        priced(setting)
    return priced
