"""A race as plain data, for machines."""

from dataclasses import asdict
from typing import Any, get_args

from tunewise.benchmark.contest import Contest
from tunewise.benchmark.measures.cno import EFFORTS, cno_curves, cno_scores, yardstick
from tunewise.benchmark.measures.pace import Spending
from tunewise.benchmark.measures.score import by_strategy, means, per_step, scores
from tunewise.benchmark.race import Run


def described(contest: Contest, runs: list[Run]) -> list[dict[str, Any]]:
    """For machines: each score, with the mean curve against all that was spent.

    Its steps are triples of a trial's number, mean fraction and mean cost.

    Where something is minimised its CNO too, with the curves as [spent, 50 %, 90 %].
    """
    curves = {kind: means(runs, kind) for kind in get_args(Spending)}
    cno, groups = _described_cno(contest, runs), by_strategy(runs)
    return [
        asdict(s)
        | {"curve": {kind: curve[s.strategy] for kind, curve in curves.items()}}
        | {"steps": per_step(group)}
        | cno.get(s.strategy, {})
        for s, group in zip(scores(runs), groups, strict=True)
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
