"""What trials on Ray gain by running at once, and cost beside Ray's own tasks.

Usage: python -m benchmarks.ray_throughput [--slots 4] [--trials 16] [--seconds 1]

Prints the throughput of sleeping jobs with as many trials at once as there are slots, against one
at a time, and the seconds that a trial takes beyond a Ray task that does nothing.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from statistics import median

from tunewise.errors import optional
from tunewise.execution.ray import RayExecutor
from tunewise.history import Trial


def took(work: Callable[[], object]) -> float:
    """Seconds that it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def sleeping(workers: int, trials: int, seconds: float) -> float:
    """Seconds for so many sleeping trials, after every worker is warm."""

    def job(trial: Trial) -> dict[str, float]:
        time.sleep(trial.config["seconds"])
        return {"watcher": float(os.getppid())}

    with RayExecutor(workers) as pool:

        def run(count: int, each: float) -> set[float]:
            started = [pool.submit(job, Trial(i, {"seconds": each})) for i in range(count)]
            return {future.result().metrics["watcher"] for future in started}

        while len(run(workers, 0.5)) < workers:
            pass  # on a busy machine the first workers take all trials before others are there
        return took(lambda: run(trials, seconds))


def overhead(trials: int) -> tuple[float, float]:
    """Median seconds of a trial that does nothing, and of such a Ray task."""
    ray = optional("ray", "ray")

    def idle() -> None:
        return None

    nothing = ray.remote(idle)
    with RayExecutor(1) as pool:

        def job(trial: Trial) -> dict[str, float]:
            return {}

        pool.submit(job, Trial(0, {})).result()
        ray.get(nothing.remote())
        ours = [took(lambda: pool.submit(job, Trial(1, {})).result()) for _ in range(trials)]
        plain = [took(lambda: ray.get(nothing.remote())) for _ in range(trials)]
    return median(ours), median(plain)


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ray_throughput")
    parser.add_argument("--slots", type=int, default=4)
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=1.0)
    asked = parser.parse_args()
    ray = optional("ray", "ray")
    ray.init(
        address="local",  # and not another one that runs on this machine
        num_cpus=asked.slots,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        _system_config={"worker_niceness": 0},
    )
    alone = sleeping(1, asked.trials, asked.seconds)
    together = sleeping(asked.slots, asked.trials, asked.seconds)
    trial, task = overhead(asked.trials)
    print(
        json.dumps(
            {
                "slots": asked.slots,
                "trials": asked.trials,
                "seconds one at a time": round(alone, 3),
                "seconds at once": round(together, 3),
                "throughput": round(alone / together, 2),
                "seconds of an empty trial": round(trial, 4),
                "seconds of an empty Ray task": round(task, 4),
                "overhead": round(trial - task, 4),
            },
            indent=1,
        )
    )
    ray.shutdown()


if __name__ == "__main__":
    main()
