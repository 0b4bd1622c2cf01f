"""What a strategy believes about a problem: one surrogate for each metric that matters."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from tunewise.history import History, Observations
from tunewise.problem import Constraint, Metric, Problem
from tunewise.strategy.candidates import Candidates, log_price
from tunewise.surrogate import Normal, Surrogate
from tunewise.surrogate.normal import Array
from tunewise.surrogate.scale import SCALES, Scale

MakeSurrogate = Callable[[Metric], Surrogate]


@dataclass(frozen=True, eq=False)
class MetricBelief:
    """The belief about one metric, on the scale it is modelled on.

    Where prices are known the cost is modelled per price: only the time is unknown.
    """

    metric: Metric
    surrogate: Surrogate
    scale: Scale
    per_price: bool

    @classmethod
    def learned(
        cls, problem: Problem, metric: Metric, seen: Observations, surrogate: Surrogate
    ) -> "MetricBelief":
        """Fit a surrogate to what was observed of a metric."""
        scale = SCALES[metric.kind]
        per_price = metric.name == "cost" and problem.price is not None
        y = scale.forward(seen.values)
        if per_price:
            y = y - log_price(problem, seen.configs)
        known = np.where(np.isnan(seen.deviations), 0.0, seen.deviations)
        noise = scale.deviation(seen.values, known)
        surrogate.fit(problem.space.encode(seen.configs), seen.fractions, y, noise)
        return cls(metric, surrogate, scale, per_price)

    def offset(self, candidates: Candidates) -> Array:
        """What the known price adds on the modelled scale, (n,)."""
        return candidates.log_price if self.per_price else np.zeros(len(candidates))

    def predict(self, candidates: Candidates, s: ArrayLike) -> Normal:
        """The metric on the modelled scale, (n,)."""
        modelled = self.surrogate.predict(candidates.x, s)
        return Normal(modelled.mean + self.offset(candidates), modelled.std)

    def natural(self, candidates: Candidates, s: ArrayLike) -> Normal:
        """The metric in its own unit, (n,)."""
        return self.scale.natural(self.predict(candidates, s))

    def assumed(self, candidates: Candidates, s: ArrayLike) -> "MetricBelief":
        """The belief once the candidates had been measured as expected (no refit)."""
        expected = self.surrogate.predict(candidates.x, s).mean
        surrogate = self.surrogate.condition(candidates.x, s, expected)
        return replace(self, surrogate=surrogate)


@dataclass(frozen=True, eq=False)
class Belief:
    """What is believed about the objective, the limits, and whether trials succeed at all."""

    problem: Problem
    metrics: dict[str, MetricBelief]
    success: MetricBelief | None

    @classmethod
    def of(cls, problem: Problem, history: History, make: MakeSurrogate) -> "Belief":
        """Learn from a history in which at least one trial is complete."""
        metrics = {
            name: MetricBelief.learned(
                problem,
                problem.metrics[name],
                history.observations(name),
                make(problem.metrics[name]),
            )
            for name in problem.needed
        }
        return cls(problem, metrics, _success(problem, history, make))

    @property
    def objective(self) -> MetricBelief:
        """The belief about what is maximised or minimised."""
        return self.metrics[self.problem.objective]

    def value(self, candidates: Candidates, s: ArrayLike) -> Normal:
        """The objective on the modelled scale, turned so that more is better, (n,)."""
        predicted = self.objective.predict(candidates, s)
        return predicted if self.problem.maximize else Normal(-predicted.mean, predicted.std)

    def feasible(self, candidates: Candidates, s: ArrayLike) -> Array:
        """The probability that a trial succeeds and every constraint holds, (n,)."""
        probability = np.ones(len(candidates))
        for constraint in self.problem.constraints:
            belief = self.metrics[constraint.metric]
            probability *= holds(constraint, belief.predict(candidates, s), belief.scale)
        if self.success is not None:
            probability *= self.success.predict(candidates, s).probability_above(0.5)
        return probability

    def assumed(self, candidates: Candidates, s: ArrayLike) -> "Belief":
        """The belief once pending trials had come out as expected."""
        if not len(candidates):
            return self
        metrics = {name: b.assumed(candidates, s) for name, b in self.metrics.items()}
        success = None if self.success is None else self.success.assumed(candidates, s)
        return replace(self, metrics=metrics, success=success)


def holds(constraint: Constraint, modelled: Normal, scale: Scale) -> Array:
    """The probability that a limit holds for a metric believed on the modelled scale, (n,)."""
    bound = float(scale.forward(np.array([constraint.bound]))[0])
    if constraint.sign == "<=":
        return modelled.probability_below(bound)
    return modelled.probability_above(bound)


def _success(problem: Problem, history: History, make: MakeSurrogate) -> MetricBelief | None:
    """A belief about whether a trial ends with a measurement, once one has not."""
    if not len(history.failed):
        return None
    ended = [t for t in history if t.state in ("complete", "failed")]
    seen = Observations(
        [t.config for t in ended],
        np.array([t.fraction for t in ended]),
        np.array([float(t.state == "complete") for t in ended]),
        np.full(len(ended), np.nan),
    )
    metric = Metric("success")
    return MetricBelief.learned(problem, metric, seen, make(metric))
