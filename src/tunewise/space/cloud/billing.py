"""How an hourly price and a running time make a bill."""

import math
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from tunewise.errors import SpaceError
from tunewise.space.parameter import Array

HOUR = 3600.0


@dataclass(frozen=True)
class Billing:
    """Billing by time, in whole ticks and with a minimum charge.

    Attributes:
        tick: Seconds that are billed as a whole once begun; 0 bills the exact time.
        minimum: Seconds that are billed at least, once anything ran.
    """

    tick: float = 0.0
    minimum: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is not a number of seconds."""
        for name in ("tick", "minimum"):
            seconds = getattr(self, name)
            if isinstance(seconds, bool) or not isinstance(seconds, int | float):
                raise SpaceError(f"{name} is {seconds!r}: expected a number of seconds, such as 60")
            if not (math.isfinite(seconds) and seconds >= 0):
                raise SpaceError(f"{name} is {seconds!r}: expected 0 or more seconds")

    @overload
    def charge(self, hourly: float, seconds: float) -> float: ...
    @overload
    def charge(self, hourly: Array | float, seconds: Array | float) -> Any: ...
    def charge(self, hourly: Any, seconds: Any) -> Any:
        """USD for running so long at an hourly price; both may be arrays."""
        charged = np.asarray(hourly, float) / HOUR * self.billed(seconds)
        return float(charged) if charged.ndim == 0 else charged

    def billed(self, seconds: Array | float) -> Array:
        """Seconds on the bill for seconds of running; nothing for what never ran."""
        ran = np.asarray(seconds, float)
        # 1.1 / 0.1 is a hair above 11: rounding noise must not begin another tick.
        whole = np.ceil(ran / self.tick - 1e-9) * self.tick if self.tick else ran
        return np.where(ran > 0, np.maximum(np.maximum(whole, ran), self.minimum), 0.0)

    @property
    def least(self) -> float:
        """Seconds on the bill of whatever ran at all; 0 where the exact time is billed."""
        return max(self.tick, self.minimum)

    def seconds_for(self, hourly: float, usd: float) -> float:
        """How long money lasts: the longest time whose charge is not above `usd`."""
        if hourly <= 0:
            return math.inf
        seconds = max(usd, 0.0) / hourly * HOUR
        if self.tick:
            seconds = math.floor(seconds / self.tick + 1e-9) * self.tick
        while seconds > 0 and self.charge(hourly, seconds) > usd:
            seconds = self._shorter(seconds)
        return max(seconds, 0.0)

    def _shorter(self, seconds: float) -> float:
        if seconds <= self.minimum:
            return 0.0
        return seconds - self.tick if self.tick else math.nextafter(seconds, 0.0)
