"""Several objectives for strategies that know one: ParEGO's random weights.

Each question is asked of a single-objective problem. Its objective is the augmented Chebyshev
distance of the normalised objectives from their best values,

    max_j w_j z_j + 0.05 sum_j w_j z_j                        (Knowles 2006, equation 2)

with weights drawn anew for each trial, so that over time all parts of the front are searched. The
weights are a function of the seed and the number of trials, so answers stay functions of
(problem, history, seed).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tunewise.errors import StrategyError
from tunewise.history import History, Measurement, Trial
from tunewise.history.prior import Prior
from tunewise.problem import Metrics, Problem
from tunewise.strategy.loop.delegating import DelegatingPruner
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion
from tunewise.surrogate.normal import Array, Normal

AUGMENTATION = 0.05
"""The weight of the sum: Knowles' rho. Without it, weakly dominated trials would seem as good."""

DERIVED = "chebyshev_distance"
"""The metric that the inner problem minimises."""

Build = Callable[[Problem, int, Prior], Strategy]


class Scalarised(Strategy):
    """Poses a problem of several objectives as single ones to another strategy."""

    def __init__(self, problem: Problem, seed: int, build: Build) -> None:
        """`build` makes the inner strategy for a problem, a seed and a prior."""
        super().__init__(problem, seed)
        self._build = build
        self._inner_problem = _inner(problem)
        self.pruner = DelegatingPruner(self)
        build(self._inner_problem, seed, Prior())  # better refused now than at the first ask

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """Each suggestion answers weights of its own; those before it count as pending."""
        found: list[Suggestion] = []
        known = history
        for _ in range(count):
            rng = np.random.default_rng([self.seed, len(known)])
            weights = rng.dirichlet(np.ones(len(self.problem.objectives)))
            inner, told = self._posed(known, weights)
            suggested = inner.suggest(told, 1)
            if not suggested:
                break
            found += suggested
            number = 1 + max((trial.number for trial in known), default=-1)
            pending = Trial(number, suggested[0].config, suggested[0].fraction)
            known = History([*known, pending])
        return found

    def recommend(self, history: History) -> Recommendation:
        """The trial of the measured front that balances all objectives best.

        Before there is one, what the inner strategy recommends for equal weights.
        """
        if measured := most_balanced(self.problem, history):
            return measured
        inner, told = self.posed(history)
        answer = inner.recommend(told)
        expected = {k: v for k, v in answer.predicted.items() if k != DERIVED}
        return replace(answer, predicted=expected, predicted_best=None)

    def expected_gain(self, history: History) -> float | None:
        """Nobody knows: a gain of a distance is none of any objective."""
        return None

    def stops(self, history: History) -> str | None:
        """Why the inner strategy would end the search, for equal weights."""
        inner, told = self.posed(history)
        return inner.stops(told)

    def posed(self, history: History) -> tuple[Strategy, History]:
        """The inner strategy and what it hears of a history, for equal weights."""
        return self._posed(history, _equal(self.problem))

    def _posed(self, history: History, weights: Array) -> tuple[Strategy, History]:
        """One single-objective question, and the history as it looks under some weights."""
        distance = _Distance(self.problem, history, weights)
        studies = {name: distance.told(known) for name, known in self.prior.studies.items()}
        prior = Prior(studies, self.prior.notes)
        return self._build(self._inner_problem, self.seed, prior), distance.told(history)


def most_balanced(problem: Problem, history: History) -> Recommendation | None:
    """The trial of the measured front that balances all objectives best, if there is one."""
    if not (front := history.front(problem)):
        return None
    distance = _Distance(problem, history, _equal(problem))
    best = min(front, key=lambda trial: distance(trial.metrics))
    predicted = {n: Normal(v, 0.0) for n, v in best.metrics.items() if n in problem.metrics}
    limited = bool(problem.constraints)
    return Recommendation(best.config, best.fraction, predicted, 1.0, limited=limited)


class _Distance:
    """How far metrics are from the best of every objective under weights; 0 is nowhere worse."""

    def __init__(self, problem: Problem, history: History, weights: Array) -> None:
        self._objectives, self._weights = problem.objectives, weights
        self._low, self._span = _ranges(problem, [t.metrics for t in history.complete])

    def __call__(self, metrics: Metrics) -> float:
        losses = np.array([o.loss(metrics[o.metric]) for o in self._objectives])
        weighted = self._weights * (losses - self._low) / self._span
        return float(weighted.max() + AUGMENTATION * weighted.sum())

    def told(self, history: History) -> History:
        """The history with the distance as one more metric."""
        return History(self._translated(trial) for trial in history)

    def _translated(self, trial: Trial) -> Trial:
        if (told := trial.measurement) is None:
            return trial
        snapshots = {s: self._derived(metrics) for s, metrics in told.snapshots.items()}
        outcome = Measurement(self._derived(told.metrics), snapshots, told.deviations)
        return replace(trial, outcome=outcome)

    def _derived(self, metrics: Metrics) -> Metrics:
        if not all(o.metric in metrics for o in self._objectives):
            return metrics
        return {**metrics, DERIVED: self(metrics)}


def _equal(problem: Problem) -> Array:
    return np.full(len(problem.objectives), 1 / len(problem.objectives))


def _ranges(problem: Problem, told: Sequence[Metrics]) -> tuple[Array, Array]:
    """Of each objective's loss the least value and the span of all; 1 where nothing differs."""
    wanted = [o.metric for o in problem.objectives]
    whole = [metrics for metrics in told if all(name in metrics for name in wanted)]
    if not whole:
        return np.zeros(len(wanted)), np.ones(len(wanted))
    losses = np.array([[o.loss(m[o.metric]) for o in problem.objectives] for m in whole])
    span = np.ptp(losses, axis=0)
    return losses.min(axis=0), np.where(span > 0, span, 1.0)


def _inner(problem: Problem) -> Problem:
    if DERIVED in problem.metrics:
        raise StrategyError(f"a metric may not be named {DERIVED!r} beside several objectives")
    own = {m.name: m.kind for m in problem.metrics.values()}
    return Problem(
        problem.space,
        minimize=DERIVED,
        subject_to=problem.constraints,
        fractions=problem.fractions,
        deploy=problem.deploy,
        budget=problem.budget,
        price=problem.price,
        billing=problem.billing,
        metrics={**own, DERIVED: "real"},
        catalogue=problem.machines,
    )
