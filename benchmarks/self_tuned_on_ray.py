"""A real training on Ray, on this machine: self-tuned against each of its settings alone.

    python -m benchmarks.self_tuned_on_ray

Settings, drawn at random, train to the same loss each, or for `--most` seconds, which then count as
what they took. Then the training tunes itself, a seed at a time. Every line is printed as it comes,
so that a run which is cut short has results. Needs Ray. Run it on a quiet machine: takes minutes.
"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks import machine
from tunewise.online import Tuner, Until, follow
from tunewise.online.until import Watch
from tunewise.paramserver import Logistic, Setting, Training, dense
from tunewise.space import Choice, Config, Ordinal, Space

SPACE = Space(
    Ordinal("servers", [1, 2]),
    Ordinal("workers", [1, 2, 4]),
    Choice("consistency", ["bsp", "asp"]),
    Ordinal("batch_size", [400, 2000]),
)

DEFAULT: Config = {"servers": 1, "workers": 2, "consistency": "bsp", "batch_size": 400}
"""What a careful person begins with: a worker a core, and a barrier."""

_STEP = 5
"""Iterations between two looks."""


@dataclass(frozen=True)
class Ended:
    """A training that came to its end.

    Attributes:
        seconds: That it took, switches included.
        loss: Of the final parameters, on rows that are the same for all.
        reached: Whether the target was reached.
        said: What else there is to say.
    """

    seconds: float
    loss: float
    reached: bool
    said: str


def training() -> Training:
    """Two classes in a thousand dimensions; the order of rows is the cluster's."""
    data = dense(20_000, 1000, seed=3)
    return Training(Logistic(data.features, 1e-4), data, rate=1.0, evaluation=20_000)


def alone(job: Training, config: Config, until: Until, most: float) -> Ended:
    """Train under one setting."""
    from tunewise.paramserver.cluster import RayCluster

    running, watch, seconds = RayCluster(job, Setting.of(config)), Watch(until), 0.0
    try:
        while not watch.done and seconds < most:
            for each in running.run(_STEP):
                seconds += each.seconds
                watch.see(each)
        return Ended(seconds, job.model.loss(running.values, job.evaluated()), watch.done, "")
    finally:
        running.close()


def tuned(job: Training, until: Until, seed: int) -> Ended:
    """Let the training tune itself."""
    from tunewise.paramserver.cluster import RayCluster

    running = RayCluster(job, Setting.of(DEFAULT), seed=seed)
    tuner = Tuner(
        SPACE,
        until,
        default=DEFAULT,
        each=lambda config: max(2 * _together(config), 10),
        together=_together,
        classify=lambda old, new: Setting.of(old).changes_to(Setting.of(new)),
        seed=seed,
    )
    try:
        follow(running, tuner, Setting.of, _STEP)
        loss = job.model.loss(running.values, job.evaluated())
    finally:
        running.close()
    moved = sum(each.reconfiguration for each in tuner.switches)
    said = (
        f"ended with {tuner.setting}, {len(tuner.switches) - 1} switches of {moved:.1f} s in all,"
        f" staying with the first setting: {tuner.staying.mean:.0f} s"
    )
    return Ended(tuner.seconds, loss, True, said)


def _together(config: Config) -> int:
    return 1 if config["consistency"] == "bsp" else int(config["workers"])


def main() -> None:
    """Measure every setting, then self-tuned trainings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--most", type=float, default=150.0, help="seconds of a setting alone")
    parser.add_argument("--settings", type=int, default=8, help="how many alone")
    parser.add_argument("--target", type=float, default=0.4, help="the loss at which it is done")
    asked = parser.parse_args()
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray's own name
    import ray

    print(machine.described() + "\n")
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    job, until = training(), Until(loss=asked.target)
    order = np.random.default_rng(0).permutation(SPACE.size or 0)[: asked.settings]
    fixed = []
    for config in SPACE.at(order):
        fixed.append(alone(job, config, until, asked.most))
        _say(str(config), fixed[-1])
    show("all settings so far", fixed, fixed)
    found = []
    for seed in range(asked.seeds):
        found.append(tuned(job, until, seed))
        _say(f"self-tuned, seed {seed}", found[-1])
        show("self-tuned so far", found, fixed)


def _say(name: str, ended: Ended) -> None:
    missed = "" if ended.reached else " (not reached)"
    print(
        f"{name}: {ended.seconds:.1f} s{missed}, final loss {ended.loss:.4f}; {ended.said}",
        flush=True,
    )


def show(name: str, ended: Sequence[Ended], fixed: Sequence[Ended]) -> None:
    """Mean seconds against the settings alone, and final losses beside theirs."""
    mean = float(np.mean([each.seconds for each in ended]))
    alone = np.array([each.seconds for each in fixed])
    losses = [each.loss for each in ended]
    print(
        f"{name}: {mean:.1f} s; average, worst over it {alone.mean() / mean:.2f}x,"
        f" {alone.max() / mean:.2f}x; it over the best {mean / alone.min():.2f}x; final loss"
        f" {np.mean(losses):.4f} ± {np.std(losses):.4f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
