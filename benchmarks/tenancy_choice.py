"""The constants of `hybrid`, chosen on some users and tried on others.

The users of each table are split into groups. For each group, every candidate races on the users of
the other groups; the quickest to an average loss of 0.02 is then raced on the group that was left
out, beside the default. A choice that does not carry over shows as a ratio above 1.
"""

import argparse
import dataclasses
from collections.abc import Sequence

import numpy as np

from benchmarks import machine
from benchmarks.tenancy import HYBRID, percent, tenants
from tunewise.benchmark.tenants.measures import score
from tunewise.benchmark.tenants.race import Protocol, label, race
from tunewise.benchmark.tenants.syn import syn
from tunewise.benchmark.tenants.table import TenantTable
from tunewise.tenancy import RuleSpec

CANDIDATES = [
    HYBRID,
    RuleSpec("hybrid", {"overhead": 0.001}),
    RuleSpec("hybrid", {"overhead": 0.01}),
    RuleSpec("hybrid", {"steps": 5}),
    RuleSpec("hybrid", {"steps": 20}),
]
LEVEL = "0.02"


def main() -> None:
    """Print a row for each group that is left out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--groups", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tables", default="lcdb,oboe,syn")
    given = parser.parse_args()
    print(machine.described() + "\n")
    print("| table | left out | chosen on the others | chosen, % | default, % | ratio |")
    print("|---|---|---|---|---|---|", flush=True)
    for name in given.tables.split(","):
        table = syn(0.5, 1.0) if name == "syn" else tenants(name)
        for number, (rest, left) in enumerate(splits(len(table), given.groups, given.seed)):
            plan = Protocol(repeats=given.repeats, seed=given.seed)
            chosen = quickest(part(table, rest), plan)
            found, default = (shares(part(table, left), [r], plan)[0] for r in (chosen, HYBRID))
            cells = f"{percent(found)} | {percent(default)} | {found / default:.2f}"
            print(f"| {table.name} | {number + 1} | {label(chosen)} | {cells} |", flush=True)


def splits(users: int, groups: int, seed: int) -> list[tuple[list[int], list[int]]]:
    """For each group the users of the others, and its own."""
    order = np.random.default_rng(seed).permutation(users)
    parts = [order[start::groups].tolist() for start in range(groups)]
    others = [[u for p in parts if p is not own for u in p] for own in parts]
    return list(zip(others, parts, strict=True))


def part(table: TenantTable, rows: list[int]) -> TenantTable:
    """Some of a table's users."""
    return dataclasses.replace(table, accuracy=table.accuracy[rows], seconds=table.seconds[rows])


def quickest(table: TenantTable, plan: Protocol) -> RuleSpec:
    """The candidate that is first at the loss; the default where none is quicker."""
    return CANDIDATES[int(np.argmin(shares(table, CANDIDATES, plan)))]


def shares(table: TenantTable, rules: Sequence[RuleSpec], plan: Protocol) -> list[float]:
    """Shares of the total run time to the loss; 1 where it is never reached."""
    races = race(table, rules, plan)
    found = [score(races[label(rule)]).to_loss[LEVEL] for rule in rules]
    return [1.0 if share is None else share for share in found]


if __name__ == "__main__":
    main()
