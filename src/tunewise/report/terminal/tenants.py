"""A race of rules that share devices among users, for terminals."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tunewise.benchmark.tenants.measures import LEVELS, TenantScore
from tunewise.benchmark.tenants.race import Protocol
from tunewise.benchmark.tenants.table import TenantTable
from tunewise.format import number
from tunewise.report.terminal.lines import listed

if TYPE_CHECKING:
    from rich.console import RenderableType

_LEVELS = tuple(f"{level:g}" for level in LEVELS)
_HEADS = ("95 % of 0.02", "every user at 0.05", "models to 0.02", "R_T", "R'_T", "per decision")


def shown(
    table: TenantTable, plan: Protocol, found: Mapping[str, TenantScore]
) -> "Iterator[RenderableType]":
    """A line for each rule."""
    yield (
        f"{table.name}: {len(table)} users and {len(table.models)} models; {plan.users} test users,"
        f" {plan.repeats} repeats; % of the total run time until the average loss of accuracy"
        " stays at or below"
    )
    until = _percent(min((score.regret["until"] for score in found.values()), default=0.0))
    lines = ([rule, *_cells(score)] for rule, score in found.items())
    yield listed(("rule", *_LEVELS, *_HEADS), lines, ("rule",))
    yield (
        f"R_T and R'_T are the cumulative regrets until {until} % of the run time: of each user's"
        " last model, and of the best one so far"
    )


def _cells(score: TenantScore) -> list[str]:
    return [
        *(_percent(score.to_loss[level]) for level in _LEVELS),
        " to ".join(dict.fromkeys(_percent(end) for end in score.interval["0.02"])),
        _percent(score.worst_to_loss["0.05"]),
        _percent(score.runs_to_loss["0.02"]),
        *(number(score.regret[kind], 3) for kind in ("last", "best")),
        f"{1e3 * score.seconds_per_decision:.2f} ms",
    ]


def _percent(share: float | None) -> str:
    return "never" if share is None else f"{100 * share:.3g}"
