"""Conditional spaces: how good the best of 40 trials is, beside Optuna's TPE.

Three problems are made up, with 1 for the best. The fourth chooses among learners of scikit-learn,
each with parameters of its own. Every problem is searched by ask and tell, through
`TunewiseSampler`, and by TPE. `python -m benchmarks.conditional` needs the extra `dev`.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import optuna

import tunewise as tw
from benchmarks import machine
from benchmarks.worlds.conditional import Conditional, problems
from tunewise.integrations.optuna import TunewiseSampler
from tunewise.space import Config


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--only", default="", help="problems whose names have this in them")
    given = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    print(f"{machine.described()}, {given.trials} trials, seeds {seeds[0]} to {seeds[-1]}\n")
    print("| problem | by | mean | worst | at half | seeds ahead of TPE | processor s |")
    print("|---|---|---|---|---|---|---|")
    for problem in problems():
        if given.only in problem.name:
            print_rows(problem, seeds, given.trials)


def print_rows(problem: Conditional, seeds: range, trials: int) -> None:
    """What each way of searching found."""
    rival: np.ndarray | None = None
    for by, search in WAYS.items():
        began = time.process_time()
        told = [search(problem, seed, trials) for seed in seeds]
        took = (time.process_time() - began) / len(seeds)
        best, half = (np.array([max(t[:n]) for t in told]) for n in (trials, trials // 2))
        rival = best if rival is None else rival
        ahead = f"{int((best > rival).sum())} of {len(seeds)}" if best is not rival else "–"
        cells = [problem.name, by, *(f"{v:.4f}" for v in (best.mean(), best.min(), half.mean()))]
        print(f"| {' | '.join([*cells, ahead, f'{took:.2f}'])} |", flush=True)


def by_ask_and_tell(problem: Conditional, seed: int, trials: int) -> list[float]:
    """The accuracies of trials that were asked for and told, in order."""
    study = tw.Study(tw.Problem(problem.space, maximize="accuracy"), seed=seed)
    for _ in range(trials):
        trial = study.ask()
        study.tell(trial, {"accuracy": problem.accuracy(trial.config)})
    return [trial.metrics["accuracy"] for trial in study.history]


def by_optuna(problem: Conditional, sampler: Any, trials: int) -> list[float]:
    """The accuracies of an Optuna study's trials, in order."""

    def objective(trial: Any) -> float:
        config: Config = {}
        for parameter in problem.space.activity.order:
            if problem.space.activity.active(parameter, config):
                config[parameter.name] = suggested(trial, parameter)
        return problem.accuracy(config)

    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=trials)
    return [float(trial.value or 0.0) for trial in study.trials]


def suggested(trial: Any, parameter: Any) -> Any:
    """The value that Optuna gives a parameter."""
    if isinstance(parameter, tw.Real):
        return trial.suggest_float(parameter.name, parameter.low, parameter.high, log=parameter.log)
    if isinstance(parameter, tw.Integer):
        return trial.suggest_int(parameter.name, parameter.low, parameter.high, log=parameter.log)
    return trial.suggest_categorical(parameter.name, list(parameter.values()))


WAYS: dict[str, Callable[[Conditional, int, int], list[float]]] = {
    "TPE": lambda p, seed, n: by_optuna(p, optuna.samplers.TPESampler(seed=seed), n),
    "ask and tell": by_ask_and_tell,
    "TunewiseSampler": lambda p, seed, n: by_optuna(p, TunewiseSampler(seed=seed), n),
}


if __name__ == "__main__":
    main()
