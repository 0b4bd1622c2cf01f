"""Is the simulated parameter server like the real one? Iteration times of settings on both.

    python -m benchmarks.simulated_and_real

Calibrated by trainings that are not compared; needs Ray. Takes six minutes on a quiet machine.
"""

import argparse
import os
from collections import defaultdict
from itertools import product

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.stats import spearmanr

from tunewise.paramserver import Logistic, Setting, Training, dense
from tunewise.paramserver.costs import fitted, seconds_simulated


def main() -> None:
    """Measure, simulate, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=90)
    parser.add_argument("--features", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3, help="trainings of each setting")
    asked = parser.parse_args()
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray's own name
    import ray

    cores = min(os.cpu_count() or 1, 2)
    ray.init(address="local", num_cpus=cores, include_dashboard=False, log_to_driver=False)
    from tunewise.paramserver.cluster.calibration import bare, seconds_on_ray, telling

    data = dense(6000, asked.features, seed=0)
    training = Training(Logistic(asked.features), data, rate=0.1)
    varied = product((1, 2), (1, 2, 3), ("bsp", "asp"), (50, 1000))
    compared, told = [Setting(*each) for each in varied], telling()
    real: dict[Setting, list[float]] = defaultdict(list)
    rng = np.random.default_rng(0)
    for _ in range(asked.rounds):
        # Mixed, so that a machine that is slower for a while is so for both kinds.
        for place in rng.permutation(len(compared) + len(told)):
            setting = (compared + told)[place]
            real[setting].append(seconds_on_ray(training, setting, asked.iterations))
    seconds = {setting: float(np.median(found)) for setting, found in real.items()}
    alone = bare(training, cores)
    machines = fitted(training, alone, told, [seconds[setting] for setting in told])
    show(
        [
            (s, seconds[s], seconds_simulated(training, s, machines, asked.iterations))
            for s in compared
        ]
    )


def show(rows: list[tuple[Setting, float, float]]) -> None:
    """A line a setting, and how well the two agree."""
    table = Table("servers", "workers", "consistency", "batch", "real ms", "simulated ms", "ratio")
    for setting, real, simulated in rows:
        table.add_row(
            str(setting.servers),
            str(setting.workers),
            setting.consistency,
            str(setting.batch_size),
            f"{1000 * real:.2f}",
            f"{1000 * simulated:.2f}",
            f"{simulated / real:.2f}",
        )
    console = Console()
    console.print(table)
    ratios = [simulated / real for _, real, simulated in rows]
    near = sum(1 / 1.25 <= ratio <= 1.25 for ratio in ratios)
    rank = spearmanr([real for _, real, _ in rows], [simulated for _, _, simulated in rows])
    console.print(
        f"{near} of {len(rows)} settings within 25 %; Spearman {float(rank.statistic):.2f}"
    )


if __name__ == "__main__":
    main()
