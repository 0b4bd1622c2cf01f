"""Optuna's samplers at the search for the cheapest config within a time limit."""

# mypy: disable-error-code="import-not-found"
# The tools live in an environment of their own.

import math
from collections.abc import Callable
from typing import Any

import optuna

import tunewise as tw
from benchmarks.peers.axes import Axes
from benchmarks.peers.with_optuna import INITIAL, config_at, distributions
from tunewise.history import Measurement, Outcome, Trial

MOST = 60
"""Trials after which a search that found nothing is given up, and booked at what it has spent."""

optuna.logging.set_verbosity(optuna.logging.ERROR)


def spent_by_optuna(
    entrant: str, table: tw.Table, limit: float, good: Callable[[Outcome], bool], seed: int
) -> float:
    """USD until a config is good; one that comes again is not paid for again."""
    axes = Axes.of(table.configs)
    study = optuna.create_study(direction="minimize", sampler=_sampler(entrant, seed))
    paid: dict[int, float] = {}
    for _ in range(MOST):
        trial = study.ask(distributions(axes))
        config = config_at(axes, trial)
        outcome = table(Trial(0, table.configs[config]))
        paid[config] = outcome.metrics["cost"]
        if good(outcome):
            break
        _tell(study, trial, outcome, limit)
    return math.fsum(paid.values())


def _sampler(entrant: str, seed: int) -> Any:
    if entrant == "optuna tpe":
        return optuna.samplers.TPESampler(seed=seed, n_startup_trials=INITIAL)
    return optuna.samplers.GPSampler(
        seed=seed, n_startup_trials=INITIAL, deterministic_objective=True
    )


def _tell(study: optuna.Study, trial: optuna.Trial, outcome: Outcome, limit: float) -> None:
    """Logarithms: cost and time are multiplicative, and so the sampler need not guess it."""
    if not isinstance(outcome, Measurement):
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
        return
    trial.set_constraint("time", math.log(outcome.metrics["time"] / limit))
    study.tell(trial, math.log(outcome.metrics["cost"]))
