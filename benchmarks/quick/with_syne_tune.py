"""Syne Tune: ASHA, BOHB, and BOHB's density estimates alone; a broken limit is a penalty."""

# mypy: disable-error-code="import-not-found"
# The tools live in an environment of their own.

import datetime
from typing import Any

from syne_tune import config_space as of
from syne_tune.backend.trial_status import Trial
from syne_tune.optimizer.baselines import ASHA, BOHB, TPE
from syne_tune.optimizer.scheduler import SchedulerDecision

from benchmarks.quick.ground import Axis, Ground


def asha(ground: Ground, seed: int) -> None:
    """Random configs; a trial passes through the slices until it is stopped."""
    _search(ground, ASHA(**_said(ground, seed), time_attr="step", max_t=ground.steps()[-1]))


def bohb(ground: Ground, seed: int) -> None:
    """The same with configs from density estimates."""
    _search(ground, BOHB(**_said(ground, seed), time_attr="step", max_t=ground.steps()[-1]))


def density(ground: Ground, seed: int) -> None:
    """Density estimates at the full data."""
    _search(ground, TPE(**_said(ground, seed)), slices=False)


def _said(ground: Ground, seed: int) -> dict[str, Any]:
    space = {axis.name: _domain(axis) for axis in ground.axes}
    return {"config_space": space, "metric": "score", "do_minimize": False, "random_seed": seed}


def _search(ground: Ground, scheduler: Any, slices: bool = True) -> None:
    steps = dict(zip(ground.fractions, ground.steps(), strict=True)) if slices else {1.0: 1}
    number = 0
    # A finite space is left without a suggestion once all of it was tried.
    while (suggested := scheduler.suggest()) is not None:
        trial = Trial(number, suggested.config, datetime.datetime.now())
        scheduler.on_trial_add(trial)
        for fraction, step in steps.items():
            result = {"score": ground.run(trial.config, fraction).penalised, "step": step}
            if step < steps[1.0]:
                if scheduler.on_trial_result(trial, result) == SchedulerDecision.STOP:
                    scheduler.on_trial_remove(trial)
                    break
            else:
                scheduler.on_trial_complete(trial, result)
        number += 1


def _domain(axis: Axis) -> Any:
    if axis.values:
        return of.choice(list(axis.values))
    if axis.whole:
        return (of.lograndint if axis.log else of.randint)(int(axis.low), int(axis.high))
    return (of.loguniform if axis.log else of.uniform)(axis.low, axis.high)
