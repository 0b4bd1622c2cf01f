"""Seconds per ask of `trimtuner` over all pairs of a measured table, fits included."""

import argparse
import time

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.slices import CONFIG
from tunewise.strategy import StrategySpec


def main() -> None:
    """Print a table for docs/benchmarks.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", default="trimtuner/cnn.csv", help="below the tables' folder")
    parser.add_argument("--observations", type=int, default=48)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    path = machine.table(given.table)
    table = tw.Table(path, CONFIG, fraction="fraction")
    problem = tw.Problem(
        table.space, maximize="accuracy", subject_to="cost <= 0.10", fractions=table.fractions
    )
    print(machine.described() + "\n")
    print("| variant | seconds per ask | of the processor |\n|---|---|---|")
    for options in _variants():
        strategy = StrategySpec("trimtuner", options).build(problem, 0)
        histories = [_random(table, given.observations, seed) for seed in range(given.rounds)]
        timed = [_timed(strategy, history) for history in histories]
        wall, processor = np.median(timed, axis=0)
        name = ", ".join(f"{k}={v}" for k, v in options.items()) or "default"
        print(f"| {name} | {wall:.3f} | {processor:.3f} |", flush=True)


def _variants() -> list[dict[str, object]]:
    return [
        {},
        {"surrogate": "trees"},
        {"acquisition": "entropy"},
        {"acquisition": "literal"},
        {"filter": "cea", "share": 0.1},
    ]


def _random(table: tw.Table, count: int, seed: int) -> tw.History:
    """So many measured pairs of config and fraction, drawn at random."""
    rng = np.random.default_rng(seed)
    configs, fractions = table.space.configs, table.fractions
    pairs = rng.permutation(len(configs) * len(fractions))[:count]
    trials = []
    for number, pair in enumerate(pairs.tolist()):
        config, fraction = configs[pair // len(fractions)], fractions[pair % len(fractions)]
        trial = tw.Trial(number, config, fraction)
        trials.append(trial.told(table(trial)))
    return tw.History(trials)


def _timed(strategy: tw.Strategy, history: tw.History) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    strategy.suggest(history, 1)
    return time.perf_counter() - wall, time.process_time() - processor


if __name__ == "__main__":
    main()
