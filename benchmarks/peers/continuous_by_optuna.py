"""Optuna's samplers on continuous problems with slices of the data.

The plain samplers train on the full data. With Hyperband a trial passes through the slices until it
is pruned, and pays for the largest that it reached, as if the smaller ones were snapshots of it.
"""

# mypy: disable-error-code="import-not-found"
# The tools live in an environment of their own.

from typing import Any, NamedTuple

import numpy as np
import optuna

from benchmarks.peers.with_optuna import INITIAL
from benchmarks.rules import PATIENCE
from benchmarks.worlds.world import Job, World
from tunewise.history import Trial
from tunewise.problem import Metrics
from tunewise.space import Config, Real

optuna.logging.set_verbosity(optuna.logging.ERROR)


class Tried(NamedTuple):
    """A config, the largest slice it was trained on, and what was measured there."""

    config: Config
    fraction: float
    metrics: Metrics


def searched_by_optuna(
    world: World, entrant: str, seed: int, units: float, most: int
) -> list[list[float]]:
    """Spending in units and share of the optimum, before any trial and after each."""
    study, job, tried = _study(entrant, world, seed), world.job(seed), list[Tried]()
    blind = np.random.default_rng([seed, 99])
    told = [[0.0, world.share(world.problem.space.sample(1, blind)[0])]]
    while told[-1][0] < units and len(tried) < most:
        trial = study.ask(_distributions(world))
        if "hyperband" in entrant:
            tried.append(_climbed(world, study, trial, job))
        else:
            config = dict(trial.params)
            tried.append(Tried(config, 1.0, stopped(world, job, Trial(len(tried), config))))
            _tell(world, study, trial, tried[-1], pruned=False)
        spent = told[-1][0] + tried[-1].metrics["time"] / world.unit
        told.append([spent, world.share(_best(world, tried))])
    return told


def stopped(world: World, job: Job, trial: Trial) -> Metrics:
    """What a trial measures, stopped once it has taken twice its part of the limit.

    What was learned by then counts as if it had ended: a gift, for a tool that knows no such end.
    """
    metrics = dict(job(trial).metrics)
    limits = [c.bound for c in world.problem.constraints if c.metric == "time"]
    metrics["time"] = min(metrics["time"], PATIENCE * trial.fraction * min(limits, default=np.inf))
    return metrics


def _climbed(world: World, study: optuna.Study, trial: optuna.Trial, job: Job) -> Tried:
    config = dict(trial.params)
    for fraction in world.problem.fractions:
        metrics = stopped(world, job, Trial(trial.number, config, fraction))
        trial.report(metrics[world.problem.objective], round(fraction / world.problem.fractions[0]))
        if trial.should_prune():
            break
    tried = Tried(config, fraction, metrics)
    _tell(world, study, trial, tried, pruned=fraction < 1.0 or trial.should_prune())
    return tried


def _tell(
    world: World, study: optuna.Study, trial: optuna.Trial, tried: Tried, pruned: bool
) -> None:
    for limit in world.problem.constraints:
        assert limit.sign == "<=", "all of these limits are upper ones"
        value, bound = tried.metrics[limit.metric], tried.fraction * limit.bound
        trial.set_constraint(limit.metric, float(np.log(value / bound)))
    if pruned:
        study.tell(trial, state=optuna.trial.TrialState.PRUNED)
    else:
        study.tell(trial, tried.metrics[world.problem.objective])


def _best(world: World, tried: list[Tried]) -> Config:
    """The best measured one within the limits on the largest slice, else the nearest to them."""
    largest = max(one.fraction for one in tried)
    there = [one for one in tried if one.fraction == largest]

    def standing(one: Tried) -> tuple[float, float]:
        over = sum(
            max(one.metrics[c.metric] / (largest * c.bound) - 1, 0.0)
            for c in world.problem.constraints
        )
        return -over, one.metrics[world.problem.objective]

    return max(there, key=standing).config


def _study(entrant: str, world: World, seed: int) -> optuna.Study:
    sampler: Any
    pruner: Any = None
    if entrant == "optuna gp":
        sampler = optuna.samplers.GPSampler(seed=seed, n_startup_trials=INITIAL)
    else:
        sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=INITIAL)
    if "hyperband" in entrant:
        rungs = round(1 / world.problem.fractions[0])
        pruner = optuna.pruners.HyperbandPruner(min_resource=1, max_resource=rungs)
    return optuna.create_study(
        study_name=f"peer-{seed}", direction="maximize", sampler=sampler, pruner=pruner
    )


def _distributions(world: World) -> dict[str, Any]:
    found = {}
    for p in world.problem.space.parameters:
        assert isinstance(p, Real), "all of these parameters are real"
        told = p.describe()
        found[p.name] = optuna.distributions.FloatDistribution(
            told["low"], told["high"], log=bool(told.get("log"))
        )
    return found
