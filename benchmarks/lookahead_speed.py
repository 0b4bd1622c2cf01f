"""How long an ask takes that looks ahead, fits included, on one thread.

Nephele on a made-up problem of 288 configs at 5 fractions: 1,440 candidates, of which 40 were
measured at random.
"""

import argparse
import math
import time

import numpy as np

import tunewise as tw
from benchmarks import machine
from tunewise.strategy.nephele import nephele

FRACTIONS = (1 / 60, 0.1, 0.25, 0.5, 1.0)


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--surrogates", default="gp,trees")
    parser.add_argument("--horizons", default="0,1,2")
    parser.add_argument("--measured", type=int, default=40)
    given = parser.parse_args()
    problem = made_up()
    history = measured(problem, given.measured)
    print(machine.described() + "\n")
    print("| surrogate | horizon | seconds per ask | of the processor |\n|---|---|---|---|")
    for surrogate in given.surrogates.split(","):
        for horizon in map(int, given.horizons.split(",")):
            strategy = nephele(problem, 0, surrogate=surrogate, horizon=horizon, roots=3)
            began, processor = time.perf_counter(), time.process_time()
            strategy.suggest(history, 1)
            taken, own = time.perf_counter() - began, time.process_time() - processor
            print(f"| `{surrogate}` | {horizon} | {taken:.2f} | {own:.2f} |", flush=True)


def made_up() -> tw.Problem:
    """The least cost under a limit on accuracy and one on time, at any fraction."""
    space = tw.Space(
        tw.Choice("vm", ["small", "medium", "large", "huge"]),
        tw.Ordinal("vms", [1, 2, 4, 8, 16, 32]),
        tw.Ordinal("learning_rate", [1e-5, 1e-4, 1e-3]),
        tw.Choice("mode", ["sync", "async"]),
        tw.Ordinal("batch_size", [16, 256]),
    )
    limits = ["accuracy >= 0.8", "time <= 300"]
    return tw.Problem(
        space, minimize="cost", subject_to=limits, fractions=FRACTIONS, deploy="any", budget=5.0
    )


def measured(problem: tw.Problem, count: int) -> tw.History:
    """So many random trials with plausible outcomes."""
    rng = np.random.default_rng(0)
    told = []
    for number in range(count):
        config = problem.space.configs[int(rng.integers(len(problem.space.configs)))]
        trial = tw.Trial(number, config, float(rng.choice(FRACTIONS)))
        told.append(trial.told(_outcome(trial, rng)))
    return tw.History(told)


def _outcome(trial: tw.Trial, rng: np.random.Generator) -> tw.Measurement:
    config = trial.config
    speed = ["small", "medium", "large", "huge"].index(config["vm"]) + 1
    noise = math.exp(0.1 * rng.standard_normal())
    seconds = noise * (20 + 2000 * trial.fraction / (speed * math.sqrt(config["vms"])))
    lost = 0.5 * (-math.log10(config["learning_rate"]) - 3) + 0.1 / trial.fraction**0.5
    accuracy = 1 / (1 + math.exp(-(3 - lost - 0.1 * rng.standard_normal())))
    cost = seconds / 3600 * 0.023 * speed * config["vms"]
    return tw.Measurement({"accuracy": accuracy, "time": seconds, "cost": cost})


if __name__ == "__main__":
    main()
