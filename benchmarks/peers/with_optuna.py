"""Optuna's samplers: categorical choices, ranked numbers, the cap as a constraint."""

# mypy: disable-error-code="import-not-found"
# The tools live in an environment of their own.

from collections.abc import Iterator
from typing import Any

import numpy as np
import optuna

from benchmarks.peers.arena import Arena, Told
from benchmarks.peers.axes import Axes

INITIAL = 4
"""Random trials to begin with: as many as the project's own baselines have; ten do worse here."""

optuna.logging.set_verbosity(optuna.logging.ERROR)


def tpe(arena: Arena, seed: int) -> Iterator[Told]:
    """TPE as it comes, but for its beginning, each trial at the full data."""
    return _at_full_data(arena, _study(seed, _tpe(seed)))


def gp(arena: Arena, seed: int) -> Iterator[Told]:
    """The Gaussian process sampler, told that trials repeat exactly, at the full data."""
    sampler = optuna.samplers.GPSampler(
        seed=seed, n_startup_trials=INITIAL, deterministic_objective=True
    )
    return _at_full_data(arena, _study(seed, sampler))


def hyperband(arena: Arena, seed: int) -> Iterator[Told]:
    """TPE with the Hyperband pruner: a trial passes through the fractions until it is pruned.

    It pays for the largest fraction that it reached, as if the smaller ones were snapshots of it.
    """
    resources = [max(1, round(s / arena.fractions[0])) for s in arena.fractions]
    pruner = optuna.pruners.HyperbandPruner(min_resource=1, max_resource=resources[-1])
    study = _study(seed, optuna.samplers.TPESampler(seed=seed), pruner)
    axes, reaching = Axes.of(arena.contest.table.configs), dict[int, list[int]]()
    while True:
        trial = study.ask(distributions(axes))
        config = config_at(axes, trial)
        reached = _passed(arena, config, trial, resources)
        whole = reached == arena.full and not trial.should_prune()
        _tell(study, trial, arena, config, reached, pruned=not whole)
        reaching.setdefault(reached, []).append(config)
        # Until one has finished, those that came furthest are all there is to deploy.
        furthest = max(reaching)
        yield Told(config, reached, arena.best_measured(reaching[furthest], furthest))


def _at_full_data(arena: Arena, study: optuna.Study) -> Iterator[Told]:
    axes, tried = Axes.of(arena.contest.table.configs), list[int]()
    while True:
        trial = study.ask(distributions(axes))
        config = config_at(axes, trial)
        _tell(study, trial, arena, config, arena.full)
        tried.append(config)
        yield Told(config, arena.full, arena.best_measured(tried))


def _passed(arena: Arena, config: int, trial: optuna.Trial, resources: list[int]) -> int:
    """The fraction at which the trial was pruned, or failed, or was done."""
    for i, resource in enumerate(resources):
        if not np.isfinite(arena.accuracy[config, i]):
            return i
        trial.report(float(arena.accuracy[config, i]), resource)
        if trial.should_prune():
            return i
    return arena.full


def _tell(
    study: optuna.Study,
    trial: optuna.Trial,
    arena: Arena,
    config: int,
    fraction: int,
    pruned: bool = False,
) -> None:
    value = float(arena.accuracy[config, fraction])
    if not np.isfinite(value):
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
        return
    trial.set_constraint("cost", float(arena.cost[config, fraction]) - arena.cap)
    if pruned:
        study.tell(trial, state=optuna.trial.TrialState.PRUNED)
    else:
        study.tell(trial, value)


def _tpe(seed: int) -> optuna.samplers.TPESampler:
    return optuna.samplers.TPESampler(seed=seed, n_startup_trials=INITIAL)


def _study(seed: int, sampler: Any, pruner: Any = None) -> optuna.Study:
    # Hyperband draws a trial's bracket from the study's name.
    name = f"peer-{seed}"
    return optuna.create_study(
        study_name=name, direction="maximize", sampler=sampler, pruner=pruner
    )


def distributions(axes: Axes) -> dict[str, Any]:
    """What each parameter may be: ranks of numbers, and choices."""
    return {
        name: optuna.distributions.IntDistribution(0, size - 1)
        if ordered
        else optuna.distributions.CategoricalDistribution(range(size))
        for name, size, ordered in zip(axes.names, axes.sizes, axes.ordered, strict=True)
    }


def config_at(axes: Axes, trial: optuna.Trial) -> int:
    """The measured config nearest to what a trial asks for."""
    return axes.nearest(tuple(trial.params[name] for name in axes.names))
