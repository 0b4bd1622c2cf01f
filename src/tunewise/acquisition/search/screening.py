"""Which configs of a large pool are worth weighing: a look at the full data alone, for all."""

import numpy as np

from tunewise.belief.choice import even_chances, highest_few
from tunewise.belief.grid import Index
from tunewise.belief.posterior import HOPE, Posterior


def promising(posterior: Posterior, most: int) -> Index:
    """The numbers of the configs to weigh, ascending: all that were tried, and about `most`.

    Half of them an optimist would keep, a quarter is best as expected, the rest is spread evenly.
    """
    pool, key = posterior.grid.candidates, posterior.problem.space.key
    tried = {key(trial.config) for trial in posterior.history}
    known = [i for i, config in enumerate(pool.configs) if key(config) in tried]
    full, chance = posterior.over(pool), even_chances(len(pool))
    hopeful = highest_few(full.hopeful(HOPE), most // 2, chance)
    expected = highest_few(full.rewards, most // 4, chance)
    spread = np.linspace(0, len(pool) - 1, most - len(hopeful) - len(expected)).astype(np.intp)
    return np.unique(np.concatenate([np.array(known, np.intp), hopeful, expected, spread]))
