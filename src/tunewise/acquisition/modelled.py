"""From a history to the posterior: which trials could be run, and what models each metric."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tunewise.acquisition.search.screening import promising
from tunewise.acquisition.search.searched import searched
from tunewise.belief.candidates import Candidates, pool
from tunewise.belief.grid import Grid, Index, open_trials, settled, telling
from tunewise.belief.model import Model
from tunewise.belief.posterior import Posterior
from tunewise.belief.prior_mean import PriorMeans
from tunewise.history import History
from tunewise.history.repeats import agree, differs, noisy
from tunewise.problem import Problem
from tunewise.space.space import NEAR

Fractions = Literal["all", "slices", "full", "deployable"]

POOL = 128
"""Configs that are drawn for an ask where a space has too many to list: a search that begins at the
best of them finds more than a large pool."""


@dataclass(frozen=True)
class Modelled:
    """A posterior over a pool of configs and the fractions that may be tried.

    Attributes:
        model: What is assumed of every metric.
        fractions: Which trials are run: "all", "slices" below the full data, the "full" data
            only, or what is "deployable": all where any fraction may be deployed.
        candidates: Up to how many configs a space is looked at whole; of a larger one a pool is.
        weighed: How many of them are weighed; None for all.
    """

    model: Model = Model()
    fractions: Fractions = "all"
    candidates: int = 2000
    weighed: int | None = None

    def grid(self, problem: Problem, history: History, seed: int) -> Grid:
        """All trials that could be run."""
        only_full = self.fractions == "full" or (
            self.fractions == "deployable" and problem.deploy == "full"
        )
        fractions = np.array((1.0,) if only_full else problem.fractions)
        most = self.candidates if self._listed(problem) else min(self.candidates, POOL)
        return Grid(pool(problem, history, seed, most), fractions)

    def posterior(
        self, problem: Problem, history: History, seed: int, prior: PriorMeans | None
    ) -> Posterior | None:
        """What is believed, None while no trial is complete."""
        if not any(t.fraction == 1.0 or not self.model.full_only for t in history.complete):
            return None
        grid = self.grid(problem, history, seed)
        made = Posterior.of(problem, history, grid, self.model, prior, np.empty(0, np.intp))
        if self.weighed is not None and len(grid.candidates) > self.weighed:
            grid = replace(grid, candidates=grid.candidates.at(promising(made, self.weighed)))
            made = self._over(made, grid)
        if self._listed(problem):
            return self._over(made, grid)
        key, known = problem.space.key, grid.candidates
        have = {key(config) for config in known.configs}
        found = {key(c): c for c in searched(made, seed) if key(c) not in have}
        more = Candidates.of(problem, [*known.configs, *found.values()])
        return self._over(made, replace(grid, candidates=more))

    def _over(self, posterior: Posterior, grid: Grid) -> Posterior:
        """The same belief about another grid, with all of its trials open that may be."""
        open_ = self._open(posterior.problem, posterior.history, grid)
        return posterior.over(grid, open_)

    def _listed(self, problem: Problem) -> bool:
        """Whether all configs of the space are weighed: then there are no others to search for."""
        return problem.space.size is not None and problem.space.size <= self.candidates

    def _open(self, problem: Problem, history: History, grid: Grid) -> Index:
        unrelated = self.model.unrelated(problem)
        drawn = not self.model.published and differs(problem, history, problem.objective)
        again = unrelated or drawn
        open_ = open_trials(problem, history, grid, again)
        if unrelated and all(agree(problem, history, name) for name in problem.needed):
            open_ = np.setdiff1d(open_, settled(problem, history, grid), assume_unique=True)
        if self.fractions == "slices" and len(grid.fractions) > 1:
            open_ = open_[grid.fraction(open_) < 1.0]
        if len(grid.fractions) > 1 and not self.model.published and problem.deploy == "full":
            tells = telling(problem, history, grid.fractions)
            larger = open_[tells[open_ % len(tells)]]
            open_ = larger if len(larger) else open_
        if problem.space.finite or noisy(problem, history):
            return open_
        new = open_[~_like_tried(problem, history, grid, open_)]
        return new if len(new) else open_


def _like_tried(problem: Problem, history: History, grid: Grid, trials: Index) -> np.ndarray:
    """Which of the trials are the same as one that was run, to a few digits, (m,)."""
    if not len(history):
        return np.zeros(len(trials), bool)
    tried = problem.space.encode([t.config for t in history])
    known = {(row.tobytes(), t.fraction) for row, t in zip(_rounded(tried), history, strict=True)}
    rows, fractions = _rounded(grid.candidates.x), grid.fraction(trials)
    pairs = zip(grid.config(trials).tolist(), fractions.tolist(), strict=True)
    return np.array([(rows[i].tobytes(), s) in known for i, s in pairs], bool)


def _rounded(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.round(x / NEAR) + 0.0)
