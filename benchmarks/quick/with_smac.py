"""SMAC3: its random forest, and with Hyperband; a broken limit is a penalty."""

# mypy: disable-error-code="import-not-found"
# The tools live in an environment of their own.

import tempfile
from typing import Any

from ConfigSpace import Categorical, ConfigurationSpace, Float, InCondition, Integer
from smac import HyperparameterOptimizationFacade, MultiFidelityFacade, Scenario
from smac.runhistory import TrialValue

from benchmarks.quick.ground import Axis, Ground


def forest(ground: Ground, seed: int) -> None:
    """Every trial at the full data."""
    _search(ground, seed, HyperparameterOptimizationFacade)


def hyperband(ground: Ground, seed: int) -> None:
    """Hyperband decides on which slice a config is tried."""
    _search(ground, seed, MultiFidelityFacade, min_budget=1, max_budget=ground.steps()[-1])


def _search(ground: Ground, seed: int, facade: Any, **budgets: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(
            _space(ground, seed), deterministic=True, n_trials=ground.most, seed=seed,
            output_directory=folder, **budgets,
        )  # fmt: skip
        begin = facade.get_initial_design(scenario, n_configs=8)  # not a quarter of all
        smac = facade(scenario, _never_called, initial_design=begin, logging_level=False)
        while True:
            info = smac.ask()
            fraction = ground.nearest(info.budget) if budgets else 1.0
            seen = ground.run(dict(info.config), fraction)
            smac.tell(info, TrialValue(cost=1 - seen.penalised), save=False)


def _never_called(config: Any, seed: int = 0, budget: float = 0.0) -> float:
    raise AssertionError("trials are asked for and told")


def _space(ground: Ground, seed: int) -> Any:
    space = ConfigurationSpace(seed=seed)
    found = {axis.name: _parameter(axis) for axis in ground.axes}
    space.add(*found.values())
    for axis in ground.axes:
        for name, values in (axis.when or {}).items():
            space.add(InCondition(found[axis.name], found[name], list(values)))
    return space


def _parameter(axis: Axis) -> Any:
    if axis.values:
        return Categorical(axis.name, list(axis.values))
    bounds = (int(axis.low), int(axis.high)) if axis.whole else (axis.low, axis.high)
    return (Integer if axis.whole else Float)(axis.name, bounds, log=axis.log)
