"""What is believed about some trials of a grid, and what paths through them lead through."""

import numpy as np

from tunewise.acquisition.improvement import log_constrained_expected_improvement
from tunewise.acquisition.scene import Bound, Joint, Scene
from tunewise.history import BOOKED
from tunewise.problem import Problem
from tunewise.strategy.belief import Belief, MetricBelief, modelled_bound
from tunewise.strategy.grid import Grid, Index
from tunewise.surrogate import Array, Normal

_SUCCESS = "success"


class View:
    """A belief about some trials of a grid."""

    def __init__(self, problem: Problem, belief: Belief, grid: Grid, trials: Index) -> None:
        """Look at the trials; predictions are made when they are asked for, once."""
        self.problem, self.belief, self.grid, self.trials = problem, belief, grid, trials
        self.candidates = grid.candidates.at(grid.config(trials))
        self.s = grid.fraction(trials)
        self.sign = 1.0 if problem.maximize else -1.0
        self._predicted: dict[str, Normal] = {}

    def at(self, places: Index) -> "View":
        """The same about fewer trials."""
        return View(self.problem, self.belief, self.grid, self.trials[places])

    def predicted(self, metric: MetricBelief) -> Normal:
        """What would be measured of a metric, on its modelled scale, (n,).

        What the surrogate calls noise is taken to belong to the config.
        """
        name = metric.metric.name
        if name not in self._predicted:
            modelled = metric.predict(self.candidates, self.s)
            std = np.hypot(modelled.std, metric.surrogate.noise_)
            self._predicted[name] = Normal(modelled.mean, std)
        return self._predicted[name]

    def value(self) -> Array:
        """The expected objective on the modelled scale, turned so that more is better, (n,)."""
        return np.asarray(self.sign * self.predicted(self.belief.objective).mean, float)

    def feasible(self) -> Array:
        """The probability that each trial keeps all limits, (n,)."""
        belief = self.belief
        predicted = {name: self.predicted(metric) for name, metric in belief.metrics.items()}
        success = None if belief.success is None else self.predicted(belief.success)
        return np.broadcast_to(
            belief.feasibility(predicted, success, measured=False), len(self.trials)
        )

    def log_improvement(self, best: float) -> Array:
        """Logarithm of the constrained expected improvement of each trial, (n,)."""
        modelled = self.predicted(self.belief.objective)
        value = Normal(self.sign * modelled.mean, modelled.std)
        return log_constrained_expected_improvement(value, self.sign * best, self.feasible())

    def log_spending(self) -> Array:
        """Logarithm of what each trial is expected to spend, (n,)."""
        if self.belief.effort is None:
            return np.zeros(len(self.trials))
        modelled = self.predicted(self.belief.metrics[self.belief.effort])
        return np.asarray(modelled.mean + 0.5 * np.asarray(modelled.std) ** 2, float)

    def spent_at_most(self, deviations: float) -> Array:
        """Logarithm of what a trial spends if it comes out so many deviations high, (n,)."""
        assert self.belief.effort is not None
        modelled = self.predicted(self.belief.metrics[self.belief.effort])
        return np.asarray(modelled.mean + deviations * modelled.std, float)

    def scene(self, best: float, left: float | None) -> Scene:
        """What paths through these trials lead through."""
        belief, problem = self.belief, self.problem
        beliefs = dict(belief.metrics)
        limits = [
            Bound(c.metric, modelled_bound(c, beliefs[c.metric].scale), c.sign == "<=")
            for c in problem.constraints
        ]
        if belief.success is not None:
            beliefs[_SUCCESS] = belief.success
            limits.append(Bound(_SUCCESS, 0.5, below=False))
        metrics = {name: self._joint(name, metric) for name, metric in beliefs.items()}
        return Scene(
            metrics, problem.objective, problem.maximize, best, limits, belief.effort, left
        )

    def _joint(self, name: str, metric: MetricBelief) -> Joint:
        """Cost and time go up and down together, and with an objective that is one of them."""
        here = (self.candidates.x, self.s)
        objective = self.problem.objective
        first = name == objective or (name in BOOKED and objective in BOOKED)
        fantasy = metric.surrogate.fantasize(here, here)
        return Joint.of(fantasy, metric.offset(self.candidates, self.s), second=not first)
