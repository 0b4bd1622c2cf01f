"""Small studies of every strategy, to be begun under one kernel and resumed under another.

As a program it reads the trials that were asked until now from its input, one list for each study,
goes on to the number of trials given as its argument, and writes the same for all trials.
"""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import tunewise as tw
from tests.kernels.kernels import Kernel
from tunewise.history import History
from tunewise.strategy import STRATEGIES

Asked = dict[str, list[list[Any]]]
"""For each study the config, fraction and snapshots of each of its trials."""

HOURLY = {"a": 1.0, "b": 2.0, "c": 4.0}
SPEED = {"a": 1.0, "b": 1.7, "c": 3.0}
ROOT = Path(__file__).resolve().parents[2]
SPACE = tw.Space(
    tw.Choice("vm", ["a", "b", "c"]),
    tw.Ordinal("vms", [1, 2, 4, 8]),
    tw.Ordinal("rate", [1e-4, 1e-3, 1e-2]),
    tw.Ordinal("batch", [16, 64, 256]),
)
SLICES = (1 / 16, 1 / 4, 1.0)


def hourly(config: dict[str, Any]) -> float:
    """What the machines of a config cost."""
    return HOURLY[config["vm"]] * float(config["vms"])


def problems() -> dict[str, tw.Problem]:
    """What is wanted, in three ways."""
    return {
        "accuracy": tw.Problem(SPACE, maximize="accuracy", subject_to="cost <= 0.6",
                               fractions=SLICES),
        "cost": tw.Problem(SPACE, minimize="cost", subject_to="accuracy >= 0.7", fractions=SLICES),
        "cheapest": tw.Problem(SPACE, minimize="cost", subject_to="time <= 400", budget=50.0,
                               price=hourly),
    }  # fmt: skip


def job(trial: tw.Trial) -> dict[str, float]:
    """A training as a formula: many configs tie in one metric or another."""
    c = trial.config
    work = 3000 * trial.fraction * math.pow(256 / c["batch"], 0.2)
    seconds = work / (SPEED[c["vm"]] * math.pow(c["vms"], 0.8))
    logit = 1.5 - 0.6 * (math.log10(c["rate"]) + 3) ** 2 + 0.5 * math.log10(trial.fraction)
    logit -= 0.1 * math.log(c["batch"] / 64) ** 2
    told = {"accuracy": 1 / (1 + math.exp(-logit)), "time": seconds}
    told["cost"] = seconds * hourly(c) / 3600
    return {name: round(value, 6) for name, value in told.items()}


def names(seeds: int) -> list[str]:
    """All studies: strategy, problem and seed."""
    return [
        f"{strategy} {wanted} {seed}"
        for strategy in STRATEGIES.names()
        for wanted, problem in problems().items()
        if strategy != "random" and _takes(strategy, problem)
        for seed in range(seeds)
    ]


def _takes(strategy: str, problem: tw.Problem) -> bool:
    """Whether the strategy has an answer to the problem: some need slices of the data."""
    try:
        tw.strategy(strategy).build(problem, 0)
    except tw.TunewiseError:
        return False
    return True


def gone_on(asked: Asked, trials: int) -> Asked:
    """Every study, with so many trials."""
    return {name: _gone_on(name, known, trials) for name, known in asked.items()}


def _gone_on(name: str, known: list[list[Any]], trials: int) -> list[list[Any]]:
    kind, wanted, seed = name.split()
    strategy = tw.strategy(kind).build(problems()[wanted], int(seed))
    told: list[tw.Trial] = []
    for number in range(trials):
        if number < len(known):
            config, fraction, snapshots = known[number]
        elif suggested := strategy.suggest(History(told), 1):
            config, fraction, snapshots = (
                suggested[0].config, suggested[0].fraction, suggested[0].snapshots,
            )  # fmt: skip
        else:
            break
        trial = tw.Trial(number, config, fraction, tuple(snapshots))
        told.append(trial.told(tw.Measurement(job(trial))))
    return [[t.config, t.fraction, list(t.snapshots)] for t in told]


def run(kernel: Kernel, asked: Asked, trials: int) -> Asked:
    """The same in a process of its own, under a kernel."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.kernels.studies", str(trials)],
        input=json.dumps(asked), stdout=subprocess.PIPE, env=kernel.environment(),
        cwd=ROOT, text=True, check=True,
    )  # fmt: skip
    return dict(json.loads(done.stdout))


if __name__ == "__main__":
    json.dump(gone_on(json.load(sys.stdin), int(sys.argv[1])), sys.stdout)
