"""Round values of a metric, from below its smallest to above its largest, as people set limits."""

import math
from collections.abc import Sequence

from tunewise.problem import Metric
from tunewise.report.layout.theme import spreads

_MOST = 30
_FEWEST = 8
_STEPS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
_MINUTES = (*_STEPS, 10.0, 12.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0)
_HOURS = (*_STEPS, 10.0, 12.0, 16.0, 20.0)
_TIMES = (
    *(float(s) for s in _MINUTES),
    *(60.0 * m for m in _MINUTES),
    *(3600.0 * h for h in _HOURS),
    *(86400.0 * d for d in _MINUTES),
)
# Nearer to 1 each per cent is harder to get, so limits lie closer.
_SHARES = (
    *(p / 100 for p in (0, 5, 10, 20, 30, 40, 50, 60, 65, 70, 75, 80, 82, 84, 85, 86, 88)),
    *(p / 100 for p in range(90, 100)),
    *(0.995, 0.999, 1.0),
)


def round_limits(metric: Metric, values: Sequence[float]) -> tuple[float, ...]:
    """Ascending round values that enclose all of these, not more than about thirty.

    >>> round_limits(Metric("loss"), [0.12, 0.47])
    (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
    """
    low, high = min(values), max(values)
    for rungs in _round(metric, low, high):
        enclosed = _enclosing(rungs, low, high)
        if len(enclosed) >= _FEWEST:
            return _thinned(enclosed)
    return _even(low, high)


def _round(metric: Metric, low: float, high: float) -> list[Sequence[float]]:
    """The scales on which people think of a metric."""
    if metric.kind == "share":
        return [_SHARES]
    if not spreads([low, high]):
        return []
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    decades = [step * 10.0**power for power in powers for step in _STEPS]
    return [_TIMES, decades] if metric.unit == "s" and 1 <= low <= high <= _TIMES[-1] else [decades]


def _enclosing(rungs: Sequence[float], low: float, high: float) -> list[float]:
    below = max((r for r in rungs if r <= low), default=rungs[0])
    above = min((r for r in rungs if r >= high), default=rungs[-1])
    return [r for r in rungs if below <= r <= above]


def _thinned(rungs: list[float]) -> tuple[float, ...]:
    """So few that they can be read: every second or third, and both ends."""
    every = -(-len(rungs) // _MOST)
    kept = rungs[::every]
    return tuple(kept if kept[-1] == rungs[-1] else [*kept, rungs[-1]])


def _even(low: float, high: float) -> tuple[float, ...]:
    """Even steps of 1, 2 or 5 times a power of ten."""
    # Values that differ by less than their twelve digits tell would give one limit many times.
    wide = max(high - low, 1e-6 * max(abs(low), abs(high))) or 1.0
    power = 10.0 ** math.floor(math.log10(wide / _FEWEST))
    step = next(s * power for s in (10, 5, 2, 1) if wide / (s * power) >= _FEWEST - 1 or s == 1)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(float(f"{i * step:.12g}") for i in range(first, max(last, first + 1) + 1))
