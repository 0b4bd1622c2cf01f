"""The best measured config, with what all trials teach about a new training of it."""

import numpy as np

from tunewise.belief.candidates import Candidates
from tunewise.belief.grid import Grid
from tunewise.belief.model import Model
from tunewise.belief.posterior import Posterior
from tunewise.belief.prior_mean import PriorMeans
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.strategy.loop.measured import best_measured
from tunewise.strategy.loop.recommender import best_by_measurement
from tunewise.strategy.strategy import Recommendation


def best_tried(
    problem: Problem, history: History, prior: PriorMeans | None = None
) -> Recommendation:
    """The best measured config that keeps the limits, and what is believed of a new training.

    Where nothing has to be kept, what was measured is all there is to say.
    """
    if not problem.constraints or not len(history.complete):
        return best_measured(problem, history)
    return best_by_measurement(posterior_of_tried(problem, history, prior).stated.tested)


def posterior_of_tried(
    problem: Problem, history: History, prior: PriorMeans | None = None
) -> Posterior:
    """What all trials teach about the configs that were measured."""
    key = problem.space.key
    tried = {key(t.config): t.config for t in history.complete}
    grid = Grid(Candidates.of(problem, list(tried.values())), np.array(problem.fractions))
    return Posterior.of(problem, history, grid, Model(), prior)
