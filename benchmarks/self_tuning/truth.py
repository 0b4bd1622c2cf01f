"""What each setting alone would have taken: run once to the end, and kept in a file."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.self_tuning.jobs import JOBS, SPACE, Job
from tunewise.online.until import Until, Watch
from tunewise.space import Config

FILE = Path(__file__).with_name("truth.json")

MOST_UPDATES = 40_000
"""Updates after which a setting is taken not to reach the target: others need far fewer."""


@dataclass(frozen=True)
class Run:
    """A whole training under one setting.

    Attributes:
        config: The setting.
        seconds: Until the target.
        iterations: Until the target.
        reached: Whether it was reached; otherwise seconds and iterations are what was spent.
    """

    config: Config
    seconds: float
    iterations: int
    reached: bool

    @property
    def per_iteration(self) -> float:
        """Seconds of an iteration."""
        return self.seconds / self.iterations


def run(job: Job, config: Config, seed: int = 0) -> Run:
    """Train under one setting until the target."""
    simulation, watch = job.begin(config, seed), Watch(Until(loss=job.target))
    updates = config["workers"] if config["consistency"] == "bsp" else 1
    most = int(MOST_UPDATES / updates)
    seconds = 0.0
    for count in range(1, most + 1):
        iteration = simulation.run(1)[0]
        seconds += iteration.seconds
        if watch.see(iteration):
            return Run(config, seconds, count, reached=True)
    return Run(config, seconds, most, reached=False)


def compute(jobs: Sequence[Job] = JOBS) -> dict[str, list[Run]]:
    """Every setting of every job to its end, and into the file as it goes."""
    table = load() if FILE.exists() else {}
    for job in jobs:
        table[job.name] = []
        for config in SPACE.configs:
            table[job.name].append(run(job, config))
        rows = {name: [asdict(each) for each in runs] for name, runs in table.items()}
        FILE.write_text(json.dumps(rows, indent=0) + "\n", encoding="utf-8")
        print(f"{job.name}: {describe(table[job.name])}", flush=True)
    return table


def load() -> dict[str, list[Run]]:
    """The kept table."""
    told = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: [Run(**row) for row in rows] for name, rows in told.items()}


def describe(runs: Sequence[Run]) -> str:
    """Best, average and worst seconds."""
    seconds = np.array([each.seconds for each in runs])
    missed = sum(not each.reached for each in runs)
    best = runs[int(seconds.argmin())]
    return (
        f"best {seconds.min():.0f} s ({best.config}), median {np.median(seconds):.0f} s,"
        f" average {seconds.mean():.0f} s, worst {seconds.max():.0f} s, {missed} miss the target"
    )
