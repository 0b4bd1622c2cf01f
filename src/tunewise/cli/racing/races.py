"""The work behind `tunewise replay`."""

from pathlib import Path
from typing import Any

import typer

from tunewise.benchmark.contest import Contest
from tunewise.benchmark.entrants import check
from tunewise.benchmark.measures.cno import CNO_LEVELS, PERCENTILES, cno_scores, yardstick
from tunewise.benchmark.measures.score import LEVELS, Score, scores
from tunewise.benchmark.race import Run, race
from tunewise.cli.options import console, print_json
from tunewise.cli.racing.bar import bar
from tunewise.cli.racing.reliability import print_reliability
from tunewise.errors import ExecutionError
from tunewise.format import MISSING, amount, duration, money, number, percent, share_of_data
from tunewise.report.race.measures import span
from tunewise.report.race.reliability import ABOUT
from tunewise.strategy import StrategySpec


def contest(table: Path | None, columns: tuple[str | None, ...], **wanted: Any) -> Contest:
    """What is wanted over a table that must have been named."""
    from tunewise.benchmark.columns import Columns, read
    from tunewise.benchmark.contest import contest as over

    if table is None:
        raise ExecutionError("nothing to replay; expected --table or --tenants")
    return over(read(table, Columns(*columns)), **wanted)


def run(
    contest: Contest, strategies: list[StrategySpec], seeds: int, jobs: int, *, quiet: bool
) -> list[Run]:
    """Race, with a bar for whoever looks."""
    if contest.table.best(contest.problem) is None:
        where = "the full data" if contest.problem.deploy == "full" else "any fraction"
        raise ExecutionError(f"no config of {contest.table.path.name} keeps the limits at {where}")
    check(strategies, contest.problem)
    with bar(len(strategies) * seeds, quiet=quiet) as advance:
        return race(contest, strategies, range(seeds), jobs, ran=lambda run: advance())


def refuse_unplaced(report: Path | None) -> None:
    """Refuse a report whose folder is not there, before the race."""
    from tunewise.cli.report import refuse_unwritable

    if report is not None:
        refuse_unwritable(report, make=False)


def tell(
    contest: Contest,
    strategies: list[StrategySpec],
    runs: list[Run],
    report: Path | None,
    *,
    self_contained: bool,
    json: bool,
) -> None:
    """Write the report where one is wanted, and tell people or machines how the race went."""
    from tunewise.benchmark.measures.summary import described
    from tunewise.cli.report import library
    from tunewise.report.file import save
    from tunewise.report.race.page import render

    if report is not None:
        script = library(report, self_contained)
        save(report, render(contest, strategies, runs, script))
    if json:
        print_json(described(contest, runs))
        return
    print_scores(contest, runs)
    print_cno(contest, runs)
    print_reliability(ABOUT, {score.strategy: score.reliability for score in scores(runs)})
    if report is not None:
        typer.echo(f"the report is in {report}")


_HEADS = (
    *("final", "strict", "worst", "at 99 %", "feasible", "per ask"),
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
        for line in _lines(score):
            table.add_row(*line)
    out.print(table)


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
    budget = "" if problem.budget is None else f" or {money(problem.budget)}"
    return (
        f"{table.path.name}: {problem.goal}; {len(table.configs)} configs,"
        f" the best within the limits has {number(best.objective, 5)}{part};"
        f" {listed[0].seeds} seeds, {contest.trials} trials{budget}"
    )
