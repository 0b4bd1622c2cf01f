"""What a strategy believes about a problem: one surrogate for each metric that matters."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tunewise.history import BOOKED, History, Observations, TimedOut, Trial
from tunewise.problem import Constraint, Metric, Problem
from tunewise.strategy.candidates import Candidates, log_price
from tunewise.strategy.censored import with_bounds
from tunewise.surrogate import Normal, Surrogate
from tunewise.surrogate.normal import Array
from tunewise.surrogate.scale import SCALES, Scale

if TYPE_CHECKING:
    from tunewise.strategy.prior_mean import PriorMean, PriorMeans

MakeSurrogate = Callable[[Metric], Surrogate]


def surrogate_for(metric: Metric, factory: Callable[..., object], basis: str = "none") -> Surrogate:
    """A registered surrogate for a metric, not fitted yet."""
    made = factory(basis=basis, spread=SCALES[metric.kind].spread)
    assert isinstance(made, Surrogate)
    return made


_PER_DECADE = {"share": 1.2, "effort": 1.8}
"""What ten times the data usually adds: to the logit of a share, to the log of cost and time."""


@dataclass(frozen=True, eq=False)
class MetricBelief:
    """The belief about one metric, on the scale it is modelled on.

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
    """

    metric: Metric
    surrogate: Surrogate
    scale: Scale
    per_price: bool
    per_decade: float
    prior: "PriorMean | None" = None
    weights: Array = field(default_factory=lambda: np.empty(0))

    @classmethod
    def learned(
        cls,
        problem: Problem,
        metric: Metric,
        seen: Observations,
        surrogate: Surrogate,
        per_decade: float = 0.0,
        prior: "PriorMean | None" = None,
    ) -> "MetricBelief":
        """Fit a surrogate to what was observed of a metric."""
        scale = SCALES[metric.kind]
        per_price = metric.name == "cost" and problem.price is not None
        y = scale.forward(seen.values) - per_decade * np.log10(seen.fractions)
        if per_price:
            y = y - log_price(problem, seen.configs)
        known = np.where(np.isnan(seen.deviations), 0.0, seen.deviations)
        noise = scale.deviation(seen.values, known)
        x = problem.space.encode(seen.configs)
        weights = np.empty(0)
        if prior is not None:
            weights = prior.weights(x, seen.fractions, y, scale.spread)
            y = y - prior.each(x, seen.fractions) @ weights
        surrogate.fit(x, seen.fractions, y, noise)
        return cls(metric, surrogate, scale, per_price, per_decade, prior, weights)

    def offset(self, candidates: Candidates, s: ArrayLike) -> Array:
        """What price, usual effect of data and other studies add on the modelled scale, (n,)."""
        price = candidates.log_price if self.per_price else np.zeros(len(candidates))
        known = price + self.per_decade * np.log10(np.asarray(s, float))
        if self.prior is not None:
            known = known + self.prior.each(candidates.x, s) @ self.weights
        return np.asarray(known, float)

    def predict(self, candidates: Candidates, s: ArrayLike) -> Normal:
        """The metric on the modelled scale, (n,)."""
        modelled = self.surrogate.predict(candidates.x, s)
        return Normal(modelled.mean + self.offset(candidates, s), modelled.std)

    def natural(self, candidates: Candidates, s: ArrayLike) -> Normal:
        """The metric in its own unit, (n,)."""
        return self.scale.natural(self.predict(candidates, s))

    def assumed(self, candidates: Candidates, s: ArrayLike) -> "MetricBelief":
        """The belief once the candidates had been measured as expected (no refit)."""
        expected = self.surrogate.predict(candidates.x, s).mean
        return replace(self, surrogate=self.surrogate.condition(candidates.x, s, expected))


@dataclass(frozen=True, eq=False)
class Belief:
    """What is believed about the objective, the limits, the effort, and success at all.

    Attributes:
        problem: What is wanted.
        metrics: The belief about each metric that matters.
        effort: The metric that a trial spends: cost, or time where no cost is told, or None.
        success: Whether a trial ends with a measurement, once one has not.
    """

    problem: Problem
    metrics: dict[str, MetricBelief]
    effort: str | None
    success: MetricBelief | None

    @classmethod
    def of(
        cls,
        problem: Problem,
        history: History,
        make: MakeSurrogate,
        prior: "PriorMeans | None" = None,
    ) -> "Belief":
        """Learn from a history in which at least one trial is complete, and from other studies."""
        effort = _effort(history)
        names = dict.fromkeys([*problem.needed, *([effort] if effort else [])])
        subsampled = len(problem.fractions) > 1
        metrics = {
            name: _believed(
                problem,
                history,
                problem.metrics[name],
                make,
                usual_per_decade(problem, name) if subsampled else 0.0,
                None if prior is None else prior.of(name),
            )
            for name in names
        }
        return cls(problem, metrics, effort, _success(problem, history, make))

    @property
    def objective(self) -> MetricBelief:
        """The belief about what is maximised or minimised."""
        return self.metrics[self.problem.objective]

    def value(self, candidates: Candidates, s: ArrayLike) -> Normal:
        """The objective on the modelled scale, turned so that more is better, (n,)."""
        predicted = self.objective.predict(candidates, s)
        return predicted if self.problem.maximize else Normal(-predicted.mean, predicted.std)

    def feasible(self, candidates: Candidates, s: ArrayLike, measured: bool = False) -> Array:
        """The probability that a trial succeeds and every constraint holds, (n,).

        With `measured` the limits must hold for what would be measured, noise included.
        """
        limited = dict.fromkeys(c.metric for c in self.problem.constraints)
        predicted = {name: self.metrics[name].predict(candidates, s) for name in limited}
        success = None if self.success is None else self.success.predict(candidates, s)
        probability = self.feasibility(predicted, success, measured)
        return np.broadcast_to(probability, len(candidates))

    def feasibility(
        self, predicted: Mapping[str, Normal], success: Normal | None, measured: bool
    ) -> Array:
        """The same from beliefs about the limited metrics and success, whatever their shape."""
        probability = np.ones(())
        for constraint in self.problem.constraints:
            belief, expected = self.metrics[constraint.metric], predicted[constraint.metric]
            if measured:
                expected = Normal(expected.mean, np.hypot(expected.std, belief.surrogate.noise_))
            probability = probability * holds(constraint, expected, belief.scale)
        if success is not None:
            probability = probability * success.probability_above(0.5)
        return probability

    def spending(self, candidates: Candidates, s: ArrayLike) -> Array:
        """What a trial is expected to spend, (n,): 1 where nothing is known about it."""
        if self.effort is None:
            return np.ones(len(candidates))
        return expected_of_log(self.metrics[self.effort].predict(candidates, s))

    def assumed(self, candidates: Candidates, s: ArrayLike) -> "Belief":
        """The belief once pending trials had come out as expected."""
        if not len(candidates):
            return self
        metrics = {name: b.assumed(candidates, s) for name, b in self.metrics.items()}
        success = None if self.success is None else self.success.assumed(candidates, s)
        return replace(self, metrics=metrics, success=success)


def _believed(
    problem: Problem,
    history: History,
    metric: Metric,
    make: MakeSurrogate,
    per_decade: float,
    prior: "PriorMean | None",
) -> MetricBelief:
    """What the measurements of a metric teach, and the lower bounds from stopped trials."""

    def learned(seen: Observations) -> MetricBelief:
        return MetricBelief.learned(problem, metric, seen, make(metric), per_decade, prior)

    seen, bounds = history.observations(metric.name), history.censored(metric.name)
    belief = learned(seen)
    if metric.name not in BOOKED or not len(bounds):
        return belief
    stopped = Candidates.of(problem, bounds.configs)
    return learned(with_bounds(belief, stopped, seen, bounds))


def single(normal: Normal) -> Normal:
    """The first of many beliefs, as plain numbers."""
    return Normal(float(np.asarray(normal.mean)[0]), float(np.asarray(normal.std)[0]))


def expected_of_log(modelled: Normal) -> Array:
    """The expectation of a metric modelled by its logarithm: an unknown one is not cheap."""
    mean, std = np.asarray(modelled.mean, float), np.asarray(modelled.std, float)
    return np.asarray(np.exp(np.minimum(mean + 0.5 * std**2, 60.0)), float)


def holds(constraint: Constraint, modelled: Normal, scale: Scale) -> Array:
    """The probability that a limit holds for a metric believed on the modelled scale, (n,)."""
    bound = modelled_bound(constraint, scale)
    if constraint.sign == "<=":
        return modelled.probability_below(bound)
    return modelled.probability_above(bound)


def modelled_bound(constraint: Constraint, scale: Scale) -> float:
    """The limit on the modelled scale."""
    return float(scale.forward(np.array([constraint.bound]))[0])


def _effort(history: History) -> str | None:
    complete = history.complete
    for name in ("cost", "time"):
        if all(name in t.metrics and t.metrics[name] > 0 for t in complete):
            return name
    return None


def usual_per_decade(problem: Problem, name: str) -> float:
    """More data makes trials longer and dearer, and shares better, whichever way that is."""
    if name in ("cost", "time"):
        return _PER_DECADE["effort"]
    if problem.metrics[name].kind != "share":
        return 0.0
    limits: Iterable[Constraint] = (c for c in problem.constraints if c.metric == name)
    wanted_low = (name == problem.objective and not problem.maximize) or any(
        c.sign == "<=" for c in limits
    )
    return -_PER_DECADE["share"] if wanted_low else _PER_DECADE["share"]


def _success(problem: Problem, history: History, make: MakeSurrogate) -> MetricBelief | None:
    """A belief about whether a trial ends with a measurement, once one has not.

    A trial that was stopped counts only where what it had spent says nothing about the problem:
    else it has taught already that its config is slow or dear, which need not make it fail.
    """
    told = [t for t in history if t.state in ("complete", "failed") and not _bounded(problem, t)]
    if all(t.state == "complete" for t in told):
        return None
    seen = Observations(
        [t.config for t in told],
        np.array([t.fraction for t in told]),
        np.array([float(t.state == "complete") for t in told]),
        np.full(len(told), np.nan),
    )
    metric = Metric("success")
    return MetricBelief.learned(problem, metric, seen, make(metric))


def _bounded(problem: Problem, trial: Trial) -> bool:
    """Whether a stopped trial gives a lower bound of something that matters."""
    matters = (name for name in BOOKED if name in problem.needed)
    return isinstance(trial.outcome, TimedOut) and any(name in trial.metrics for name in matters)
