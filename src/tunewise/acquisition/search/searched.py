"""Configs that a pool lacks: what climbs from its best found, locally and globally."""

from collections.abc import Sequence

import numpy as np

from tunewise.acquisition.search.climbing import climbed
from tunewise.acquisition.search.moves import Boxes, perturbed
from tunewise.belief.candidates import Candidates, log_price
from tunewise.belief.choice import even_chances, highest, highest_few
from tunewise.belief.grid import Index
from tunewise.belief.posterior import HOPE, Posterior
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.surrogate.normal import Array

_STARTS = 4
"""Climbs of one kind begin at so many of the best configs."""
_ROUNDS = 6
"""Steps of each climb: most have arrived by then. Time grows in proportion."""
_NEAR = 0.25
"""Configs drawn in the region, as a share of the pool."""
SIDE = 0.5
"""Of the region, as a part of the cube's. No region at all is .11 worse on continuous problems; a
side that trials earn is no better up to ten parameters, and worse beyond (NOTEBOOK.md)."""


def searched(posterior: Posterior, seed: int) -> list[Config]:
    """Neighbours of the best config, and where climbs have led.

    What is expected to be best is sought everywhere. What might be better than expected is sought
    only in a region around it: far away from all trials anything might be.
    """
    problem, history, space = posterior.problem, posterior.history, posterior.problem.space
    pool, rng = posterior.grid.candidates, np.random.default_rng([seed, len(history), 7])
    full = posterior.over(pool)
    best = pool.x[highest(full.rewards, even_chances(len(pool)))]
    near = space.decode(perturbed(space, best, SIDE, int(_NEAR * len(pool)), rng))
    near = [config for config in near if space.allows(config)]
    local = posterior.over(Candidates.of(problem, near)) if near else full
    # All climbs go at once: by what is expected in the region and everywhere, and by what may be.
    expected, anywhere, hoped = _starts(local, 0.0), _starts(full, 0.0), _starts(local, HOPE)
    starts = np.concatenate([expected, hoped, anywhere])
    inside = np.repeat(best[None], len(expected) + len(hoped), axis=0)
    boxes = Boxes.of(space, inside, SIDE)
    boxes += Boxes(np.zeros_like(anywhere), np.ones_like(anywhere))
    hopes = np.repeat([False, True, False], [len(expected), len(hoped), len(anywhere)])

    def value(configs: Sequence[Config], x: Array, climbs: Index) -> Array:
        there = posterior.over(_places(problem, configs, x))
        worth = np.where(hopes[climbs], there.hopeful(HOPE), there.rewards)
        return np.asarray(np.log(np.maximum(worth, np.finfo(float).tiny)), float)

    ends = climbed(space, starts, value, boxes, _ROUNDS, rng)
    led = [config for config in space.decode(ends) if space.allows(config)]
    return [*near, *led]


def _starts(pool: Posterior, hope: float) -> Array:
    """The best places of a pool, (k, width)."""
    chance = even_chances(len(pool.grid.candidates))
    few = min(_STARTS, len(chance))
    return pool.grid.candidates.x[highest_few(pool.hopeful(hope), few, chance)]


def _places(problem: Problem, configs: Sequence[Config], x: Array) -> Candidates:
    """Places (n, width) as candidates; where prices are known they need their configs."""
    if problem.price is not None:
        configs = configs or problem.space.decode(x)
        return Candidates(configs, x, log_price(problem, configs))
    return Candidates(configs, x, np.zeros(len(x)))
