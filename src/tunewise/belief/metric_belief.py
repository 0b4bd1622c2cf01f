"""What is believed of one metric, on the scale it is modelled on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from tunewise.belief.adjustments import Adjustment
from tunewise.belief.candidates import Candidates
from tunewise.history import Observations
from tunewise.problem import Constraint, Metric, Problem
from tunewise.surrogate import Normal, Surrogate
from tunewise.surrogate.normal import TINY, Array, from_log
from tunewise.surrogate.scale import SCALES, Scale


@dataclass(frozen=True, eq=False)
class MetricBelief:
    """The belief about one metric: a scale, what is known beside it, and what a surrogate learned.

    Attributes:
        metric: What is believed about.
        surrogate: Fitted to what the adjustments leave of the modelled metric.
        scale: From the metric to the modelled one.
        adjustments: What is known beside it, taken out before the surrogate learns, and put back.
        exact: Whether a config that was measured would measure the same again: repeats agree, and
            what the surrogate calls noise belongs to each config.
    """

    metric: Metric
    surrogate: Surrogate
    scale: Scale
    adjustments: tuple[Adjustment, ...] = ()
    exact: bool = False

    @classmethod
    def learned(
        cls,
        problem: Problem,
        metric: Metric,
        seen: Observations,
        surrogate: Surrogate,
        scale: Scale,
        adjustments: Sequence[Adjustment] = (),
        exact: bool = False,
    ) -> "MetricBelief":
        """Fit a surrogate to what was observed of a metric."""
        y, at = on_scale(problem, metric, seen.values, scale), Candidates.of(problem, seen.configs)
        known = np.where(np.isnan(seen.deviations), 0.0, seen.deviations)
        noise, fitted = scale.deviation(seen.values, known), list[Adjustment]()
        for adjustment in adjustments:
            fitted.append(adjustment.fit(at, seen.fractions, y))
            y = y - fitted[-1].offset(at, seen.fractions)
        surrogate.fit(at.x, seen.fractions, y, noise)
        return cls(metric, surrogate, scale, tuple(fitted), exact)

    def offset(self, candidates: Candidates, s: ArrayLike) -> Array:
        """What is known beside the surrogate on the modelled scale, (n,)."""
        known = np.zeros(len(candidates))
        for adjustment in self.adjustments:
            known = known + adjustment.offset(candidates, s)
        return known

    def predict(self, candidates: Candidates, s: ArrayLike) -> Normal:
        """The metric on the modelled scale, (n,)."""
        modelled = self.surrogate.predict(candidates.x, s)
        return Normal(modelled.mean + self.offset(candidates, s), modelled.std)

    def predict_grid(self, candidates: Candidates, fractions: Array) -> Normal:
        """The same at every pair of config and fraction, (n, F)."""
        modelled = self.surrogate.predict_grid(candidates.x, fractions)
        offsets = np.stack([self.offset(candidates, s) for s in fractions], axis=1)
        return Normal(np.asarray(modelled.mean + offsets), np.asarray(modelled.std))

    def natural(self, candidates: Candidates, s: ArrayLike) -> Normal:
        """The metric in its own unit, (n,)."""
        return self.scale.natural(self.predict(candidates, s))

    def assuming(self, candidates: Candidates, s: ArrayLike) -> "MetricBelief":
        """The belief once the candidates had been measured as expected (no refit)."""
        expected = self.surrogate.predict(candidates.x, s).mean
        return replace(self, surrogate=self.surrogate.condition(candidates.x, s, expected))

    def careful(self) -> "MetricBelief":
        """The belief to state, as its surrogate has it."""
        return replace(self, surrogate=self.surrogate.careful())

    def bound(self, constraint: Constraint) -> float:
        """A limit on the metric, on the modelled scale."""
        return float(self.scale.forward(np.array([constraint.bound]))[0])


def on_scale(problem: Problem, metric: Metric, values: Array, scale: Scale | None = None) -> Array:
    """What was measured of a metric, (n,), on its modelled scale; by default that of its kind.

    Nothing at all is a tenth of the least of all limits and all else that was measured: far enough
    to be told apart, and too near to pass for the most extreme of all that was ever seen.
    """
    if metric.kind == "positive" and (values <= 0).any():
        limits = [c.bound for c in problem.constraints if c.metric == metric.name]
        told = [value for value in (*limits, *values.tolist()) if value > 0]
        values = np.where(values <= 0, min((v / 10 for v in told), default=TINY), values)
    return (scale or SCALES[metric.kind]).forward(values)


def holds(constraint: Constraint, modelled: Normal, scale: Scale) -> Array:
    """The probability that a limit holds for a metric believed on the modelled scale, (n,)."""
    bound = float(scale.forward(np.array([constraint.bound]))[0])
    if constraint.sign == "<=":
        return modelled.probability_below(bound)
    return modelled.probability_above(bound)


def expected_of_log(modelled: Normal) -> Array:
    """The expectation of a metric modelled by its logarithm: an unknown one is not cheap."""
    mean, std = np.asarray(modelled.mean, float), np.asarray(modelled.std, float)
    return from_log(mean + 0.5 * std**2)
