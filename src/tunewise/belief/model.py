"""How a problem is modelled: which surrogate, and what is assumed before anything is seen."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tunewise.belief.adjustments import Adjustment, Growth, OtherStudies, Price
from tunewise.belief.candidates import Candidates
from tunewise.belief.censoring import with_bounds
from tunewise.belief.cliff import without_cliff
from tunewise.belief.metric_belief import MetricBelief
from tunewise.belief.prior_mean import PriorMeans
from tunewise.belief.usual.bowl import Bowl
from tunewise.belief.usual.slopes import usual_per_decade
from tunewise.history import BOOKED, History, Observations, TimedOut
from tunewise.history.repeats import agree
from tunewise.problem import Metric, Problem
from tunewise.space import Choice
from tunewise.surrogate import Surrogate
from tunewise.surrogate.exchangeable import Exchangeable
from tunewise.surrogate.normal import ROUNDS
from tunewise.surrogate.registered import SurrogateSpec
from tunewise.surrogate.scale import SCALES

SUCCESS = Metric("success")
"""Whether a trial ends with a measurement: 1 or 0, believed to when above a half."""

Basis = Literal["log", "fabolas", "none"]


@dataclass(frozen=True)
class Model:
    """What is assumed of every metric.

    Attributes:
        surrogate: What models each metric.
        basis: How metrics change with the data: "log" is a power law on the modelled scale;
            "fabolas" has (1 - s)^2 for the objective and shares, and s for cost and time; "none"
            models configs alone, besides what more data usually does.
        known_price: Whether a price that the problem knows is used.
        full_only: Whether only trials on the full data teach.
        inside: Whether the best is expected inside of ranges rather than at their ends.
        published: Whether nothing is assumed beyond the surrogate: no usual slopes or spreads, no
            penalties, nothing from other studies, shares by their logarithm, and no measurement
            taken for the truth; for systems as published.
    """

    surrogate: SurrogateSpec = SurrogateSpec("gp")
    basis: Basis = "log"
    known_price: bool = True
    full_only: bool = False
    inside: bool = False
    published: bool = False

    def learn(
        self, problem: Problem, history: History, several: bool, prior: PriorMeans | None
    ) -> "Learned":
        """Learn from a history in which at least one trial is complete, and from other studies.

        Args:
            problem: What is wanted.
            history: What was measured.
            several: Whether trials may use more than one fraction.
            prior: What other studies say.
        """
        if self.full_only:
            history = history.full
            # What they reported on their way is of less data: what that changes is learned too.
            several = several or any(
                t.reported or (t.measurement and t.measurement.snapshots) for t in history
            )
        effort = _effort(history)
        names = dict.fromkeys([*problem.needed, *([effort] if effort else [])])
        metrics = {name: self._believed(problem, history, name, several, prior) for name in names}
        success = trained = self._success(problem, history, several)
        if any(trial.given_up for trial in history):
            ran = History(trial for trial in history if not trial.given_up)
            trained = self._success(problem, ran, several)
        return Learned(metrics, effort, success, trained, not self.unrelated(problem))

    def unrelated(self, problem: Problem) -> bool:
        """Whether nothing relates configs: they are the values of one unordered choice.

        Then a Gaussian process has no distances to learn, and trees no columns to choose among:
        each would end in one leaf a config. What is left to learn is the same for both: the curve
        of each config, and how far it is drawn to those of all.
        """
        parameters = problem.space.parameters
        alone = len(parameters) == 1 and isinstance(parameters[0], Choice)
        return alone and not self.published and _knows_curves(self.surrogate)

    def _make(self, metric: Metric, several: bool) -> Surrogate:
        spread = 0.0 if self.published else SCALES[metric.kind].spread
        return self.surrogate.make(basis=self._basis(metric, several), spread=spread)

    def _basis(self, metric: Metric, several: bool) -> str:
        if not several:
            return "none"
        if self.basis == "fabolas":  # its section 4.2: what a trial takes, and what it learns
            return "cost" if metric.name in BOOKED else "accuracy"
        return self.basis

    def _believed(
        self,
        problem: Problem,
        history: History,
        name: str,
        several: bool,
        prior: PriorMeans | None,
    ) -> MetricBelief:
        """What the measurements of a metric teach, and the lower bounds from stopped trials."""
        metric = problem.metrics[name]
        shares = "logarithm" if self.published else "share"
        scale = SCALES[shares if metric.kind == "share" else metric.kind]
        unrelated, prior = self.unrelated(problem), None if self.published else prior
        grown = not self.published and len(problem.fractions) > 1
        per_decade = usual_per_decade(problem, name) if grown else 0.0
        exact = not (self.published or unrelated) and agree(problem, history, name)
        usual = SCALES[metric.kind].spread
        known = prior.habits(name, per_decade) if prior is not None and unrelated else None
        seen = history.observations(name) if self.published else _observed(problem, history, name)

        adjustments: list[Adjustment] = [Growth(per_decade)]
        if self.known_price and name == "cost" and problem.price is not None:
            adjustments.append(Price())
        spread = usual or float(np.std(seen.values))
        if self.inside and (interior := Bowl.inside(problem, name, spread)) is not None:
            adjustments.append(interior)
        expected = None if self.published else Bowl.expected(problem, name, spread)
        if expected is not None:
            adjustments.append(expected)
        if prior is not None and not unrelated and (mean := prior.of(name)) is not None:
            adjustments.append(OtherStudies(mean, scale.spread))

        def learned(seen: Observations) -> MetricBelief:
            surrogate = self._make(metric, several)
            if unrelated:
                basis = self._basis(metric, several)
                surrogate = Exchangeable(basis, spread=usual, known=known)
            return MetricBelief.learned(problem, metric, seen, surrogate, scale, adjustments, exact)

        bounds = history.censored(name)
        if name not in BOOKED or not len(bounds):
            return learned(seen)
        return with_bounds(problem, learned, seen, bounds, ROUNDS if unrelated else 1)

    def _success(self, problem: Problem, history: History, several: bool) -> MetricBelief | None:
        """A belief about whether a trial ends with a measurement, once one has not.

        A trial that was stopped counts only where what it had spent says nothing about the
        problem: else it has taught already that its config is slow or dear, which need not make
        it fail.
        """
        ended = [t for t in history if t.state in ("complete", "failed")]
        matters = {name for name in BOOKED if name in problem.needed}
        told = [
            t for t in ended if not (isinstance(t.outcome, TimedOut) and matters & {*t.metrics})
        ]
        if all(t.state == "complete" for t in told):
            return None
        seen = Observations(
            [t.config for t in told],
            np.array([t.fraction for t in told]),
            np.array([float(t.state == "complete") for t in told]),
            np.full(len(told), np.nan),
        )
        surrogate = self._make(SUCCESS, several)
        return MetricBelief.learned(problem, SUCCESS, seen, surrogate, SCALES[SUCCESS.kind])


@dataclass(frozen=True, eq=False)
class Learned:
    """What a history teaches.

    Attributes:
        metrics: The belief about each metric that matters.
        effort: The metric that a trial spends: cost, or time where no cost is told, or None.
        success: Whether a trial ends with a measurement, once one has not.
        trained: The same of a training that nobody gives up, as what is deployed is.
        related: Whether configs predict each other.
    """

    metrics: dict[str, MetricBelief]
    effort: str | None
    success: MetricBelief | None
    trained: MetricBelief | None
    related: bool = True

    def deployed(self) -> "Learned":
        """The beliefs about what is trained to its end, as configs were that are complete."""
        return replace(self, success=self.trained)

    def careful(self) -> "Learned":
        """The beliefs to state."""
        metrics = {name: belief.careful() for name, belief in self.metrics.items()}
        return replace(self, metrics=metrics)

    def assuming(self, candidates: Candidates, s: np.ndarray) -> "Learned":
        """The belief once pending trials had come out as expected."""
        if not len(candidates):
            return self
        metrics = {name: b.assuming(candidates, s) for name, b in self.metrics.items()}
        success = None if self.success is None else self.success.assuming(candidates, s)
        return replace(self, metrics=metrics, success=success)


def _knows_curves(surrogate: SurrogateSpec) -> bool:
    """Whether it may go beyond what a config has shown: not the trees of papers, of no slope.

    Options of a Gaussian process say how configs are related: one that has any is kept to.
    """
    if surrogate.name == "trees":
        return dict(surrogate.options).get("slope") != 0
    return surrogate == SurrogateSpec("gp")


def _effort(history: History) -> str | None:
    complete = history.complete
    for name in ("cost", "time"):
        if all(name in t.metrics and t.metrics[name] > 0 for t in complete):
            return name
    return None


def _observed(problem: Problem, history: History, name: str) -> Observations:
    """What was measured of a metric; penalties in place of an objective count as bad, not more.

    A metric that is limited counts as it is: how far it is beyond a limit is told.
    """
    seen = history.observations(name)
    limited = any(c.metric == name for c in problem.constraints)
    if name != problem.objective or limited or problem.metrics[name].kind != "real":
        return seen
    sign = -1.0 if problem.maximize else 1.0
    return replace(seen, values=sign * without_cliff(sign * seen.values))
