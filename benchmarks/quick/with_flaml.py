"""FLAML: BlendSearch with the slice as its resource, where there is one; the limit is its own."""

# mypy: disable-error-code="import-not-found"
# The tools live in an environment of their own.

import logging
from typing import Any

from flaml import tune
from flaml.tune.searcher.blendsearch import BlendSearch

from benchmarks.quick.ground import Axis, Ground

TRIES = 50
"""It may have no suggestion, and be asked again; after so many it has none left."""

logging.getLogger("flaml").setLevel(logging.ERROR)


def blend_search(ground: Ground, seed: int) -> None:
    """Local searches from a low cost on, and TPE beside them."""
    steps = ground.steps()
    slices: dict[str, Any] = {}
    if len(steps) > 1:
        slices = {"resource_attr": "step", "min_resource": 1, "max_resource": steps[-1]}
        slices["reduction_factor"] = 3
    searcher = BlendSearch(
        metric="accuracy",
        mode="max",
        space={axis.name: _domain(axis) for axis in ground.axes},
        metric_constraints=[("over", "<=", 0.0)] if ground.limited else None,
        num_samples=ground.most,
        seed=seed,
        **slices,
    )
    left, number = TRIES, 0
    while left:
        number, left = number + 1, left - 1
        config = searcher.suggest(str(number))
        if config is None:
            continue
        step = config.get("step", steps[-1])
        seen = ground.run(config, ground.nearest(step))
        told = {"accuracy": seen.accuracy, "over": seen.over, "time_total_s": float(step)}
        searcher.on_trial_complete(str(number), {**told, "config": config})
        left = TRIES


def _domain(axis: Axis) -> Any:
    if axis.values:
        return tune.choice(list(axis.values))
    if axis.whole:  # the upper end is left out
        return (tune.lograndint if axis.log else tune.randint)(int(axis.low), int(axis.high) + 1)
    return (tune.loguniform if axis.log else tune.uniform)(axis.low, axis.high)
