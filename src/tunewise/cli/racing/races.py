"""The work behind `tunewise replay`: races with a bar, and what is told of them."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tunewise.benchmark.columns import Columns, read
from tunewise.benchmark.contest import contest
from tunewise.benchmark.entrants import check, entrants, rules_named
from tunewise.benchmark.measures.summary import described
from tunewise.benchmark.race import race
from tunewise.benchmark.tenants.measures import scores
from tunewise.benchmark.tenants.race import Protocol
from tunewise.benchmark.tenants.race import race as shared_race
from tunewise.benchmark.tenants.reading import read as tenant_table
from tunewise.benchmark.tenants.studies import effort, studies
from tunewise.cli.options import print_json, say
from tunewise.cli.racing.bar import bar
from tunewise.errors import ExecutionError
from tunewise.report import tenants
from tunewise.report.file import library, save
from tunewise.report.race import page
from tunewise.report.terminal import race as race_lines
from tunewise.report.terminal import tenants as tenant_lines

if TYPE_CHECKING:
    from rich.console import RenderableType

Report = tuple[Path | None, bool]
"""The file of a report, where one is wanted, and whether it needs no other."""


def strategies(
    table: Path | None,
    columns: tuple[str | None, ...],
    named: str,
    seeds: int,
    jobs: int,
    report: Report,
    *,
    json: bool,
    **wanted: Any,
) -> None:
    """Race strategies over a table that must have been named."""
    if table is None:
        raise ExecutionError("nothing to replay; expected --table or --tenants")
    over = contest(read(table, Columns(*columns)), **wanted)
    specs = entrants(named)
    check(specs, over.problem)
    with bar(len(specs) * seeds, quiet=json) as ran:
        runs = race(over, specs, range(seeds), jobs, ran=lambda run: ran())
    path, whole = report
    if path is not None:
        script = library(path, whole)
        save(path, page.render(over, specs, runs, script))
    if json:
        print_json(described(over, runs))
    else:
        _tell(race_lines.shown(over, runs), path)


def rules(
    tables: tuple[Path, Path | None, Path | None, Path | None],
    named: str,
    plan: Protocol,
    report: Report,
    *,
    json: bool,
) -> None:
    """Race rules over tables of users and models: accuracy, seconds, curves and orders."""
    specs, table = rules_named(named), tenant_table(*tables, seed=plan.seed)
    with bar(len(specs) * plan.repeats, quiet=json) as ran:
        found = scores(shared_race(table, specs, plan, ran))
    path, whole = report
    if path is not None:
        with bar(effort(table, specs, plan), quiet=json) as ran:
            drawn = studies(table, specs, plan, ran)
        script = library(path, whole)
        save(path, tenants.render(table, plan, found, drawn, script))
    if json:
        print_json({rule: asdict(score) for rule, score in found.items()})
    else:
        _tell(tenant_lines.shown(table, plan, found), path)


def _tell(parts: "Iterable[RenderableType]", path: Path | None) -> None:
    say(*parts)
    if path is not None:
        typer.echo(f"the report is in {path}")
