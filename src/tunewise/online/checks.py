"""What a tuner is told before it begins: refused in a sentence where it cannot be."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from tunewise.errors import ProblemError, SpaceError, StudyError, TunewiseError
from tunewise.problem import options, quantity
from tunewise.space import Config, Space

MOST = 512
"""Settings of a space up to which all are looked at; of larger ones, as many as a sample."""


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
    options.whole(0).check("seed", seed, ProblemError)
    return int(seed)


def share(tries: Any) -> float:
    """The share of a training that tries may cost, if it can be one."""
    expected = (
        "the share of the training that tries of settings may cost, from 0 to 1, such as 0.05"
    )
    whole = options.share(none=True, whole=True)
    replace(whole, expected=expected).check("tries", tries, ProblemError)
    return float(tries)


def checked_deadline(deadline: Any) -> float | None:
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
            usd = math.nan if isinstance(told, bool | np.bool_ | str) else float(told)
        except (TypeError, ValueError, OverflowError):
            usd = math.nan
        if not (math.isfinite(usd) and usd > 0):
            raise ProblemError(
                f"the price of {dict(setting)} is {told!r}; expected USD per hour, above 0"
            )
        return usd

    for setting in met_at_once(space, first):
        priced(setting)
    return priced


def check_others(name: Any, classify: Any, transfer: Any, clock: Any) -> None:
    """Refuse what is no name, no function of two settings, no switch or no clock."""
    if name is not None and not (isinstance(name, str) and (name.strip() or not name)):
        raise StudyError(f"name is {name!r}; expected a text, such as name='run-7'")
    if classify is not None and not callable(classify):
        raise ProblemError(
            f"classify is {classify!r}; expected a function of two settings that returns the kinds"
            " of change between them"
        )
    options.FLAG.check("transfer", transfer, ProblemError)
    if not callable(clock):
        raise ProblemError(
            f"clock is {clock!r}; expected a function that returns seconds, such as"
            " time.perf_counter"
        )


def checked_iterations(
    name: str, told: Any, space: Space, first: Config
) -> int | Callable[[Config], int]:
    """A number of iterations, or a function of a setting that refuses to return anything else."""
    if not callable(told):
        return _count(told, f"{name} is {told!r}", ", or a function of a setting that returns one")

    def counted(setting: Config) -> int:
        count = told(setting)
        return _count(count, f"{name} of {dict(setting)} is {count!r}")

    for setting in met_at_once(space, first):
        counted(setting)
    return counted


def _count(told: Any, said: str, or_else: str = "") -> int:
    """Iterations, of which there is at least one."""
    count = options.whole(1, of=" of iterations")
    replace(count, expected=count.expected + or_else).check("", told, ProblemError, said)
    return int(told)


def small(space: Space) -> bool:
    """Whether all of its settings are looked at, the first time before the training begins."""
    return space.size is not None and space.size <= MOST


def met_at_once(space: Space, first: Config) -> Iterable[Config]:
    """Every setting of a small space, the first one of others."""
    return space.configs if small(space) else [first]


def first_of(space: Space) -> Config:
    """The setting to begin with where none is named."""
    if space.size is not None:
        return space.at(np.array([0]))[0]
    return space.latin(1, np.random.default_rng(0))[0]
