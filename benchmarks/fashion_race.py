"""Tunes a real training three ways, at the same seeds, and counts its seconds of training.

Usage: python -m benchmarks.fashion_race [--seeds 3] [--first-seed 0] [--trials 30]

`tunewise tune examples/fashion_mnist/cnn.yaml` as it comes, with its slices of the data; Optuna's
TPE at the full data, until it has trained for as many seconds; and `eic`, our constrained expected
improvement at the full data. Every trial is a training on this machine, one at a time; seconds are
those of the processor, as in our own tables. How good a config truly is, is read from the table
that `tunewise collect` made of the same job (`benchmarks/data/fashion_cnn.csv`, two repeats), so
that no side is judged by its own lucky draws.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tunewise as tw
from benchmarks import machine
from benchmarks.early_stop import CORES
from tunewise.errors import StrategyError, optional
from tunewise.execution import ProcessExecutor
from tunewise.history import History, Measurement, Trial
from tunewise.job import jobfile
from tunewise.job.workload import workload

JOB = Path(__file__).parents[1] / "examples" / "fashion_mnist" / "cnn.yaml"
LEVELS = (0.95, 0.99)


@dataclass(frozen=True)
class Step:
    """How a search stood: its seconds of training so far, and the share of the best accuracy."""

    seconds: float
    share: float


@dataclass(frozen=True)
class Truth:
    """What the collected grid says of each config at the full data."""

    table: tw.Table
    problem: tw.Problem

    def share(self, config: Mapping[str, Any] | None) -> float:
        """The accuracy of a config, as a share of the best; 0 where it misses the limit."""
        if config is None:
            return 0.0
        found = self.table(Trial(0, dict(config), 1.0))
        assert isinstance(found, Measurement)
        best = self.table.best(self.problem)
        assert best is not None
        kept = self.problem.feasible(found.metrics)
        return float(found.metrics["accuracy"]) / best.objective if kept else 0.0


def tuned(truth: Truth, seed: int, trials: int, strategy: str | None = None) -> list[Step]:
    """What `tunewise tune` does, and what it would have recommended after each trial."""
    with tempfile.TemporaryDirectory(prefix="tunewise-race-") as folder:
        url = f"sqlite:///{folder}/race.db"
        words = ["--storage", url, "--name", "race", "--seed", str(seed), "--quiet"]
        words += ["--trials", str(trials), *(["--strategy", strategy] if strategy else [])]
        program = Path(sys.executable).with_name("tunewise")
        command: list[str | Path] = [program, "tune", JOB, *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return list(_steps(tw.load_study(url, "race"), truth))


def _steps(study: tw.Study, truth: Truth) -> Iterator[Step]:
    seconds, told = 0.0, list[Trial]()
    for trial in sorted(study.history, key=lambda each: each.told_at or 0.0):
        told.append(trial)
        seconds += trial.spent["time"]
        try:
            config = study.strategy.recommend(History(sorted(told, key=lambda t: t.number))).config
        except StrategyError:
            config = None
        yield Step(seconds, truth.share(config))


def by_tpe(truth: Truth, seed: int, seconds: float) -> list[Step]:
    """Optuna's TPE at the full data, which deploys the best feasible config it has measured."""
    optuna = optional("optuna", "optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    file = jobfile.load(JOB)
    sampler = optuna.samplers.TPESampler(seed=seed)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    best: tuple[float, dict[str, Any] | None] = (0.0, None)
    steps, spent, price = list[Step](), 0.0, file.problem.price
    assert price is not None
    with ProcessExecutor(1) as executor:
        job = workload(file)
        while spent < seconds:
            asked = study.ask(_axes(optuna, file.problem.space))
            config = dict(asked.params)
            if config["workers"] == 1:
                config["mode"] = "sync"  # one worker has nobody to wait for
            outcome = executor.submit(job, Trial(asked.number, config)).result()
            assert isinstance(outcome, Measurement), outcome
            usd = price(config) * outcome.metrics["time"] / 3600
            accuracy = float(outcome.metrics["accuracy"])
            kept = file.problem.feasible({**outcome.metrics, "cost": usd})
            asked.set_constraint("limits", -1.0 if kept else 1.0)
            study.tell(asked, accuracy)
            spent += outcome.metrics["time"]
            best = max(best, (accuracy, config), key=lambda each: each[0]) if kept else best
            steps.append(Step(spent, truth.share(best[1])))
    return steps


def _axes(optuna: Any, space: tw.Space) -> dict[str, Any]:
    return {
        parameter.name: optuna.distributions.CategoricalDistribution(list(parameter.values()))
        for parameter in space.parameters
    }


def reached(steps: list[Step], level: float) -> float | None:
    """Seconds of training from which on the recommendation stays at or above the level."""
    since: float | None = None
    for step in steps:
        since = None if step.share < level else step.seconds if since is None else since
    return since


def main() -> None:
    """Print a row for each seed as it is done, and what they say together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--trials", type=int, default=30)
    asked = parser.parse_args()
    table = tw.Table(machine.OWN / "fashion_cnn.csv", CORES)
    truth = Truth(table, jobfile.load(JOB).problem)
    print(machine.described() + "\n")
    head = ["seed", "search", "trials", "s of training", "final share of the best"]
    head += [f"s to {level:.0%}" for level in LEVELS]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    ratios: dict[float, list[float]] = {level: [] for level in LEVELS}
    for seed in range(asked.first_seed, asked.first_seed + asked.seeds):
        ours = tuned(truth, seed, asked.trials)
        _print(seed, "`tunewise tune`", ours)
        _print(seed, "Optuna TPE", by_tpe(truth, seed, ours[-1].seconds))
        full = tuned(truth, seed, asked.trials, "eic")
        _print(seed, "`eic`", full)
        for level in LEVELS:
            mine, theirs = reached(ours, level), reached(full, level)
            if mine is not None:
                ratios[level].append(mine / (theirs or full[-1].seconds))
    for level, each in ratios.items():
        told = f"{statistics.median(each):.2f}, worst {max(each):.2f}" if each else "never reached"
        print(f"seconds to {level:.0%} over those of `eic` ({len(each)} seeds): median {told}")


def _print(seed: int, name: str, steps: list[Step]) -> None:
    cells = [str(seed), name, str(len(steps)), f"{steps[-1].seconds:.1f}", f"{steps[-1].share:.4f}"]
    cells += ["–" if (s := reached(steps, level)) is None else f"{s:.1f}" for level in LEVELS]
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
