"""The work behind `tunewise replay --tenants`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tunewise.cli.options import console, print_json
from tunewise.cli.racing.bar import bar
from tunewise.errors import TenancyError

if TYPE_CHECKING:
    from tunewise.benchmark.tenants.measures import TenantScore
    from tunewise.benchmark.tenants.race import Protocol
    from tunewise.benchmark.tenants.table import TenantTable
    from tunewise.tenancy import RuleSpec


@dataclass(frozen=True)
class Shared:
    """The tables, and how the race is run."""

    accuracy: Path
    seconds: Path | None
    curves: Path | None
    orders: Path | None
    users: int
    repeats: int
    seed: int
    logs: float
    until: float
    devices: int


def replay(
    shared: Shared,
    rules: str,
    unknown_costs: bool,
    page: tuple[Path | None, bool],
    *,
    json: bool,
) -> None:
    """Race the rules, write the page (its file, and whether it needs no other), and tell."""
    report, self_contained = page
    from tunewise.benchmark.tenants.measures import scores
    from tunewise.benchmark.tenants.race import Protocol, race
    from tunewise.benchmark.tenants.reading import read
    from tunewise.benchmark.tenants.studies import effort, studies
    from tunewise.cli.report import library
    from tunewise.report.file import save
    from tunewise.report.tenants import render

    named = entrants(rules)
    table = read(shared.accuracy, shared.seconds, shared.curves, shared.orders, seed=shared.seed)
    plan = Protocol(
        users=shared.users,
        repeats=shared.repeats,
        seed=shared.seed,
        logs=shared.logs,
        limit=shared.until,
        devices=shared.devices,
        costs="learned" if unknown_costs else "known",
        looks=shared.curves is not None,
    )
    with bar(len(named) * plan.repeats, quiet=json) as ran:
        runs = race(table, named, plan, ran)
    found = scores(runs)
    if report is not None:
        with bar(effort(table, named, plan), quiet=json) as ran:
            drawn = studies(table, named, plan, ran)
        script = library(report, self_contained)
        save(report, render(table, plan, found, drawn, script))
    if json:
        print_json({rule: asdict(score) for rule, score in found.items()})
        return
    _print(table, plan, found)
    if report is not None:
        typer.echo(f"the report is in {report}")


def entrants(rules: str) -> "list[RuleSpec]":
    """The rules that a text names."""
    from tunewise.benchmark.naming import named
    from tunewise.tenancy import RuleSpec

    found = named(rules, "rule", "greedy(cost_aware=false)", TenancyError)
    return [RuleSpec(name, options) for name, options in found]


def _print(table: "TenantTable", plan: "Protocol", found: "Mapping[str, TenantScore]") -> None:
    from rich.table import Table as RichTable

    from tunewise.benchmark.tenants.measures import LEVELS

    out = console()
    out.print(
        f"{table.name}: {len(table)} users and {len(table.models)} models; {plan.users} test users,"
        f" {plan.repeats} repeats; % of the total run time until the average loss of accuracy"
        " stays at or below",
        soft_wrap=True,
    )
    listed = RichTable(box=None, pad_edge=False, header_style="bold")
    listed.add_column("rule")
    heads = [f"{level:g}" for level in LEVELS]
    for head in (*heads, "95 % of 0.02", "every user at 0.05", "models to 0.02", "per decision"):
        listed.add_column(head, justify="right", no_wrap=True)
    for rule, score in found.items():
        listed.add_row(
            rule,
            *(_percent(score.to_loss[head]) for head in heads),
            " to ".join(dict.fromkeys(_percent(end) for end in score.interval["0.02"])),
            _percent(score.worst_to_loss["0.05"]),
            _percent(score.runs_to_loss["0.02"]),
            f"{1e3 * score.seconds_per_decision:.2f} ms",
        )
    out.print(listed)


def _percent(share: float | None) -> str:
    return "never" if share is None else f"{100 * share:.3g}"
