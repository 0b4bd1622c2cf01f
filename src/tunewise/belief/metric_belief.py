"""What is believed of one metric, on the scale it is modelled on."""

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tunewise.belief.candidates import Candidates, log_price
from tunewise.belief.usual.interior import Interior
from tunewise.belief.usual.slopes import Ceiling
from tunewise.history import BOOKED, Observations
from tunewise.problem import Constraint, Metric, Problem
from tunewise.surrogate import Normal, Surrogate
from tunewise.surrogate.normal import Array
from tunewise.surrogate.scale import NOTHING, SCALES, Scale

if TYPE_CHECKING:
    from tunewise.belief.prior_mean import PriorMean

_VAGUE = math.log(10)
"""Standard deviation, on log and logit scales, beyond which a belief says nothing worth printing:
a cost of a tenth is then as likely as ten times as much."""


@dataclass(frozen=True, eq=False)
class MetricBelief:
    """The belief about one metric.

    Where prices are known the cost is modelled per price: only the time is unknown. What more
    data usually does to the metric is taken out before the surrogate learns, and put back.

    Attributes:
        metric: What is believed about.
        surrogate: Fitted to what is left of the modelled metric.
        scale: From the metric to the modelled one.
        per_price: Whether the known price was taken out.
        per_decade: What ten times the data is expected to add on the modelled scale.
        prior: What other studies say, taken out as well.
        weights: How much each of them is believed, (k,).
        ceiling: The most that is plausible, of metrics that grow with the data; None for others.
        exact: Whether a config that was measured would measure the same again: repeats agree, and
            what the surrogate calls noise belongs to each config.
        interior: What is lost towards the ends of ranges, taken out as well; None for nothing.
    """

    metric: Metric
    surrogate: Surrogate
    scale: Scale
    per_price: bool
    per_decade: float
    prior: "PriorMean | None" = None
    weights: Array = field(default_factory=lambda: np.empty(0))
    ceiling: Ceiling | None = None
    exact: bool = False
    interior: Interior | None = None

    @classmethod
    def learned(
        cls,
        problem: Problem,
        metric: Metric,
        seen: Observations,
        surrogate: Surrogate,
        per_decade: float = 0.0,
        prior: "PriorMean | None" = None,
        known_price: bool = True,
        noisy: bool = True,
        interior: Interior | None = None,
        scale: Scale | None = None,
    ) -> "MetricBelief":
        """Fit a surrogate to what was observed of a metric, which may be `noisy`."""
        scale = scale or SCALES[metric.kind]
        per_price = known_price and metric.name == "cost" and problem.price is not None
        y = on_scale(problem, metric, seen.values, scale)
        if per_price:
            y = y - log_price(problem, seen.configs)
        ceiling = Ceiling(y, seen.fractions) if metric.name in BOOKED else None
        y = y - per_decade * np.log10(seen.fractions)
        known = np.where(np.isnan(seen.deviations), 0.0, seen.deviations)
        noise = scale.deviation(seen.values, known)
        x = problem.space.encode(seen.configs)
        if interior is not None:
            interior = interior.learned(x, seen.fractions, y)
            y = y - interior(x)
        weights = np.empty(0)
        if prior is not None:
            weights = prior.weights(x, seen.fractions, y, scale.spread)
            y = y - prior.each(x, seen.fractions) @ weights
        surrogate.fit(x, seen.fractions, y, noise)
        return cls(
            metric,
            surrogate,
            scale,
            per_price,
            per_decade,
            prior,
            weights,
            ceiling,
            surrogate.exact and not noisy,
            interior,
        )

    def offset(self, candidates: Candidates, s: ArrayLike) -> Array:
        """What price, data, ranges and other studies add on the modelled scale, (n,)."""
        price = candidates.log_price if self.per_price else np.zeros(len(candidates))
        known = price + self.per_decade * np.log10(np.asarray(s, float))
        if self.interior is not None:
            known = known + self.interior(candidates.x)
        if self.prior is not None:
            known = known + self.prior.each(candidates.x, s) @ self.weights
        return np.asarray(known, float)

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

    def plausible(self, candidates: Candidates, fraction: float) -> Normal:
        """The same at one fraction, (n,), as far as it is plausible from what was seen."""
        modelled = self.predict(candidates, fraction)
        if self.ceiling is None:
            return self.scale.natural(modelled)
        price = candidates.log_price if self.per_price else np.zeros(len(candidates))
        return self.scale.natural(modelled, self.ceiling.at(fraction) + price)

    def assuming(self, candidates: Candidates, s: ArrayLike) -> "MetricBelief":
        """The belief once the candidates had been measured as expected (no refit)."""
        expected = self.surrogate.predict(candidates.x, s).mean
        return replace(self, surrogate=self.surrogate.condition(candidates.x, s, expected))

    def vague(self, modelled: Normal) -> bool:
        """Whether a belief says nothing: a factor of ten or more either way for the first one."""
        return self.scale.spread > 0 and bool(np.max(modelled.std) > _VAGUE)

    def bound(self, constraint: Constraint) -> float:
        """A limit on the metric, on the modelled scale."""
        return float(self.scale.forward(np.array([constraint.bound]))[0])


def on_scale(problem: Problem, metric: Metric, values: Array, scale: Scale | None = None) -> Array:
    """What was measured of a metric, (n,), on its modelled scale; by default that of its kind.

    Nothing at all is less than a tenth of every limit, and of all else that was measured.
    """
    if metric.kind == "positive" and (values <= 0).any():
        limits = [c.bound for c in problem.constraints if c.metric == metric.name]
        told = [value for value in (*limits, *values.tolist()) if value > 0]
        values = np.where(values <= 0, min([NOTHING, *(v / 10 for v in told)]), values)
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
    return np.asarray(np.exp(np.minimum(mean + 0.5 * std**2, 60.0)), float)
