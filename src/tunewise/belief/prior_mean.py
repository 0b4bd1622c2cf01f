"""Other studies as the prior mean of a belief, each with a weight learned from what is measured.

A metric is modelled as the weighted predictions of the other studies' surrogates plus what the
surrogate of the new study learns. Weights begin small and follow the new measurements: towards
1 for a study that predicts them, to 0 for one that misleads.
"""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from tunewise.belief.adjustments import Growth
from tunewise.belief.candidates import Candidates
from tunewise.belief.metric_belief import MetricBelief
from tunewise.belief.population import habits
from tunewise.belief.usual.slopes import DOUBT, usual_per_decade
from tunewise.history import History
from tunewise.history.prior import LEAST, Prior
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.surrogate.gaussian_process import GaussianProcess
from tunewise.surrogate.hierarchy import Habits
from tunewise.surrogate.normal import ROWS, Array
from tunewise.surrogate.scale import SCALES
from tunewise.surrogate.surrogate import centre_and_spread

_REMEMBERED = 16
"""Predictions of other studies that are kept: more than one ask looks at."""


class PriorMean:
    """What other studies say about one metric, on its modelled scale."""

    def __init__(self, beliefs: Sequence[MetricBelief]) -> None:
        """Take one belief for each study."""
        self._beliefs = beliefs
        self._known: dict[bytes, Array] = {}

    def each(self, x: Array, s: ArrayLike) -> Array:
        """What each of the k studies predicts for encoded configs x (n, d), (n, k)."""
        fractions = np.broadcast_to(np.asarray(s, float), len(x))
        # One ask looks at the same candidates many times.
        key = sha256(x.tobytes()).digest() + sha256(fractions.tobytes()).digest()
        if key not in self._known:
            while len(self._known) >= _REMEMBERED:
                del self._known[next(iter(self._known))]
            self._known[key] = self._predicted(x, fractions)
        return self._known[key]

    def _predicted(self, x: Array, s: Array) -> Array:
        predicted = np.empty((len(x), len(self._beliefs)))
        for start in range(0, len(x), ROWS):
            rows = slice(start, start + ROWS)
            for k, belief in enumerate(self._beliefs):
                predicted[rows, k] = belief.surrogate.predict(x[rows], s[rows]).mean
        return predicted

    def weights(self, x: Array, s: Array, y: Array, spread: float) -> Array:
        """How much each study is believed after seeing targets y (n,), (k,) in [0, 1].

        Least squares of the targets on the predictions, a constant and a trend in the fraction,
        drawn towards equal weights that are a half together, give or take a half (`DOUBT`), less
        the standard error: a search that only looked where a misleading study is right must not
        believe it. What a config has of its own counts once, at however many fractions.
        """
        from scipy.optimize import lsq_linear

        told = self.each(x, s)
        count, k = told.shape
        _, scale = centre_and_spread(y, spread)
        table = np.column_stack([np.ones(count), np.log10(s), told / scale, y / scale])
        pull = np.diag([0.0, 1.0, *np.full(k, 1 / DOUBT)])
        drawn_to = pull @ np.array([0.0, 0.0, *np.full(k, DOUBT / k)])
        rows = np.vstack([_whitened(table, x), np.column_stack([pull, drawn_to])])
        bounds = ([-np.inf, -np.inf, *np.zeros(k)], [np.inf, np.inf, *np.ones(k)])
        solved = lsq_linear(rows[:, :-1], rows[:, -1], bounds, method="bvls")
        doubt = _doubts(rows, 2 * solved.cost, len(np.unique(x, axis=0)))
        return np.asarray(np.clip(solved.x - doubt, 0.0, 1.0)[2:], float)


class PriorMeans:
    """What other studies say about every metric of a problem; each surrogate is fitted once."""

    def __init__(self, problem: Problem, prior: Prior) -> None:
        """Nothing is fitted before it is asked for."""
        self._problem, self._prior = problem, prior
        self._means: dict[str, PriorMean | None] = {}
        self._habits: dict[str, tuple[Array, Habits] | None] = {}
        self._beliefs: dict[tuple[str, str], MetricBelief | None] = {}

    def of(self, metric: str) -> PriorMean | None:
        """About one metric; None if no study has measured it often enough."""
        if metric not in self._means:
            found = [self._belief(study, metric) for study in self._prior.studies]
            beliefs = [belief for belief in found if belief is not None]
            self._means[metric] = PriorMean(beliefs) if beliefs else None
        return self._means[metric]

    def habits(self, metric: str, per_decade: float) -> tuple[Array, Habits] | None:
        """How configs that nothing relates usually are; None if no study says."""
        if metric not in self._habits:
            studies = self._prior.studies
            self._habits[metric] = habits(self._problem, metric, studies, per_decade)
        return self._habits[metric]

    def begun(self, design: Sequence[Config]) -> list[Config]:
        """The configs to begin with, up to half of them replaced by the studies' best ones.

        What is best in more studies comes first; of equals, what an earlier study holds best.
        """
        key = self._problem.space.key
        most = max(1, len(design) // 2)
        best = [b for study in self._prior.studies if (b := self._best(study)) is not None]
        votes = Counter(key(config) for config in best)
        best.sort(key=lambda config: -votes[key(config)])
        found = {key(config): config for config in best}
        chosen = dict(islice(found.items(), most))
        for config in design:
            chosen.setdefault(key(config), config)
        return list(chosen.values())[: len(design)]

    def _best(self, study: str) -> Config | None:
        """Of the configs it measured, the one it believes best on the full data."""
        problem = self._problem
        beliefs = {metric: self._belief(study, metric) for metric in problem.needed}
        if beliefs[problem.objective] is None:
            return None
        configs = [trial.config for trial in self._prior.studies[study]]
        candidates = Candidates.of(problem, configs)
        expected = {
            metric: belief.scale.backward(np.asarray(belief.predict(candidates, 1.0).mean, float))
            for metric, belief in beliefs.items()
            if belief is not None
        }
        limits = [c for c in problem.constraints if c.metric in expected]
        sign = -1.0 if problem.maximize else 1.0

        def rank(i: int) -> tuple[float, float]:
            missed = sum(c.violation(float(expected[c.metric][i])) for c in limits)
            return missed, sign * float(expected[problem.objective][i])

        return configs[min(range(len(configs)), key=rank)]

    def _belief(self, study: str, metric: str) -> MetricBelief | None:
        if (study, metric) not in self._beliefs:
            history = self._prior.studies[study]
            self._beliefs[study, metric] = _learned(self._problem, metric, history)
        return self._beliefs[study, metric]


def _learned(problem: Problem, name: str, history: History) -> MetricBelief | None:
    """What one study teaches about a metric, as the new problem models it."""
    seen = history.observations(name)
    if len(seen) < LEAST:
        return None
    metric = problem.metrics[name]
    basis = "log" if len(np.unique(seen.fractions)) > 1 else "none"
    surrogate = GaussianProcess(basis, spread=SCALES[metric.kind].spread)
    growth = Growth(usual_per_decade(problem, name))
    return MetricBelief.learned(problem, metric, seen, surrogate, SCALES[metric.kind], [growth])


def _doubts(rows: Array, squares: float, configs: int) -> Array:
    """Standard errors of the coefficients; `squares` is what least squares left over."""
    # One more config of the usual size: a few that happen to fit are no certainty.
    variance = (squares + 1.0) / (configs + 1)
    precision = rows[:, :-1].T @ rows[:, :-1]
    return np.asarray(np.sqrt(variance * np.diag(np.linalg.pinv(precision))), float)


def _whitened(table: Array, x: Array) -> Array:
    """Rows (n, c) as if of equal, independent noise: those of one config share a part of theirs.

    One more value of a config at another fraction differs by half of what the first one brings.
    """
    _, same = np.unique(x, axis=0, return_inverse=True)
    same = same.reshape(-1)
    size = np.bincount(same)
    sums = np.stack([np.bincount(same, column) for column in table.T], axis=1)
    repeated = DOUBT**2
    shrunk = 1 - np.sqrt(repeated / (repeated + size))
    away = table - (shrunk[:, None] * sums / size[:, None])[same]
    return np.asarray(away / DOUBT, float)
