"""How long one ask takes in a space of 100,000 configs at 5 fractions, and how much memory."""

import argparse
import resource
import time

import numpy as np

import tunewise as tw
from benchmarks import machine
from tunewise.strategy import StrategySpec


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=0.01, help="what the filter lets through")
    parser.add_argument("--observations", type=int, default=48)
    given = parser.parse_args()
    problem = huge_problem()
    options = {"filter": "cea", "share": given.share, "candidates": 100_000}
    strategy = StrategySpec("trimtuner", options).build(problem, 0)
    history = made_up(problem, given.observations)
    strategy.suggest(history, 1)
    began, processor = time.perf_counter(), time.process_time()
    strategy.suggest(history, 1)
    seconds, processor = time.perf_counter() - began, time.process_time() - processor
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(machine.described() + "\n")
    print("| configs × fractions | seconds | of the processor | MB at most |\n|---|---|---|---|")
    size = f"{problem.space.size:,} × {len(problem.fractions)}"
    print(f"| {size} | {seconds:.2f} | {processor:.2f} | {megabytes:.0f} |")


def huge_problem() -> tw.Problem:
    """100,000 configs of six parameters."""
    rates = [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3]
    space = tw.Space(
        tw.Choice("vm", ["a", "b", "c", "d", "e"]),
        tw.Ordinal("vms", [1, 2, 4, 8, 16, 24, 32, 48, 64, 80]),
        tw.Ordinal("learning_rate", rates),
        tw.Ordinal("batch_size", [2**k for k in range(3, 13)]),
        tw.Integer("layers", 1, 10),
        tw.Choice("mode", ["sync", "async"]),
    )
    fractions = (1 / 60, 0.1, 0.25, 0.5, 1.0)
    limit = "cost <= 0.1"
    return tw.Problem(space, maximize="accuracy", subject_to=limit, fractions=fractions)


def made_up(problem: tw.Problem, count: int) -> tw.History:
    """A history of random trials with plausible metrics."""
    rng = np.random.default_rng(0)
    trials = []
    for number, config in enumerate(problem.space.sample(count, rng)):
        fraction = float(rng.choice(problem.fractions))
        good = 0.5 + 0.3 * (config["learning_rate"] < 1e-2) + 0.01 * config["layers"]
        seconds = 20 + 500 * fraction / np.sqrt(config["vms"])
        metrics = {
            "accuracy": float(np.clip(good + 0.1 * np.log10(fraction), 0.1, 0.99)),
            "time": float(seconds),
            "cost": float(seconds * config["vms"] * 0.05 / 3600),
        }
        trials.append(tw.Trial(number, config, fraction).told(tw.Measurement(metrics)))
    return tw.History(trials)


if __name__ == "__main__":
    main()
