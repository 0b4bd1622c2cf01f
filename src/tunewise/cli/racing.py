"""The work behind `tunewise replay`."""

import csv
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tunewise.cli import entrants
from tunewise.cli.options import console
from tunewise.errors import ExecutionError
from tunewise.execution import Table
from tunewise.execution.race import Contest, Run, race
from tunewise.problem import KNOWN, Problem
from tunewise.report.cno import (
    CNO_LEVELS,
    EFFORTS,
    PERCENTILES,
    cno_curves,
    cno_scores,
    yardstick,
)
from tunewise.report.format import MISSING, amount, duration, money, number, percent, share_of_data
from tunewise.report.measures import span
from tunewise.report.race import LEVELS, Score, means, scores
from tunewise.strategy import StrategySpec


@dataclass(frozen=True)
class Columns:
    """Which columns of a table mean what; None is found out."""

    config: str | None = None
    fraction: str | None = None
    metrics: str | None = None
    completed: str | None = None


def read(path: Path, given: Columns) -> Table:
    """The table, its columns told apart by their names where nobody said."""
    header = _header(path)
    metrics = _split(given.metrics) or [name for name in header if name in KNOWN]
    if not metrics:
        raise ExecutionError(
            f"{path.name} has none of the columns {', '.join(KNOWN)};"
            " name its metrics with --metrics"
        )
    deviations = {m: f"{m}_std" for m in metrics if f"{m}_std" in header}
    fraction = given.fraction or ("fraction" if "fraction" in header else None)
    completed = given.completed or ("completed" if "completed" in header else None)
    taken = {*metrics, *deviations.values(), fraction, completed}
    config = _split(given.config) or [name for name in header if name not in taken]
    if not config:
        raise ExecutionError(f"{path.name} has no columns left for configs: {', '.join(header)}")
    return Table(path, config, fraction, metrics, completed, deviations)


def contest(
    table: Table,
    *,
    maximize: str | None,
    minimize: str | None,
    subject_to: list[str],
    trials: int,
    budget: str | None,
    parallel: int,
    deploy: str = "full",
    full_data: bool = False,
) -> Contest:
    """What is wanted over the table: by default the most accuracy, or else the least cost."""
    if maximize is None and minimize is None:
        known = table.rows[0].metrics
        maximize, minimize = ("accuracy", None) if "accuracy" in known else (None, "cost")
    own = [m for m in table.rows[0].metrics if m not in KNOWN]
    problem = Problem(
        table.space,
        maximize=maximize,
        minimize=minimize,
        subject_to=subject_to,
        fractions=(1.0,) if full_data else table.fractions,
        deploy=deploy,  # type: ignore[arg-type]  # a problem checks it, with a sentence
        budget=budget,
        metrics=own,
    )
    table.values(problem.objective)
    for limit in problem.constraints:
        table.values(limit.metric)
    return Contest(table, problem, trials, parallel)


def run(
    contest: Contest, strategies: list[StrategySpec], seeds: int, jobs: int, *, quiet: bool
) -> list[Run]:
    """Race, with a bar for whoever looks."""
    from rich.console import Console
    from rich.progress import Progress

    if contest.table.best(contest.problem) is None:
        where = "the full data" if contest.problem.deploy == "full" else "any fraction"
        raise ExecutionError(f"no config of {contest.table.path.name} keeps the limits at {where}")
    entrants.check(strategies, contest.problem)
    screen = Console(stderr=True, quiet=quiet)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("racing", total=len(strategies) * seeds)
        return race(
            contest, strategies, range(seeds), jobs, ran=lambda run: bar.update(task, advance=1)
        )


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


def refuse_unplaced(report: Path | None) -> None:
    """Refuse a report whose folder is not there, before the race."""
    from tunewise.cli.report import refuse_unwritable

    if report is not None:
        refuse_unwritable(report, make=False)


def write_report(
    path: Path, contest: Contest, strategies: list[StrategySpec], runs: list[Run]
) -> None:
    """Write the report of a race, whole or not at all."""
    from tunewise.cli.report import put
    from tunewise.report.race_page import render

    put(path, render(contest, strategies, runs))


_HEADS = (
    *("final", "worst", "at 99 %", "feasible", "per ask"),
    *("reaches", "for USD", "95 % interval", "in"),
)


def print_scores(contest: Contest, runs: list[Run]) -> None:
    """For each strategy a line, and one for each level that it reached."""
    from rich.table import Table as RichTable

    out, listed = console(), scores(runs)
    out.print(_question(contest, listed), soft_wrap=True)
    table = RichTable(box=None, pad_edge=False, header_style="bold")
    table.add_column("strategy")
    for name in _HEADS:
        table.add_column(name, justify="right", no_wrap=True)
    for score in listed:
        for cells in _lines(score):
            table.add_row(*cells)
    out.print(table)


def _lines(score: Score) -> list[list[str]]:
    whole = [
        score.strategy,
        f"{score.final:.3f}",
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


def print_cno(contest: Contest, runs: list[Run]) -> None:
    """A line for each strategy with its CNO, where that makes sense."""
    from rich.table import Table as RichTable

    optimum = yardstick(contest)
    if optimum is None:
        return
    out, objective = console(), contest.problem.objective
    out.print(
        f"\nCNO: {objective} of the best measured trial within the limits, over the optimum's;"
        " 50 and 90 % of the seeds are there or below",
        soft_wrap=True,
    )
    table = RichTable(box=None, pad_edge=False, header_style="bold")
    table.add_column("strategy")
    heads = ["final", *(f"USD to {level:g}" for level in CNO_LEVELS)]
    for head in (f"{head}, {p} %" for head in heads for p in PERCENTILES):
        table.add_column(head, justify="right", no_wrap=True)
    for score in cno_scores(runs, optimum):
        reached = [score.cost_to[level][p] for level in CNO_LEVELS for p in PERCENTILES]
        final = [number(score.final[p], 3) for p in PERCENTILES]
        spent = [MISSING if cost is None else amount(cost) for cost in reached]
        table.add_row(score.strategy, *final, *spent)
    out.print(table)


def _question(contest: Contest, listed: list[Score]) -> str:
    problem, table = contest.problem, contest.table
    best = table.best(problem)
    assert best is not None
    part = "" if best.fraction == 1 else f" on {share_of_data(best.fraction)} of the data"
    verb = "maximise" if problem.maximize else "minimise"
    limits = "".join(f", {limit}" for limit in problem.constraints)
    budget = "" if problem.budget is None else f" or {money(problem.budget)}"
    return (
        f"{table.path.name}: {verb} {problem.objective}{limits}; {len(table.configs)} configs,"
        f" the best within the limits has {number(best.objective, 5)}{part};"
        f" {listed[0].seeds} seeds, {contest.trials} trials{budget}"
    )


def _header(path: Path) -> list[str]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return [name.strip() for name in next(csv.reader(file), [])]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ExecutionError(f"the table {str(path)!r} cannot be read: {why}") from error


def _split(names: str | None) -> list[str]:
    return [name.strip() for name in (names or "").split(",") if name.strip()]
