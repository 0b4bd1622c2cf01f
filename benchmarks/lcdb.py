"""The most accurate learner within a limit on time, on real data sets with real noise.

`python -m benchmarks.lcdb` prints, for each strategy and rule, the regret after some units of
spending (one is the mean full-data time of a learner within the limit), and how often what it
recommends breaks the limit.
"""

import argparse
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import get_args

import numpy as np

from benchmarks import machine
from benchmarks.course import MARKS, By, Course, course
from benchmarks.rules import AtFullData, CheapestNext, SuccessiveHalving
from benchmarks.worlds.lcdb import DataSet, data_sets, most_accurate
from tunewise.benchmark.entrants import entrants, label
from tunewise.history.prior import Prior
from tunewise.problem import Problem
from tunewise.strategy import Strategy

RULES: dict[str, Callable[[Problem, int], Strategy]] = {
    "the rule": CheapestNext,
    "halving with the stop": SuccessiveHalving,
    "halving": lambda problem, seed: SuccessiveHalving(problem, seed, stops=False),
    "full data by chance": AtFullData,
}


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    given = _options()
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    own = [] if given.strategies == "none" else [*map(label, entrants(given.strategies))]
    sets = list(range(len(list(most_accurate(given.limit)))))[: given.sets]
    print(f"{machine.described()}; {len(sets)} data sets, seeds {seeds[0]}-{seeds[-1]}\n")
    print(f"| | {' | '.join(f'{m:g}' for m in MARKS)} | breaks the limit at 8 | trials |")
    print(f"|---|{'---|' * (len(MARKS) + 2)}")
    with ProcessPoolExecutor(given.jobs, multiprocessing.get_context("spawn")) as pool:
        for name in [*own, *([] if given.warm_start or given.by != "optimize" else RULES)]:
            jobs = [
                (name, i, seed, given.limit, given.warm_start, given.by)
                for i, seed in product(sets, seeds)
            ]
            print(row(name, list(pool.map(searched, jobs))), flush=True)


def row(name: str, courses: Sequence[Course]) -> str:
    """Mean regret at each mark; as many runs of every data set, so these weigh equally."""
    regrets = np.mean([one.regrets() for one in courses], axis=0)
    broken = np.mean([not one.at(8.0).feasible for one in courses])
    trials = np.mean([one.trials for one in courses])
    cells = " | ".join(f"{regret:.3f}" for regret in regrets)
    return f"| {name} | {cells} | {broken:.1%} | {trials:.0f} |"


def searched(job: tuple[str, int, int, float, bool, By]) -> Course:
    """One run, in a process of its own choice."""
    name, place, seed, limit, warm, by = job
    world = list(most_accurate(limit))[place]
    problem = world.problem
    if name in RULES:
        return course(world, RULES[name](problem, seed), name)
    others = [one for one in data_sets() if warm and not world.name.endswith(f" {one.name}")]
    strategy = entrants(name)[0].build(problem, seed, _prior(problem, others))
    return course(world, strategy, name, by=by)


def _prior(problem: Problem, others: Sequence[DataSet]) -> Prior | None:
    histories = {one.name: one.history() for one in others}
    return Prior.of(problem, histories) if histories else None


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lcdb", description=__doc__)
    parser.add_argument("--strategies", default="trimtuner", help="of ours; none for rules only")
    parser.add_argument(
        "--by",
        default="optimize",
        choices=get_args(By),
        help="who runs trials: the study, a loop that heeds limits, one where nobody stops them",
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=0.5, help="a quantile of learners' times")
    parser.add_argument("--sets", type=int, help="only so many data sets")
    parser.add_argument("--warm-start", action="store_true", help="learn from other data sets")
    parser.add_argument("--jobs", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
