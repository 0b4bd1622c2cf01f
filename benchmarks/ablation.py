"""What each rule and each tuned number of the search is worth: it is taken out, and searches run.

`python -m benchmarks.ablation` compares the defaults with the same code in which one group of rules
is neutral, over a family of problems; `--singly GROUP` takes the rules of a group out one by one.
Positive effects say that the rule helps. What was measured is kept by commit in a file, and not
measured again. On tables time and cost are drawn with 5 % of noise, so that no trial repeats
itself.
"""

import argparse
import json
import math
import multiprocessing
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.ablated import RULES, Rule
from benchmarks.course import course
from benchmarks.promises import PROBLEMS, searched
from benchmarks.worlds.every import every
from benchmarks.worlds.world import Job, World
from tunewise.history import Measurement, Outcome, Trial
from tunewise.strategy.spec import StrategySpec, default_strategy

NOISE = 0.05
TABLES = ("trainings", "made-up tables", "own tables", "machines")
EACH = {"lcdb": 5, "lcdb fastest": 6, "trainings": 3, "machines": 2, "continuous": 2}
"""Of these groups only every so-manieth problem is searched."""
MARKS = {"machines": (2.0, 4.0, 8.0, 16.0)}
USUAL = (1.0, 2.0, 8.0)
"""Units after which the regret is looked at; the loss of a search is its mean."""


@contextmanager
def without(rules: Sequence[Rule]) -> Iterator[dict[str, Any]]:
    """The code without these rules; what is left are options for the strategy."""
    options: dict[str, Any] = {}
    with ExitStack() as undo:
        for rule in rules:
            if ":" in rule.where:
                _patch(rule, undo)
            else:
                options[rule.where] = rule.value
        yield options


def _patch(rule: Rule, undo: ExitStack) -> None:
    """Set the attribute where it is defined, and wherever it was imported by its name."""
    module, _, path = rule.where.partition(":")
    owner: Any = import_module(f"tunewise.{module}")
    *outer, name = path.split(".")
    for part in outer:
        owner = getattr(owner, part)
    before = vars(owner)[name]
    owners = [owner]
    if not outer and not name.startswith("_"):
        loaded = [m for n, m in sys.modules.items() if n.startswith("tunewise")]
        owners += [m for m in loaded if vars(m).get(name) is before and m is not owner]
    for one in owners:
        setattr(one, name, rule.value)
        undo.callback(setattr, one, name, before)


@cache
def worlds(folder: str) -> dict[str, World]:
    """The family, by name."""
    found: dict[str, World] = {}
    seen: dict[str, int] = defaultdict(int)
    for world in every(Path(folder)):
        seen[world.group] += 1
        if (seen[world.group] - 1) % EACH.get(world.group, 1) == 0:
            noisy = world.group in TABLES
            found[world.name] = replace(world, job=_noisy(world)) if noisy else world
    return found


def _noisy(world: World) -> Callable[[int], Job]:
    def job(seed: int) -> Job:
        rng, table = np.random.default_rng([seed, 13]), world.job(seed)

        def run(trial: Trial) -> Outcome:
            told = table(trial)
            more = math.exp(NOISE * rng.standard_normal())
            drawn = {n: v * more if n in ("time", "cost") else v for n, v in told.metrics.items()}
            if isinstance(told, Measurement):
                return Measurement(drawn, told.snapshots, told.deviations)
            return type(told)(told.reason, drawn)

        return run

    return job


def searches(folder: str, group: str) -> Iterator[tuple[str, str]]:
    """Group and name of every problem that a group of rules may matter for."""
    for name, world in worlds(folder).items():
        if (world.group == "machines") == (group == "machines") or group == "default":
            yield world.group, name
    if group != "machines":
        yield from (("promises", promised.name) for promised in PROBLEMS)


def loss(folder: str, names: Sequence[str], problem: tuple[str, str], seed: int) -> float:
    """Of one search without some rules: its mean regret, or what it says too much."""
    rules = [rule for group in RULES.values() for rule in group if rule.name in names]
    with without(rules) as options, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        group, name = problem
        if group == "promises":
            promised = next(one for one in PROBLEMS if one.name == name)
            answer = searched(promised, seed, StrategySpec("trimtuner", options))
            return max(answer.stated - answer.true, 0.0) + max(answer.missed, 0.0)
        world = worlds(folder)[name]
        spec = default_strategy(world.problem)
        spec = StrategySpec(spec.name, options if spec.name == "trimtuner" else {})
        marks = MARKS.get(group, USUAL)
        ran = course(world, spec.build(world.problem, seed), "", marks[-1], 60, marks)
        return float(np.mean(ran.regrets(marks)))


Losses = dict[str, float]
"""By group, problem and seed."""


def effect(base: Losses, other: Losses) -> tuple[float, float, dict[str, float]]:
    """How much more is lost without a rule, half of its 90 % interval, and that by group."""
    pairs: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for key in base.keys() & other.keys():
        group, name, _ = key.split("|")
        pairs[group][name].append(other[key] - base[key])
    groups = {g: [float(np.mean(rows)) for rows in by.values()] for g, by in pairs.items()}
    means = {group: float(np.mean(rows)) for group, rows in groups.items()}
    variance = [np.var(rows, ddof=1) / len(rows) for rows in groups.values() if len(rows) > 1]
    half = 1.645 * math.sqrt(sum(variance)) / max(len(groups), 1)
    return float(np.mean(list(means.values()))), half, means


def main() -> None:
    """Print a table for benchmarks/NOTEBOOK.md."""
    given = _options()
    kept = json.loads(given.json.read_text()) if given.json.is_file() else {}
    commit = given.commit or machine.described().split(",")[0]
    done: dict[str, Losses] = kept.setdefault(commit, {})
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    asked = (
        []
        if given.groups == "none"
        else given.groups.split(",")
        if given.groups
        else [group for group in RULES if group != "core"]
    )
    wanted = {group: (group, [rule.name for rule in RULES[group]]) for group in asked}
    single = given.singly.split(",")
    for group, rules in RULES.items():
        chosen = [rule.name for rule in rules if {rule.name, group} & {*single}]
        wanted |= {name: (group, [name]) for name in chosen}
    with tempfile.TemporaryDirectory() as folder:
        jobs = [
            (label, names, problem, seed)
            for label, (group, names) in {"default": ("default", list[str]()), **wanted}.items()
            for problem in searches(folder, group)
            for seed in seeds
            if f"{'|'.join(problem)}|{seed}" not in done.setdefault(label, {})
        ]
        with ProcessPoolExecutor(given.jobs, multiprocessing.get_context("spawn")) as pool:
            running = {pool.submit(loss, folder, *job[1:]): job for job in jobs}
            for number, future in enumerate(as_completed(running)):
                label, _, problem, seed = running[future]
                done[label][f"{'|'.join(problem)}|{seed}"] = future.result()
                if number % 50 == 49:
                    given.json.write_text(json.dumps(kept))
    given.json.write_text(json.dumps(kept))
    print(f"{machine.described()}, seeds {seeds[0]} to {seeds[-1]}\n")
    print("\n".join(table(done, wanted)))


def table(done: dict[str, Losses], wanted: dict[str, Any]) -> Iterator[str]:
    """A row for each that was taken out."""
    groups = sorted({key.split("|")[0] for key in done["default"]})
    yield f"| without | worse by | 90 % | {' | '.join(groups)} |"
    yield f"|---|---|---|{'---|' * len(groups)}"
    for label in wanted:
        mean, half, means = effect(done["default"], done[label])
        cells = [f"{means[group]:+.3f}" if group in means else "" for group in groups]
        yield f"| {label} | {mean:+.3f} | ± {half:.3f} | {' | '.join(cells)} |"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    parser.add_argument("--groups", default="", help="of rules, all but the core by default")
    parser.add_argument("--singly", default="", help="rules, or groups, to take out one by one")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--commit", default="", help="under which name results are kept")
    parser.add_argument("--json", type=Path, default=Path(".ablation.json"))
    return parser.parse_args()


if __name__ == "__main__":
    main()
