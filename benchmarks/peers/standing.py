"""How the peers stand against one strategy of the project: costs, ratios and their doubt."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tunewise.benchmark.measures.pace import Pace, spending
from tunewise.benchmark.measures.score import LEVELS, Score, score
from tunewise.benchmark.race import Run

RESAMPLES = 1000
HEAD = ("tool", "seeds", *(f"USD to {level:.0%}" for level in LEVELS))
MORE = (*(f"ratio at {level:.0%}" for level in LEVELS), "final", "worst", "feasible")


@dataclass(frozen=True)
class Ratio:
    """How many times the cost of another one was needed, with 95 % confidence.

    Attributes:
        times: The ratio; infinite where only the other one reached the level, None if that has not.
        low: Its lower end, by the bootstrap over the runs of both.
        high: Its upper end, which may be infinite.
    """

    times: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Standing:
    """One tool: its score, and by level the ratio of its cost to that of the reference."""

    score: Score
    ratios: dict[float, Ratio]

    def as_json(self) -> dict[str, Any]:
        """Plain data, in which null stands for never."""
        plain = asdict(self)
        plain["ratios"] = {
            level: {k: v if v is not None and np.isfinite(v) else None for k, v in r.items()}
            for level, r in plain["ratios"].items()
        }
        return plain


def standings(runs: Mapping[str, Sequence[Run]], reference: str) -> list[Standing]:
    """A standing for each tool with runs, against the reference."""
    return [
        Standing(score(own), {level: ratio(own, runs[reference], level) for level in LEVELS})
        for own in runs.values()
    ]


def ratio(own: Sequence[Run], other: Sequence[Run], level: float) -> Ratio:
    """What the mean curve of `own` needs to reach a level, as a multiple of what `other` needs."""
    paces = [Pace.of(runs, spending("cost")) for runs in (own, other)]
    mine, theirs = (_cost(pace, level) for pace in paces)
    if not np.isfinite(theirs):
        return Ratio(None, None, None)
    rng = np.random.default_rng(0)
    drawn = [[_cost(_resampled(pace, rng), level) for pace in paces] for _ in range(RESAMPLES)]
    # Where a resample of the other one never gets there, it is no better: the ratio is nothing.
    ratios = [a / b if np.isfinite(b) else 0.0 for a, b in drawn]
    low, high = np.quantile(ratios, [0.025, 0.975], method="inverted_cdf")
    return Ratio(mine / theirs, float(low), float(high))


def table(standings: Sequence[Standing]) -> str:
    """The standings as a Markdown table."""
    head = [*HEAD, *MORE, "seconds per ask"]
    rows = [_cells(standing) for standing in standings]
    lines = [f"| {' | '.join(cells)} |" for cells in [head, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def _cells(standing: Standing) -> list[str]:
    scored = standing.score
    costs = [
        f"{_usd(scored.cost_to[level])} ({_usd(low)}–{_usd(high)})"
        for level, (low, high) in scored.cost_interval.items()
    ]
    ends = [f"{scored.final:.3f}", f"{scored.worst:.3f}", f"{scored.feasible:.0%}"]
    times = [_times(standing.ratios[level]) for level in LEVELS]
    return [
        f"`{scored.strategy}`",
        str(scored.seeds),
        *costs,
        *times,
        *ends,
        f"{scored.seconds_per_ask:.3f}",
    ]


def _usd(cost: float | None) -> str:
    return "never" if cost is None else f"{cost:.2f}" if cost >= 0.1 else f"{cost:.3f}"


def _times(found: Ratio) -> str:
    if found.times is None or found.low is None or found.high is None:
        return "–"
    return f"{_multiple(found.times)} ({_multiple(found.low)}–{_multiple(found.high)})"


def _multiple(times: float) -> str:
    return f"{times:.1f}×" if np.isfinite(times) else "∞"


def _cost(pace: Pace, level: float) -> float:
    found = pace.reached(level)
    return np.inf if found is None else found


def _resampled(pace: Pace, rng: np.random.Generator) -> Pace:
    count = len(pace.shares)
    return Pace(pace.efforts, pace.shares[rng.integers(count, size=count)])
