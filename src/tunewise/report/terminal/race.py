"""A race of strategies, for terminals."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tunewise.benchmark.contest import Contest
from tunewise.benchmark.measures.cno import CNO_LEVELS, PERCENTILES, cno_scores, yardstick
from tunewise.benchmark.measures.score import LEVELS, Score, scores
from tunewise.benchmark.race import Run
from tunewise.format import MISSING, amount, duration, money, number, percent, share_of_data
from tunewise.report.race.measures import span
from tunewise.report.race.reliability import ABOUT
from tunewise.report.terminal.lines import listed
from tunewise.report.terminal.reliability import reliability_table

if TYPE_CHECKING:
    from rich.console import RenderableType

_HEADS = (
    *("final", "strict", "worst", "at 99 %", "feasible", "per ask"),
    *("reaches", "for USD", "95 % interval", "in"),
)


def shown(contest: Contest, runs: list[Run]) -> "Iterator[RenderableType]":
    """For each strategy a line, and one for each level that it reached; CNO; reliability."""
    scored = scores(runs)
    yield _question(contest, scored)
    lines = (line for score in scored for line in _lines(score))
    yield listed(("strategy", *_HEADS), lines, ("strategy",))
    yield from _cno(contest, runs)
    yield from reliability_table(ABOUT, {score.strategy: score.reliability for score in scored})


def _lines(score: Score) -> list[list[str]]:
    whole = [
        score.strategy,
        f"{score.final:.3f}",
        f"{score.strict:.3f}",
        f"{score.worst:.3f}",
        f"{score.ended_at[0.99]} of {score.seeds}",
        percent(score.feasible),
        duration(score.seconds_per_ask),
    ]
    lines: list[list[str]] = []
    for level in LEVELS:
        cost, time = score.cost_to[level], score.time_to[level]
        reached = [MISSING if cost is None else amount(cost)]
        reached.append(span(score.cost_interval[level], amount))
        reached.append(MISSING if time is None else duration(time))
        lines.append([*(whole if not lines else [""] * len(whole)), f"{level:.0%}", *reached])
    return lines


def _cno(contest: Contest, runs: list[Run]) -> "Iterator[RenderableType]":
    """A line for each strategy with its CNO, where that makes sense."""
    optimum = yardstick(contest)
    if optimum is None:
        return
    yield (
        f"\nCNO: {contest.problem.objective} of the best measured trial within the limits, over"
        " the optimum's; 50 and 90 % of the seeds are there or below"
    )
    whole = ["final", *(f"USD to {level:g}" for level in CNO_LEVELS)]
    heads = (f"{head}, {p} %" for head in whole for p in PERCENTILES)
    lines = []
    for score in cno_scores(runs, optimum):
        reached = [score.cost_to[level][p] for level in CNO_LEVELS for p in PERCENTILES]
        final = [number(score.final[p], 3) for p in PERCENTILES]
        spent = [MISSING if cost is None else amount(cost) for cost in reached]
        lines.append([score.strategy, *final, *spent])
    yield listed(("strategy", *heads), lines, ("strategy",))


def _question(contest: Contest, listed: list[Score]) -> str:
    problem, table = contest.problem, contest.table
    best = table.best(problem)
    assert best is not None
    part = "" if best.fraction == 1 else f" on {share_of_data(best.fraction)} of the data"
    budget = "" if problem.budget is None else f" or {money(problem.budget)}"
    return (
        f"{table.path.name}: {problem.goal}; {len(table.configs)} configs,"
        f" the best within the limits has {number(best.objective, 5)}{part};"
        f" {listed[0].seeds} seeds, {contest.trials} trials{budget}"
    )
