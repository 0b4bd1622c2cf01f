"""The same belief about other configs."""

from dataclasses import replace

import numpy as np

from tunewise.belief.candidates import Candidates
from tunewise.belief.grid import Grid
from tunewise.belief.posterior import Posterior


def over(posterior: Posterior, candidates: Candidates) -> Posterior:
    """What is believed of other candidates on the full data; none of their trials is open."""
    grid = Grid(candidates, np.ones(1))
    return replace(posterior, grid=grid, open=np.empty(0, np.intp), _cache={})
