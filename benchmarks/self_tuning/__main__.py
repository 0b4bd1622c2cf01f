"""Self-tuned trainings against every setting alone: `python -m benchmarks.self_tuning`.

`--truth` runs every setting of every job to its end first, which takes many minutes; otherwise the
kept table is used.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from benchmarks.self_tuning import truth
from benchmarks.self_tuning.contest import MANAGERS, SHARES, Tuned
from benchmarks.self_tuning.estimators import KINDS
from benchmarks.self_tuning.jobs import DEFAULT, JOBS, SPACE, Job
from benchmarks.self_tuning.kept import Runs
from tunewise.paramserver.setting import Scheme


def main() -> None:
    """Run, and print a table for each job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--truth", action="store_true", help="compute the table of truth anew")
    parser.add_argument("--jobs", default=",".join(job.name for job in JOBS))
    parser.add_argument("--managers", default=",".join(MANAGERS))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--scheme", default="background", choices=("1", "2", "background"))
    parser.add_argument("--runs", type=Path, help="a file that keeps each run; none is run twice")
    told = parser.parse_args()
    jobs = [job for job in JOBS if job.name in told.jobs.split(",")]
    table = truth.compute(jobs) if told.truth else truth.load()
    seeds = range(told.first_seed, told.first_seed + told.seeds)
    scheme: Scheme = {"1": 1, "2": 2}.get(told.scheme, "background")  # type: ignore[assignment] # a choice
    runs = Runs(told.runs, scheme)
    for job in jobs:
        if job.name not in table:
            print(f"{job.name}: no truth; run with --truth")
            continue
        least = optimum(job)
        entrants = {
            name: [runs.get(job, name, seed, least) for seed in seeds]
            for name in told.managers.split(",")
        }
        show(job, table[job.name], entrants)


def optimum(job: Job) -> float:
    """The least loss, which the thesis' estimators take to be known."""
    training = job.make()
    everything = training.data.batch(np.arange(training.data.rows))
    size = training.model.size
    if job.name == "CNN-like":
        return 0.0

    def full(values: np.ndarray) -> tuple[float, np.ndarray]:
        whole = np.zeros(size)
        loss, gradient = training.model.gradient(
            values if everything.keys is None else values[everything.keys], everything
        )
        whole[slice(None) if everything.keys is None else everything.keys] = gradient
        return loss, whole

    found = minimize(full, training.model.initial(0), jac=True, method="L-BFGS-B")
    return training.model.loss(found.x, training.evaluated())


def show(job: Job, runs: Sequence[truth.Run], entrants: dict[str, list[Tuned]]) -> None:
    """The table of one job."""
    seconds = np.array([run.seconds for run in runs])
    places = {SPACE.key(run.config): run for run in runs}
    default = places[SPACE.key(DEFAULT)]
    best = runs[int(seconds.argmin())]
    print(f"\n{job.name}: {truth.describe(runs)}")
    print(f"{'':18}{'seconds':>16}{'average/':>9}{'worst/':>8}{'/best':>7}{'its':>8}{'s/it':>8}"
          f"{'switches':>9}{'reconf':>8}")  # fmt: skip
    rng = np.random.default_rng(0)
    drawn = [rng.choice(seconds, 20, replace=False) for _ in range(1000)]
    for name, fixed in (("default", default), ("best fixed", best)):
        _row(name, [fixed.seconds], seconds, fixed.iterations, 0.0, 0.0)
    _row("best of 20 random", [float(d.min()) for d in drawn], seconds, 0, 0.0, 0.0)
    _row("20 random, in all", [float(d.sum()) for d in drawn], seconds, 0, 0.0, 0.0)
    for name, found in entrants.items():
        _row(
            name,
            [each.seconds for each in found],
            seconds,
            float(np.mean([each.iterations for each in found])),
            float(np.mean([each.switches for each in found])),
            float(np.mean([each.reconfiguration / each.seconds for each in found])),
        )
    for name, found in entrants.items():
        at = [np.median([each.errors(share) for each in found]) for share in SHARES]
        held = np.mean([each.held for each in found if each.told] or [np.nan])
        missed = sum(not each.reached for each in found)
        if missed:
            print(f"{name}: {missed} of {len(found)} ended without the target")
        print(f"{name}: median error of the time left at 25/50/75 %:"
              f" {at[0]:.0%} {at[1]:.0%} {at[2]:.0%}; the range held in {held:.0%}")  # fmt: skip
        for kind in KINDS:
            at = np.median([each.thesis[kind] for each in found], axis=0).tolist()
            print(f"    the same by the {kind} estimator: {at[0]:.0%} {at[1]:.0%} {at[2]:.0%}")


def _row(
    name: str,
    spent: Sequence[float],
    truth: np.ndarray,
    iterations: float,
    switches: float,
    moved: float,
) -> None:
    mean = float(np.mean(spent))
    error = float(np.std(spent, ddof=1) / np.sqrt(len(spent))) if len(spent) > 1 else 0.0
    each = f"{mean / iterations:8.3f}" if iterations else f"{'':8}"
    count = f"{iterations:8.0f}" if iterations else f"{'':8}"
    print(
        f"{name:18}{mean:9.0f} ± {error:4.0f}{truth.mean() / mean:9.2f}{truth.max() / mean:8.2f}"
        f"{mean / truth.min():7.2f}{count}{each}{switches:9.0f}{moved:8.1%}",
        flush=True,
    )


if __name__ == "__main__":
    main()
