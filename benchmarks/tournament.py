"""Variants of a strategy on a family of problems: which one is the default, and how it does.

A variant is chosen by leaving one group of problems out: for every group, the one that is best on
all other groups is tried on it. The default is the one that is best on all; where the choices
differ, the table shows what that says. Beside it: how often what was said came true.
"""

import argparse
import multiprocessing
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks import machine
from benchmarks.course import FINE, MARKS, Course, course
from benchmarks.worlds.every import MAKERS, every
from benchmarks.worlds.world import World
from tunewise.benchmark.entrants import entrants, label
from tunewise.benchmark.measures.reliability import reliability
from tunewise.report.race.reliability import HEADS, cells

LEVEL = 0.9
"""The share of the optimum that is to be reached soon."""


def main() -> None:
    """Print tables for benchmarks/NOTEBOOK.md; every run as it ends, on the other output."""
    given = _options()
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    names = [label(spec) for spec in entrants(given.variants)]
    with tempfile.TemporaryDirectory() as folder:
        wanted = _wanted(folder, given.groups)[:: given.each]
        jobs = [(name, group, world, seed, folder, given.units) for name in names
                for group, world in wanted for seed in seeds]  # fmt: skip
        print(f"{machine.described()}; {len(wanted)} problems, seeds {seeds[0]}-{seeds[-1]}\n")
        with ProcessPoolExecutor(given.jobs, multiprocessing.get_context("spawn")) as pool:
            courses = list(pool.map(searched, jobs))
    print("\n".join([*by_group(courses, given.each_world), "", *left_out(courses), "",
                     *reliable(courses)]))  # fmt: skip


def searched(job: tuple[str, str, str, int, str, float]) -> Course:
    """One run."""
    name, group, wanted, seed, folder, units = job
    world = next(w for w in _worlds(folder, (group,)) if w.name == wanted)
    strategy = entrants(name)[0].build(world.problem, seed)
    ran = course(world, strategy, name, units, 400, sorted({*MARKS, *FINE}))
    print(f"{group}, {wanted}, {name}, {seed}: {_told(ran.regrets())}", file=sys.stderr, flush=True)
    return ran


def losses(courses: Sequence[Course]) -> dict[str, dict[str, np.ndarray]]:
    """Mean regrets at the marks (4,), by strategy and group; problems of a group weigh alike."""
    found: dict[str, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    for one in courses:
        found[one.strategy][one.group].append(one.regrets())
    return {
        strategy: {group: np.mean(rows, axis=0) for group, rows in groups.items()}
        for strategy, groups in found.items()
    }


def by_group(courses: Sequence[Course], each_world: bool = False) -> Iterator[str]:
    """Regret at the marks for every strategy and group, or for every problem."""
    if each_world:
        courses = [Course(c.group, c.world, c.strategy, c.seed, c.stands) for c in courses]
    marks = " | ".join(f"{m:g}" for m in MARKS)
    yield f"| strategy | group | {marks} | units to {LEVEL:.0%} | keeps the limits |"
    yield f"|---|---|{'---|' * (len(MARKS) + 2)}"
    for strategy, groups in losses(courses).items():
        for group, row in groups.items():
            own = [c for c in courses if (c.strategy, c.group) == (strategy, group)]
            kept = np.mean([c.stands[-1].feasible for c in own])
            spent = np.median([c.units_to(LEVEL) for c in own])
            to_level = f"{spent:.2f}" if np.isfinite(spent) else "–"
            yield f"| `{strategy}` | {group} | {_told(row)} | {to_level} | {kept:.0%} |"


def _told(regrets: Iterable[float]) -> str:
    return " | ".join(f"{value:.3f}" for value in regrets)


def left_out(courses: Sequence[Course]) -> Iterator[str]:
    """For every group, the strategy that all other groups choose, and how it does there."""
    means = {
        s: {g: float(r.mean()) for g, r in rows.items()} for s, rows in losses(courses).items()
    }
    groups = list(next(iter(means.values())))
    yield "| left out | chosen without it | its regret | least regret there |"
    yield "|---|---|---|---|"
    for group in groups:
        chosen = _best(means, [g for g in groups if g != group] or groups)
        least = min(rows[group] for rows in means.values())
        yield f"| {group} | `{chosen}` | {means[chosen][group]:.3f} | {least:.3f} |"
    yield f"| none | `{_best(means, groups)}` | | |"


def _best(means: dict[str, dict[str, float]], groups: Sequence[str]) -> str:
    return min(means, key=lambda strategy: sum(means[strategy][g] for g in groups))


def reliable(courses: Sequence[Course]) -> Iterator[str]:
    """How often what was said at the marks came true, over all groups."""
    yield f"| strategy | {' | '.join(HEADS)} |"
    yield f"|---|{'---|' * len(HEADS)}"
    for strategy in dict.fromkeys(c.strategy for c in courses):
        claims = [claim for c in courses if c.strategy == strategy for claim in c.claims()]
        for row in reliability(claims):
            yield f"| `{strategy}` | {' | '.join(cells(row))} |"


@cache
def _worlds(folder: str, groups: tuple[str, ...]) -> list[World]:
    return list(every(Path(folder), groups))


def _wanted(folder: str, asked: str) -> list[tuple[str, str]]:
    """Group and name of the problems that a list of groups or problems names; all without any."""
    names = asked.split(",") if asked else []
    groups = tuple(names) if names and MAKERS.keys() >= set(names) else ()
    each = [(world.group, world.name) for world in _worlds(folder, groups)]
    return [one for one in each if not names or set(names) & set(one)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tournament", description=__doc__)
    parser.add_argument("--variants", default="trimtuner,trimtuner(surrogate=trees),random")
    parser.add_argument("--groups", default="", help="groups or problems, all by default")
    parser.add_argument("--each", type=int, default=1, help="only every so-manieth problem")
    parser.add_argument("--each-world", action="store_true", help="a row for every problem")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--units", type=float, default=MARKS[-1])
    parser.add_argument("--jobs", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
