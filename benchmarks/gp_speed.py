"""CPU time the Gaussian process takes to fit, predict, sample and fantasise: the best of several.

Run with OMP_NUM_THREADS=1, so that it is the time of one thread. Candidates are 288 configs at 5
fractions, targets the same configs on the full data.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from benchmarks import machine
from tunewise.surrogate.gaussian_process import GaussianProcess

FRACTIONS = np.array([1 / 60, 0.1, 0.25, 0.5, 1.0])


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dims", type=int, default=8)
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    print(machine.described() + "\n")
    print("| observations | fit | fit, MCMC | predict 1440 | fantasise 1440 × 288 | 200 samples |")
    print("|---|---|---|---|---|---|")
    for count in (12, 48, 96, 300, 2000):
        cells = [f"{1000 * s:.1f} ms" for s in measure(count, given.dims, given.runs)]
        print(f"| {count} | {' | '.join(cells)} |")


def measure(count: int, dims: int, runs: int) -> list[float]:
    """Seconds for each column of the table."""
    rng = np.random.default_rng(0)
    x, s = rng.random((count, dims)), rng.choice(FRACTIONS, count)
    y = np.sin(3 * x[:, 0]) + x[:, 1] * np.log(s) + 0.1 * rng.standard_normal(count)
    configs = rng.random((288, dims))
    candidates = np.repeat(configs, 5, axis=0), np.tile(FRACTIONS, 288)
    targets = configs, np.ones(288)
    process = GaussianProcess("log").fit(x, s, y)
    return [
        best(lambda: GaussianProcess("log").fit(x, s, y), runs),
        best(lambda: GaussianProcess("log", sampler="mcmc").fit(x, s, y), 1),
        best(lambda: process.predict(*candidates), runs),
        best(lambda: process.fantasize(candidates, targets), runs),
        best(lambda: process.sample(*candidates, 200, rng), runs),
    ]


def best(work: Callable[[], object], runs: int) -> float:
    """The shortest of several runs, in seconds of this process."""
    seconds = []
    for _ in range(runs):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


if __name__ == "__main__":
    main()
