"""From a history to the posterior: which trials could be run, and what models each metric."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tunewise.belief.candidates import pool
from tunewise.belief.grid import Grid, Index, open_trials
from tunewise.belief.model import Model
from tunewise.belief.posterior import Posterior
from tunewise.belief.prior_mean import PriorMeans
from tunewise.history import History
from tunewise.problem import Problem

Fractions = Literal["all", "slices", "full", "deployable"]

_DIGITS = 3
"""Configs of a continuous space that are the same to so many digits of its unit cube are the same
for all that a training shows."""


@dataclass(frozen=True)
class Modelled:
    """A posterior over a pool of configs and the fractions that may be tried.

    Attributes:
        model: What is assumed of every metric.
        fractions: Which trials are run: "all", "slices" below the full data, the "full" data
            only, or what is "deployable": all where any fraction may be deployed.
        candidates: How many configs are weighed where the space has more than that.
    """

    model: Model = Model()
    fractions: Fractions = "all"
    candidates: int = 2000

    def grid(self, problem: Problem, history: History, seed: int) -> Grid:
        """All trials that could be run."""
        only_full = self.fractions == "full" or (
            self.fractions == "deployable" and problem.deploy == "full"
        )
        fractions = np.array((1.0,) if only_full else problem.fractions)
        return Grid(pool(problem, history, seed, self.candidates), fractions)

    def posterior(
        self, problem: Problem, history: History, seed: int, prior: PriorMeans | None
    ) -> Posterior | None:
        """What is believed, None while no trial is complete."""
        if not any(t.fraction == 1.0 or not self.model.full_only for t in history.complete):
            return None
        grid = self.grid(problem, history, seed)
        open_ = self._open(problem, history, grid)
        return Posterior.of(problem, history, grid, self.model, prior, open_)

    def _open(self, problem: Problem, history: History, grid: Grid) -> Index:
        open_ = open_trials(problem, history, grid, self.model.unrelated(problem))
        if self.fractions == "slices" and len(grid.fractions) > 1:
            open_ = open_[grid.fraction(open_) < 1.0]
        if problem.space.finite or noisy(problem, history):
            return open_
        new = open_[~_like_tried(problem, history, grid, open_)]
        return new if len(new) else open_


def noisy(problem: Problem, history: History) -> bool:
    """Whether measurements are known to differ: by told deviations, or by repeated trials."""
    seen: dict[tuple[object, float], float] = {}
    for trial in history.complete:
        told = trial.measurement
        assert told is not None, "a complete trial has one"
        value = trial.metrics[problem.objective]
        first = seen.setdefault((problem.space.key(trial.config), trial.fraction), value)
        if first != value or any(deviation > 0 for deviation in told.deviations.values()):
            return True
    return False


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
    return np.ascontiguousarray(np.round(x, _DIGITS) + 0.0)
