"""Whose model is trained next: every rule on the tables of users and models, in shares of time.

`python -m benchmarks.tenancy` prints the tables of benchmarks/TENANCY.md; `--seed` draws others.
"""

import argparse
import dataclasses
from collections.abc import Sequence

from benchmarks import machine
from benchmarks.tenancy_reference import reference
from tunewise.benchmark.tenants.measures import LEVELS, TenantScore, score
from tunewise.benchmark.tenants.race import Protocol, label, race
from tunewise.benchmark.tenants.reading import read
from tunewise.benchmark.tenants.table import TenantTable
from tunewise.tenancy import RuleSpec

RULES = [
    RuleSpec("hybrid"),
    RuleSpec("easeml"),
    RuleSpec("greedy"),
    RuleSpec("round_robin"),
    RuleSpec("random"),
    RuleSpec("ei_per_second"),
    RuleSpec("round_robin", {"cost_aware": False}),
    RuleSpec("fcfs"),
]
HYBRID = RULES[0]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tables", default="lcdb,oboe")
    parser.add_argument("--only", choices=["rules", "logs", "slices", "devices", "costs", "users"])
    given = parser.parse_args()
    print(machine.described() + "\n")
    plan = Protocol(repeats=given.repeats, seed=given.seed)
    for name in given.tables.split(","):
        table = tenants(name)
        for part, shown in PARTS.items():
            if given.only in (None, part):
                shown(table, plan)
    if given.only in (None, "slices") and "lcdb" in given.tables:
        slices(plan)


def tenants(name: str, curves: bool = False) -> TenantTable:
    """A measured table below the tables' folder."""
    accuracy, seconds = (machine.table(f"{name}/{part}.csv") for part in ("accuracy", "seconds"))
    return read(accuracy, seconds, machine.table(f"{name}/curves.csv") if curves else None)


def rules(table: TenantTable, plan: Protocol) -> None:
    """Every rule, and the plain reference."""
    head("rules", table)
    plain = score([reference(table, plan, repeat) for repeat in range(plan.repeats)])
    hybrid = None
    for rule in RULES:
        found = score(race(table, [rule], plan)[label(rule)])
        hybrid = hybrid or found
        line(label(rule), found, hybrid)
    assert hybrid is not None
    line("reference greedy", plain, hybrid)


def logs(table: TenantTable, plan: Protocol) -> None:
    """The prior from a part of the logs (figure 12, middle)."""
    head("share of the logs", table)
    for share in (0.0, 0.1, 0.5, 1.0):
        title = f"hybrid, {share:.0%} of the logs" if share else "hybrid, one user in the log"
        varied(title, table, plan, logs=share)


def devices(table: TenantTable, plan: Protocol) -> None:
    """Several devices at once, in elapsed time."""
    head("devices", table)
    for count in (1, 4):
        varied(f"hybrid, {count} devices", table, plan, devices=count)


def costs(table: TenantTable, plan: Protocol) -> None:
    """Run times known in advance, or learned."""
    head("run times", table)
    for known in ("known", "learned"):
        varied(f"hybrid, run times {known}", table, plan, costs=known)


def users(table: TenantTable, plan: Protocol) -> None:
    """Ten and fifty test users."""
    head("test users", table)
    for count in (10, 50):
        varied(f"hybrid, {count} users", table, plan, users=count)


def slices(plan: Protocol) -> None:
    """Slices at fractions of the data."""
    table = tenants("lcdb", curves=True)
    head("slices", table)
    for may in (False, True):
        varied(f"hybrid, slices {'at fractions' if may else 'none'}", table, plan, slices=may)


PARTS = {"rules": rules, "logs": logs, "devices": devices, "costs": costs, "users": users}


def varied(title: str, table: TenantTable, plan: Protocol, **changes: object) -> None:
    """A line for `hybrid` under a changed protocol."""
    found = race(table, [HYBRID], dataclasses.replace(plan, **changes))  # type: ignore[arg-type]  # fields
    line(title, score(found[label(HYBRID)]))


def head(title: str, table: TenantTable) -> None:
    """A table's head."""
    levels = " | ".join(f"loss {level:g}" for level in LEVELS)
    print(f"\n{table.name}, {title}: % of the total run time\n")
    print(f"| rule | {levels} | 95 % of 0.02 | × hybrid | every user at 0.05 | models to 0.02 |")
    print("|---" * (len(LEVELS) + 5) + "|", flush=True)


def line(title: str, found: TenantScore, hybrid: TenantScore | None = None) -> None:
    """A row of a table."""
    to, base = found.to_loss["0.02"], hybrid.to_loss["0.02"] if hybrid else None
    times = f"{to / base:.1f}" if to and base else ""
    low, high = found.interval["0.02"]
    cells: Sequence[str] = [
        title,
        *(percent(found.to_loss[f"{level:g}"]) for level in LEVELS),
        f"{percent(low)} to {percent(high)}",
        times,
        percent(found.worst_to_loss["0.05"]),
        percent(found.runs_to_loss["0.02"]),
    ]
    print(f"| {' | '.join(cells)} |", flush=True)


def percent(share: float | None) -> str:
    """A share with three digits."""
    return "never" if share is None else f"{100 * share:.3g}"


if __name__ == "__main__":
    main()
