"""Where BOHB's new configs come from: a model of the largest fraction that is known enough."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tunewise.acquisition.density_ratio import DensityRatio
from tunewise.acquisition.improvement import log_constrained_expected_improvement
from tunewise.belief.candidates import Candidates, pool
from tunewise.belief.choice import chances, highest
from tunewise.belief.extrapolation import Extrapolation
from tunewise.belief.grid import Grid
from tunewise.belief.model import Model
from tunewise.belief.posterior import Posterior
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.strategy.loop.options import check
from tunewise.strategy.successive_halving.brackets import Vacancy, by_chance
from tunewise.surrogate import Array

Score: TypeAlias = Callable[[Vacancy, Candidates, float], Array]
"""From the untried candidates (n) and a fraction to what each is worth there, (n,)."""


@dataclass(frozen=True)
class ByModel:
    """The untried config of most worth, or by chance a random one.

    The model is asked once one fraction has more measurements than the space has parameters.

    Attributes:
        random: The share of new configs that is drawn by chance.
        candidates: How many configs are weighed where the space has more than that.
        score: What each untried config is worth.
    """

    random: float
    candidates: int
    score: Score

    def __post_init__(self) -> None:
        """Refuse what cannot be, by name."""
        check(random=self.random, candidates=self.candidates)

    def __call__(self, vacancy: Vacancy) -> Config | None:
        """A config that was never tried, None where there is none left."""
        problem, history, seed = vacancy.problem, vacancy.history, vacancy.seed
        fraction = _best_known_fraction(problem, history)
        chance = np.random.default_rng([seed, len(history), 1]).random() < self.random
        if fraction is None or chance:
            return by_chance(vacancy)
        every, key = pool(problem, history, seed, self.candidates), problem.space.key
        left = every.at(np.flatnonzero([key(c) not in vacancy.known for c in every.configs]))
        if not len(left):
            return by_chance(vacancy)
        worth = self.score(vacancy, left, fraction)
        return left.configs[highest(worth, chances(len(left), seed), logarithms=True)]


def _best_known_fraction(problem: Problem, history: History) -> float | None:
    """The largest fraction with more measurements than parameters, None for none."""
    seen = history.observations(problem.objective).fractions
    enough = len(problem.space.parameters) + 1
    return max(
        (s for s in problem.fractions if np.count_nonzero(seen == s) >= enough), default=None
    )


def _ranked(problem: Problem, history: History, fraction: float) -> list[tuple[Any, Trial]]:
    """Complete trials on a fraction, the best first: by missed limits, then by objective."""
    carried = Extrapolation.of(problem, history)
    there = [(carried.standing(t), t) for t in history.complete if t.fraction == fraction]
    return sorted(there, key=lambda pair: pair[0])


@dataclass(frozen=True)
class Improvement:
    """Constrained expected improvement on the best config that is expected to keep the limits."""

    model: Model

    def __call__(self, vacancy: Vacancy, left: Candidates, fraction: float) -> Array:
        """What each untried candidate is worth, (n,)."""
        problem, history = vacancy.problem, vacancy.history
        grid = Grid(left, np.array(problem.fractions))
        waiting = [(t.config, t.fraction) for t in history.pending]
        posterior = Posterior.of(problem, history, grid, self.model, vacancy.prior)
        posterior = posterior.assuming(waiting)
        here = problem.fractions.index(fraction)
        deployed = here if problem.deploy == "any" else -1
        kept = [t for rank, t in _ranked(problem, history, fraction) if rank[0] == 0]
        best = posterior.value_at(kept[0].config, fraction) if kept else None
        value = posterior.value()[:, here]
        return log_constrained_expected_improvement(value, best, posterior.feasible()[:, deployed])


@dataclass(frozen=True)
class Densities:
    """The ratio of two kernel densities at samples of the good one (equations 2 to 4)."""

    top: float

    def __call__(self, vacancy: Vacancy, left: Candidates, fraction: float) -> Array:
        """What each untried candidate is worth, (n,)."""
        problem, history = vacancy.problem, vacancy.history
        ranked = [t.config for _, t in _ranked(problem, history, fraction)]
        least = len(problem.space.parameters) + 1
        ratio = DensityRatio.of(problem.space.encode(ranked), self.top, least)
        return ratio.sampled(left.x, np.random.default_rng([vacancy.seed, len(history), 2]))
