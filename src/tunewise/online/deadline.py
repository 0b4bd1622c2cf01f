"""Tells of a deadline that cannot be kept any more, once."""

import logging

from tunewise.format import duration
from tunewise.surrogate import Normal

OVERHEAD = 0.004
"""The share of the time of a training that thinking may take, and as much again writing."""

SURE = 0.1
"""The share of what may be left below which it is taken to lie surely not."""


class Deadline:
    """By when a training must be done, and what was said about it."""

    def __init__(self, seconds: float | None) -> None:
        """None for no deadline."""
        self.seconds = seconds
        self._warned = False

    def look(self, now: float, left: Normal | None = None) -> None:
        """Warn where it is missed, or cannot be kept by what is left."""
        if self.seconds is None or self._warned:
            return
        least = 0.0 if left is None else max(float(left.quantile(SURE)), 0.0)
        if now + least <= self.seconds:
            return
        self._warned = True
        said = (
            missed(self.seconds)
            if now > self.seconds
            else (
                f"the deadline of {duration(self.seconds)} cannot be kept any more: after"
                f" {duration(now)}, at least {duration(least)} are left"
            )
        )
        logging.getLogger("tunewise").warning("%s", said)


def missed(deadline: float) -> str:
    """What to say of a deadline that is over."""
    return f"the deadline of {duration(deadline)} was missed"
