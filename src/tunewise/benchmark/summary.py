"""A race as plain data, for machines."""

from dataclasses import asdict
from typing import Any

from tunewise.benchmark.cno import EFFORTS, cno_curves, cno_scores, yardstick
from tunewise.benchmark.contest import Contest
from tunewise.benchmark.race import Run
from tunewise.benchmark.score import means, scores


def described(contest: Contest, runs: list[Run]) -> list[dict[str, Any]]:
    """For machines: each score, with the mean curve against cost and against time.

    Where something is minimised its CNO too, with the curves as [spent, 50 %, 90 %].
    """
    by_cost, by_time, cno = means(runs, "cost"), means(runs, "time"), _described_cno(contest, runs)
    return [
        asdict(s)
        | {"curve": {"cost": by_cost[s.strategy], "time": by_time[s.strategy]}}
        | cno.get(s.strategy, {})
        for s in scores(runs)
    ]


def _described_cno(contest: Contest, runs: list[Run]) -> dict[str, dict[str, Any]]:
    """By strategy; empty where CNO makes no sense."""
    optimum = yardstick(contest)
    if optimum is None:
        return {}
    told: dict[str, dict[str, Any]] = {
        s.strategy: {"cno": asdict(s) | {"curve": {}}} for s in cno_scores(runs, optimum)
    }
    for effort in EFFORTS:
        for curve in cno_curves(runs, optimum, effort):
            rows = zip(curve.spent, *curve.at.values(), strict=True)
            told[curve.strategy]["cno"]["curve"][effort] = [list(row) for row in rows]
    return told
