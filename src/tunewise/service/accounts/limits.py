"""How many requests a second: a bucket that fills with time and is emptied by requests."""

import time
from collections.abc import Callable
from math import ceil

from tunewise.service.problems import Problem

_MOST = 20_000
"""Buckets that are kept; full ones are dropped then, since a new one is full as well."""


class Buckets:
    """One bucket for each who asks, in this process."""

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """So many requests a second in the long run, and so many at once."""
        self._rate, self._burst, self._clock = rate, burst, clock
        self._levels: dict[str, tuple[float, float]] = {}

    def take(self, who: str, count: float = 1.0) -> None:
        """Take from a bucket; an empty one is a problem that says when to come again."""
        now = self._clock()
        level = min(self._level(who, now), self._burst)
        if level < count:
            wait = ceil((count - level) / self._rate)
            raise Problem(
                429, f"too many requests; come again in {wait} s", {"Retry-After": str(wait)}
            )
        if len(self._levels) >= _MOST:
            self._drop_full(now)
        self._levels[who] = level - count, now

    def _level(self, who: str, now: float) -> float:
        level, at = self._levels.get(who, (self._burst, now))
        return level + (now - at) * self._rate

    def _drop_full(self, now: float) -> None:
        full = [who for who in self._levels if self._level(who, now) >= self._burst]
        for who in full or list(self._levels):
            del self._levels[who]
