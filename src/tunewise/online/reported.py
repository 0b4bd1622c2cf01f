"""What a training reports: numbers of any library, of which some may not be finite.

Single losses that are not finite are passed over, many in a row are an error.
"""

import logging
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tunewise.errors import MeasurementError
from tunewise.execution.training.reconfigurable import Iteration
from tunewise.online.until import MANY, Until


class Gaps:
    """Passes over single losses that are not finite, and books what they took with the next."""

    def __init__(self, until: Until) -> None:
        """Where only speed counts, losses are of no concern."""
        self._until = until
        self._waiting: list[Iteration] = []
        self._passed = 0

    def filled(self, iteration: Iteration, number: int) -> Iteration | None:
        """The iteration with what was passed over before it; None where it is passed over too.

        `number` are those that were returned before.

        Raises:
            MeasurementError: Too many losses in a row are not finite.
        """
        finite = math.isfinite(iteration.loss)
        if finite and not self._waiting:
            return iteration
        if self._until.only_speed:
            return Iteration(math.nan, iteration.seconds, iteration.samples)
        if finite:
            parts, self._waiting = [*self._waiting, iteration], []
            seconds = sum(each.seconds for each in parts)
            return Iteration(iteration.loss, seconds, sum(each.samples for each in parts))
        self._waiting.append(iteration)
        self._passed += 1
        at = number + self._passed
        if len(self._waiting) >= MANY:
            raise MeasurementError(
                f"the loss is {iteration.loss!r} at iteration {at}, and was not finite in the"
                f" {MANY - 1} before it; expected finite numbers"
            )
        if len(self._waiting) == 1:
            logging.getLogger("tunewise").warning(
                "the loss is %r at iteration %d: it is passed over", iteration.loss, at
            )
        return None

    def lose(self) -> None:
        """What was passed over is to be done again: it took its time, but counts for nothing."""
        self._waiting = [replace(each, samples=0.0) for each in self._waiting]


def amount(name: str, value: Any) -> float:
    """The number that a value is, if it can be one of seconds or samples.

    >>> amount("samples", 64)
    64.0
    """
    number = scalar(name, value)
    if not math.isfinite(number) or number < 0:
        raise MeasurementError(f"{name} is {value!r}; expected a finite number, not below 0")
    return number


def names(name: str, value: Any) -> frozenset[str]:
    """The names that a set holds.

    >>> sorted(names("kinds", ["workers", "batch"]))
    ['batch', 'workers']
    """
    told = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [None]
    found = frozenset(each for each in told if isinstance(each, str))
    if not all(isinstance(each, str) for each in told):
        raise MeasurementError(f"{name} is {value!r}; expected a set of names, such as {{'batch'}}")
    return found


def held(kept: Any, count: int) -> int | None:
    """How many of so many iterations a checkpoint holds; None where there is none."""
    if kept is None or type(kept) is int and 0 <= kept <= count:
        return kept
    raise MeasurementError(f"kept is {kept!r}; expected None, or a whole number from 0 to {count}")


def scalar(name: str, value: Any) -> float:
    """The number that a value is; no library that it may come from is imported.

    >>> scalar("loss", 1)
    1.0
    """
    if type(value) is float:
        return value
    if isinstance(value, bool | str | bytes | bytearray) or getattr(value, "shape", ()) != ():
        raise _no_number(name, value)
    try:
        # A tensor that gradients flow through warns when it is converted, not when it is asked.
        plain = value.item() if hasattr(value, "item") else value
        if isinstance(plain, bool):
            raise _no_number(name, value)
        return float(plain)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise _no_number(name, value) from error


def _no_number(name: str, value: Any) -> MeasurementError:
    return MeasurementError(f"{name} is {value!r}; expected a number")
