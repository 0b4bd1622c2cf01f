"""Optuna: TPE, the Gaussian process, and TPE with Hyperband; the limit is a constraint of its."""

# mypy: disable-error-code="import-not-found"
# The tools live in an environment of their own.

from typing import Any

import optuna

from benchmarks.quick.ground import Axis, Ground

INITIAL = 4  # random trials; ten, its default, do worse in searches as short as these
optuna.logging.set_verbosity(optuna.logging.ERROR)


def tpe(ground: Ground, seed: int) -> None:
    """TPE at the full data."""
    _search(ground, seed, optuna.samplers.TPESampler(seed=seed, n_startup_trials=INITIAL))


def gp(ground: Ground, seed: int) -> None:
    """The Gaussian process at the full data."""
    _search(ground, seed, optuna.samplers.GPSampler(seed=seed, n_startup_trials=INITIAL))


def hyperband(ground: Ground, seed: int) -> None:
    """TPE; a trial passes through the slices until Hyperband prunes it."""
    pruner = optuna.pruners.HyperbandPruner(min_resource=1, max_resource=ground.steps()[-1])
    _search(ground, seed, optuna.samplers.TPESampler(seed=seed, n_startup_trials=INITIAL), pruner)


def _search(ground: Ground, seed: int, sampler: Any, pruner: Any = None) -> None:
    # Hyperband draws a trial's bracket from the study's name.
    said = {"study_name": f"quick-{seed}", "sampler": sampler, "pruner": pruner}
    study = optuna.create_study(direction="maximize", **said)
    steps = dict(zip(ground.fractions, ground.steps(), strict=True)) if pruner else {1.0: 1}
    while True:
        trial = study.ask()
        point: dict[str, Any] = {}
        for axis in ground.axes:
            if axis.active(point):
                point[axis.name] = _suggested(trial, axis)
        pruned = False
        for fraction, step in steps.items():
            seen = ground.run(point, fraction)
            trial.report(seen.accuracy, step)
            if pruner and (pruned := trial.should_prune()):
                break
        if seen.over is not None:
            trial.set_constraint("limit", seen.over)
        state = optuna.trial.TrialState.PRUNED if pruned else None
        study.tell(trial, None if pruned else seen.accuracy, state)


def _suggested(trial: optuna.Trial, axis: Axis) -> Any:
    if axis.values:
        return trial.suggest_categorical(axis.name, axis.values)
    if axis.whole:
        return trial.suggest_int(axis.name, int(axis.low), int(axis.high), log=axis.log)
    return trial.suggest_float(axis.name, axis.low, axis.high, log=axis.log)
