"""Which config to deploy: the best of those of which a new training keeps all limits."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tunewise.acquisition.acquisition import at
from tunewise.belief.choice import even_chances, highest
from tunewise.belief.machines.posterior import MachinePosterior
from tunewise.belief.metric_belief import MetricBelief
from tunewise.belief.posterior import Doubt, Posterior
from tunewise.errors import StrategyError
from tunewise.history import BOOKED
from tunewise.space import Config
from tunewise.strategy.loop.measured import best_measured
from tunewise.strategy.strategy import SURE, Recommendation
from tunewise.surrogate.normal import TIE, Array, Normal

P = TypeVar("P")
HOPELESS = 0.5
"""Where no config keeps the limits with this probability, all are expected to break them. Then the
most likely one is only the one that is known least."""

Recommender = Callable[[P], Recommendation]
"""Chooses the config to deploy, given at least one complete trial."""


@dataclass(frozen=True)
class PredictedBest:
    """The best expected objective among trials of which a new training likely keeps all limits.

    Where there is none, the trial that most likely keeps them; where all are expected to break
    them, the one that is expected to miss them by least. Where any fraction may be deployed
    the best measured trial that keeps the limits is the answer. Beside what was tried stands what
    is predicted to be better.

    Attributes:
        least: The probability with which the config keeps the limits; None: limits are unseen.
        tested: Whether only configs of complete trials are considered.
    """

    least: float | None = SURE
    tested: bool = False

    def __call__(self, posterior: Posterior) -> Recommendation:
        """The config to deploy, and what to expect of it."""
        problem, history, posterior = posterior.problem, posterior.history, posterior.stated
        foreseen = self._of(posterior)
        slices = problem.deploy == "any" and len(posterior.grid.fractions) > 1
        if slices and (self.tested or history.best(problem) is not None):
            answer = best_by_measurement(posterior.tested)
        elif self.tested:
            answer = self._of(posterior.tested)
        else:
            return foreseen
        return replace(answer, predicted_best=foreseen)

    def _of(self, posterior: Posterior) -> Recommendation:
        """What is recommended of the grid: on the full data, unless any fraction is deployed."""
        trials = np.arange(len(posterior.grid))
        if posterior.problem.deploy == "full":
            trials = trials[posterior.grid.fraction(trials) == 1.0]
        best = at(posterior.worth, trials)
        if self.least is not None:
            feasible = at(posterior.feasible(Doubt.MEASUREMENT), trials)
            safe = feasible >= self.least
            # Of what has no upper end one config may be worth many times as much as another, and
            # would lead however unlikely it is.
            endless = posterior.objective.metric.kind == "positive"
            likely = feasible if endless else feasible * at(_seen_worth(posterior), trials)
            if not (feasible >= HOPELESS).any():
                likely = np.where(_least(at(missed(posterior), trials)), likely, -np.inf)
            best = np.where(safe, best, -np.inf) if safe.any() else likely
        chosen = trials[highest(best, even_chances(len(trials)))]
        return described(posterior, *posterior.grid.trial(int(chosen)), self.least or 0.0)


def missed(posterior: Posterior) -> Array:
    """By how much the medians of trials miss the limits, summed on the modelled scales, (n, F)."""
    total = np.zeros(posterior.shape)
    for limit in posterior.problem.constraints:
        metric = posterior.believed(limit.metric)
        median = np.asarray(posterior.predict(limit.metric, Doubt.MEASUREMENT).mean)
        over = (median - metric.bound(limit)) / _unit(metric)
        total += np.maximum(over if limit.sign == "<=" else -over, 0.0)
    return total


def _least(missed: Array) -> NDArray[np.bool_]:
    """Which of them miss by least, (n,)."""
    return np.asarray(missed <= missed.min() + TIE, bool)


def _unit(metric: MetricBelief) -> float:
    """What a metric without a scale of its own is measured in: how much it differs."""
    return (metric.surrogate.scale_ or 1.0) if metric.metric.kind == "real" else 1.0


def _seen_worth(posterior: Posterior) -> Array:
    """What trials are worth, (n, F), larger ones as the largest slice that anything was seen on.

    All share the doubt about what more data brings: it would make any two configs alike.
    """
    largest = max((trial.fraction for trial in posterior.history.complete), default=1.0)
    last = np.searchsorted(posterior.grid.fractions, largest)
    return posterior.worth[:, np.minimum(np.arange(len(posterior.grid.fractions)), last)]


def described(
    posterior: Posterior, config: Config, fraction: float, least: float = SURE
) -> Recommendation:
    """One trial as a recommendation, with what is believed about a new training of it."""
    told = posterior.describe(config, fraction)
    return Recommendation(
        dict(config),
        fraction,
        told.predicted,
        told.feasible,
        note=told.note,
        least=least,
        limited=bool(posterior.problem.constraints),
    )


def best_by_measurement(posterior: Posterior) -> Recommendation:
    """The best measured trial that keeps the limits, with what is believed of a new training.

    It was chosen because it was measured well: its own numbers promise too much of a limit.
    """
    problem, history = posterior.problem, posterior.history
    best = best_measured(problem, history)
    least = best.least if history.best(problem) is None else 0.0
    return described(posterior, best.config, best.fraction, least)


def best_cluster(posterior: MachinePosterior) -> Recommendation:
    """Of what was tried, the best of which a new training likely keeps all limits.

    Where there is none, the one that most likely keeps them; where all are expected to break them,
    the one that missed them by least.
    """
    problem = posterior.problem
    complete = posterior.history.full.complete
    if not len(complete):
        raise StrategyError("nothing can be recommended: no trial at the full data is complete")
    at = np.array([posterior.pool.at(trial.config) for trial in complete], np.intp)
    feasible = posterior.feasible[at]
    times = posterior.times.moments()
    cost = np.asarray(times.mean)[at] + posterior.per_second[at]
    ranked = feasible
    if not (feasible >= HOPELESS).any():
        ranked = -np.array([problem.violation(trial.metrics) for trial in complete])
    if (feasible >= SURE).any():
        ranked = np.where(feasible >= SURE, -cost, -np.inf)
    best = highest(ranked, even_chances(len(at)), logarithms=True)
    spread = math.sqrt(float(posterior.times.weights @ posterior.times.noise))
    told = complete[best].metrics
    predicted = {n: Normal(v, spread * v if n in BOOKED else 0.0) for n, v in told.items()}
    config = dict(complete[best].config)
    limited = bool(problem.constraints)
    kept = float(feasible[best])
    return Recommendation(config, 1.0, predicted, kept, least=SURE, limited=limited)
