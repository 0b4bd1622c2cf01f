"""Acquisitions on the full data: improvement, with and without limits, per trial or per USD."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunewise.acquisition.acquisition import at
from tunewise.acquisition.improvement import (
    expected_improvement,
    log_constrained_expected_improvement,
    log_expected_improvement,
    probability_of_improvement,
    upper_confidence_bound,
)
from tunewise.belief.grid import Index
from tunewise.belief.posterior import Doubt, Posterior
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.surrogate import Array, Normal


@dataclass(frozen=True)
class ConstrainedImprovement:
    """Logarithm of EIc: expected improvement on the incumbent times P(all limits hold).

    The incumbent is the best feasible config measured on the full data, and counts what the model
    expects of it. While there is none, trials are worth their probability of feasibility alone.

    Attributes:
        per_usd: Divide by what the trial is expected to spend (EIc per USD).
        measured: Let the incumbent count what was measured of it, as CherryPick does.
        least: An improvement counts from here on, in units of how much the objective differs. With
            0 a search repeats its best config with small changes.
        sure: Where limits are noisy, only a config of which a new training keeps them so surely is
            an answer, and an improvement. With 0 it is one that has kept them: then a search stays
            where limits are kept by half of the trainings.
    """

    per_usd: bool = False
    measured: bool = False
    least: float = 0.0
    sure: float = 0.0
    logarithms: ClassVar[bool] = True

    def __call__(self, posterior: Posterior, trials: Index, rng: np.random.Generator) -> Array:
        """The worth of each trial, (c,)."""
        limits = posterior.keeps(self.sure) if self.sure else posterior.feasible()
        score = log_constrained_expected_improvement(
            at(posterior.value(), trials), self._incumbent(posterior), at(limits, trials)
        )
        return score - np.log(at(posterior.spending(), trials)) if self.per_usd else score

    def _incumbent(self, posterior: Posterior) -> float | None:
        best = posterior.history.full.best(posterior.problem)
        if best is not None and self.measured:
            measured = np.array([best.metrics[posterior.problem.objective]])
            return posterior.sign * float(posterior.objective.scale.forward(measured)[0])
        least = self.least * posterior.objective.surrogate.scale_
        if self.sure and posterior.problem.constraints:
            answers = posterior.tested.feasible(Doubt.MEASUREMENT)[:, -1] >= self.sure
            values = np.asarray(posterior.tested.value().mean)[answers, -1]
            return float(values.max()) + least if len(values) else None
        return None if best is None else posterior.value_at(best.config, 1.0) + least


@dataclass(frozen=True)
class Unconstrained:
    """An acquisition that knows no limits: EI, PI or UCB at the value of each trial.

    Attributes:
        worth: From the belief about the objective (c,) and the best value to what it is worth.
        logarithms: Whether that is a logarithm, or else on a scale of its own.
    """

    worth: Callable[[Normal, float], Array]
    logarithms: bool = True

    def __call__(self, posterior: Posterior, trials: Index, rng: np.random.Generator) -> Array:
        """The worth of each trial that may succeed, (c,)."""
        best = most_wanted(posterior.problem, posterior.history.full)
        assert best is not None, "a posterior has seen a complete trial"
        incumbent = posterior.value_at(best.config, 1.0)
        worth = self.worth(at(posterior.value(), trials), incumbent)
        return np.where(at(posterior.success(), trials) >= 0.5, worth, -np.inf)


EI = Unconstrained(log_expected_improvement)
PI = Unconstrained(probability_of_improvement, logarithms=False)


def ucb(deviations: float) -> Unconstrained:
    """The upper confidence bound so many deviations above the mean."""
    return Unconstrained(lambda value, best: upper_confidence_bound(value, deviations))


def most_wanted(problem: Problem, history: History) -> Trial | None:
    """The complete trial of the best objective, whatever the limits say."""
    sign = 1.0 if problem.maximize else -1.0
    return max(history.complete, key=lambda t: sign * t.metrics[problem.objective], default=None)


def improvement_gain(posterior: Posterior, doubt: Doubt = Doubt.METRIC) -> float | None:
    """The largest constrained expected improvement of an open trial, in the objective's own unit.

    None while no measured trial that could be deployed keeps the limits.
    """
    best = posterior.history.best(posterior.problem)
    if best is None:
        return None
    trials = posterior.open
    if not len(trials):
        return 0.0
    name = posterior.problem.objective
    natural = posterior.objective.scale.natural(at(posterior.predict(name), trials))
    value = Normal(posterior.sign * natural.mean, natural.std)
    improved = expected_improvement(value, posterior.sign * best.metrics[name])
    return float(np.max(improved * at(posterior.feasible(doubt), trials)))
