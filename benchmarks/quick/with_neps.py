"""NePS: Hyperband, and PriorBand with the middle of each range as its prior.

Its Gaussian process is left out: a search of 40 trials takes more than five minutes.
"""

# mypy: disable-error-code="import-not-found"
# The tools live in an environment of their own.

import logging
import random
from typing import Any

import neps
import numpy as np
import torch

from benchmarks.quick.ground import Axis, Ground

logging.getLogger("neps").setLevel(logging.ERROR)


def hyperband(ground: Ground, seed: int) -> None:
    """Random configs."""
    _search(ground, seed, neps.algorithms.hyperband(_space(ground)))


def priorband(ground: Ground, seed: int) -> None:
    """Configs by chance, from the prior, and near the best so far."""
    space = _space(ground, prior=True)
    _search(ground, seed, neps.algorithms.priorband(space))


def _search(ground: Ground, seed: int, optimizer: Any) -> None:
    for seeded in (random.seed, np.random.seed, torch.manual_seed):
        seeded(seed)
    asked = neps.AskAndTell(optimizer)
    while True:
        trial = asked.ask()
        seen = ground.run(trial.config, ground.nearest(trial.config["step"]))
        asked.tell(trial, {"objective_to_minimize": 1 - seen.penalised})


def _space(ground: Ground, prior: bool = False) -> Any:
    found = {axis.name: _parameter(axis, prior) for axis in ground.axes}
    found["step"] = neps.HPOInteger(1, ground.steps()[-1], is_fidelity=True)
    return neps.SearchSpace(found)


def _parameter(axis: Axis, prior: bool) -> Any:
    if axis.values:
        return neps.HPOCategorical(list(axis.values), prior=axis.values[0] if prior else None)
    number = neps.HPOInteger if axis.whole else neps.HPOFloat
    middle = (axis.low * axis.high) ** 0.5 if axis.log else (axis.low + axis.high) / 2
    bounds = (int(axis.low), int(axis.high)) if axis.whole else (axis.low, axis.high)
    known = (int(middle) if axis.whole else middle) if prior else None
    return number(*bounds, log=axis.log, prior=known)
