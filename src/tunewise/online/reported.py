"""What a training reports: numbers of any library, of which some may not be finite.

Single losses that are not finite are passed over, many in a row are an error.
"""

import logging
import math
from typing import Any

from tunewise.errors import MeasurementError
from tunewise.online.reconfigurable import Iteration
from tunewise.online.until import Until

_MOST = 20
"""Losses in a row that are not finite, from which on the training is taken to have broken down: a
loss scale that is too large is halved a few times before it fits."""


class Gaps:
    """Passes over single losses that are not finite, and books what they took with the next."""

    def __init__(self, until: Until) -> None:
        """Where only speed counts, losses are of no concern."""
        self._until = until
        self._waiting: list[Iteration] = []

    def filled(self, iteration: Iteration, number: int) -> Iteration | None:
        """The iteration with what was passed over before it; None where it is passed over too.

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
        at = number + len(self._waiting)
        if len(self._waiting) >= _MOST:
            raise MeasurementError(
                f"the loss is {iteration.loss!r} at iteration {at}, and was not finite in the"
                f" {_MOST - 1} before it; expected finite numbers"
            )
        if len(self._waiting) == 1:
            logging.getLogger("tunewise").warning(
                "the loss is %r at iteration %d: it is passed over", iteration.loss, at
            )
        return None


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
