"""Seconds per ask of `trimtuner`, fits included: a measured table, many trials, batches, big pools.

The first lines ask over all 1,440 pairs of a measured table after 48 trials. The others: five
reals after 30 trials, eight after 1,000, a batch of 32 from that table, and a list of 32,000
configs at four fractions.
"""

import argparse
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.slices import CONFIG
from benchmarks.worlds.continuous import FRACTIONS
from benchmarks.worlds.world import Job
from tunewise.history import Measurement
from tunewise.strategy import StrategySpec


class Ask(NamedTuple):
    """One line of the table: how many trials are known, and how many are asked for at once."""

    name: str
    problem: tw.Problem
    job: Job
    options: Mapping[str, Any] = {}
    trials: int = 48
    at_once: int = 1


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="lines whose names have this in them")
    given = parser.parse_args()
    print(machine.described() + "\n")
    print("| ask | seconds | of the processor |\n|---|---|---|")
    for ask in _asks():
        if given.only in ask.name:
            wall, processor = np.median([_timed(ask, s) for s in range(given.rounds)], axis=0)
            print(f"| {ask.name} | {wall:.3f} | {processor:.3f} |", flush=True)


def _asks() -> Iterator[Ask]:
    table = tw.Table(machine.table("trimtuner/cnn.csv"), CONFIG, fraction="fraction")
    problem = tw.Problem(
        table.space, maximize="accuracy", subject_to="cost <= 0.10", fractions=table.fractions
    )
    for options in _variants():
        told = ", ".join(f"{k}={v}" for k, v in options.items()) or "default"
        yield Ask(f"1,440 candidates, 48 trials: {told}", problem, table, options)
    reals = tw.Space(*(tw.Real(f"x{i}", 0.0, 1.0) for i in range(8)))
    sizes = (20, 20, 16, 5)
    listed = tw.Space(*(tw.Ordinal(f"x{i}", list(range(n))) for i, n in enumerate(sizes)))
    few = tw.Space(*reals.parameters[:5])
    yield Ask("5 reals, 30 trials", _most_accurate(few), _made_up, {}, 30)
    yield Ask("8 reals, 1,000 trials", _most_accurate(reals), _made_up, {}, 1000)
    yield Ask("batch of 32", problem, table, {}, 48, 32)
    yield Ask("pool of 32,000", _most_accurate(listed), _made_up, {"candidates": 32_000})


def _variants() -> list[dict[str, Any]]:
    return [
        {},
        {"surrogate": "trees"},
        {"acquisition": "entropy"},
        {"acquisition": "literal"},
        {"filter": "cea", "share": 0.1},
    ]


def _most_accurate(space: tw.Space) -> tw.Problem:
    return tw.Problem(space, maximize="accuracy", subject_to="time <= 100", fractions=FRACTIONS)


def _made_up(trial: tw.Trial) -> Measurement:
    """A bowl that is dearer on one side, over any space of numbers."""
    x = np.array([float(value) for value in trial.config.values()])
    x = x / max(1.0, float(x.max()))
    accuracy = 0.9 * np.exp(-((x - 0.4) ** 2).mean()) * trial.fraction**0.05
    return Measurement({"accuracy": float(accuracy), "time": 80 * trial.fraction * np.exp(x[0])})


def _random(ask: Ask, seed: int) -> tw.History:
    """So many trials, drawn at random."""
    rng, space, trials = np.random.default_rng(seed), ask.problem.space, dict[Any, tw.Trial]()
    configs = space.sample(ask.trials, rng)
    while len(trials) < ask.trials:
        config = configs[int(rng.integers(len(configs)))]
        trial = tw.Trial(len(trials), config, float(rng.choice(ask.problem.fractions)))
        trials.setdefault((space.key(config), trial.fraction), trial.told(ask.job(trial)))
    return tw.History(trials.values())


def _timed(ask: Ask, seed: int) -> tuple[float, float]:
    strategy = StrategySpec("trimtuner", dict(ask.options)).build(ask.problem, seed)
    history = _random(ask, seed)
    wall, processor = time.perf_counter(), time.process_time()
    strategy.suggest(history, ask.at_once)
    return time.perf_counter() - wall, time.process_time() - processor


if __name__ == "__main__":
    main()
