"""Posteriors over a handful of trials whose beliefs are written down, for decisions by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

import tunewise as tw
from tunewise.belief.candidates import Candidates
from tunewise.belief.grid import Grid
from tunewise.belief.metric_belief import MetricBelief
from tunewise.belief.model import SUCCESS, Learned
from tunewise.belief.posterior import Posterior
from tunewise.belief.prior_mean import PriorMeans
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.strategy.loop.initial_design import NOTHING
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.surrogate import Array, Fantasy, Normal, Surrogate
from tunewise.surrogate.finite_gaussian import FiniteGaussian
from tunewise.surrogate.scale import SCALES


class Written(Surrogate):
    """A joint normal belief about x in 0, 1, 2, ... at some fractions, as it is written down."""

    def __init__(self, belief: FiniteGaussian, fractions: Sequence[float], count: int) -> None:
        self.belief, self.fractions, self.count = belief, list(fractions), count

    @property
    def scale_(self) -> float:
        return 1.0

    def places(self, x: ArrayLike, s: ArrayLike) -> np.ndarray:
        rows = np.atleast_2d(np.asarray(x, float))
        config = np.round(rows[:, 0] * max(self.count - 1, 1)).astype(int)
        fractions = np.broadcast_to(np.asarray(s, float), len(rows))
        column = np.array([self.fractions.index(float(f)) for f in fractions], int)
        return np.asarray(config * len(self.fractions) + column)

    def fit(self, x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None = None) -> Self:
        raise NotImplementedError("its belief is written down")

    def condition(
        self, x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None = None
    ) -> Self:
        at = self.places(x, s)
        told = self.belief.given(at, np.asarray(y, float).reshape(-1), 1e-12)
        return type(self)(told, self.fractions, self.count)

    def predict(self, x: ArrayLike, s: ArrayLike) -> Normal:
        return self.belief.marginals[self.places(x, s)]

    def sample(self, x: ArrayLike, s: ArrayLike, n: int, rng: np.random.Generator) -> Array:
        root = np.linalg.cholesky(self.belief.covariance + 1e-12 * np.eye(len(self.belief)))
        drawn = self.belief.mean + rng.standard_normal((n, len(self.belief))) @ root.T
        return np.asarray(drawn[:, self.places(x, s)], float)

    def fantasize(
        self, candidates: tuple[ArrayLike, ArrayLike], targets: tuple[ArrayLike, ArrayLike]
    ) -> Fantasy:
        a, b = self.places(*candidates), self.places(*targets)
        variance = np.maximum(self.belief.variance, 1e-12)
        return Fantasy(
            self.belief.mean[a],
            np.sqrt(variance[a]),
            np.zeros(len(a)),
            self.belief.covariance[np.ix_(a, b)] / variance[a][:, None],
            self.belief.mean[b],
            self.belief.variance[b],
        )


class Noisy(Written):
    """The same, of measurements that deviate by 0.3 from what they measure."""

    @property
    def noise_(self) -> float:
        return 0.3


Told = tuple[Sequence[float], Sequence[float]]


def problem(count: int, fractions: Sequence[float] = (1.0,), **wanted: Any) -> Problem:
    """Configs x = 0, 1, 2, ... of which `count` are listed."""
    space = tw.Space(tw.Ordinal("x", list(range(count))))
    return tw.Problem(space, fractions=tuple(fractions), **wanted)


def written(
    wanted: Problem,
    beliefs: Mapping[str, Told],
    history: History | None = None,
    together: Mapping[str, ArrayLike] | None = None,
    exact: bool = False,
) -> Posterior:
    """A posterior with these means and deviations of each metric, on its modelled scale.

    Args:
        wanted: From `problem`.
        beliefs: Means and standard deviations by metric, trial by trial: config 0 at each
            fraction, config 1 at each, and so on. "success" may be among them.
        history: What was run.
        together: By metric, the correlations of all trials, or one between any two; else 0.
        exact: Whether repeats are known to agree.
    """
    fractions, count = list(wanted.fractions), wanted.space.size or 0
    grid = Grid(Candidates.of(wanted, wanted.space.configs), np.array(fractions))
    metrics = {}
    for name, (mean, std) in beliefs.items():
        correlation = np.asarray((together or {}).get(name, 0.0), float)
        deviations = np.asarray(std, float)
        covariance = correlation * np.outer(deviations, deviations)
        np.fill_diagonal(covariance, deviations**2)
        gaussian = FiniteGaussian(np.asarray(mean, float), covariance)
        metric = SUCCESS if name == "success" else wanted.metrics[name]
        surrogate = Written(gaussian, fractions, count)
        scale = SCALES[metric.kind]
        metrics[name] = MetricBelief(metric, surrogate, scale, exact=exact)
    success = metrics.pop("success", None)
    effort = next((n for n in ("cost", "time") if n in metrics), None)
    told = History() if history is None else history
    learned = Learned(metrics, effort, success, success)
    tried = {(t.config["x"], t.fraction) for t in told}
    open_ = [n for n in range(len(grid)) if (grid.trial(n)[0]["x"], grid.trial(n)[1]) not in tried]
    return Posterior(wanted, told, grid, learned, np.array(open_, np.intp))


def made_noisy(posterior: Posterior, name: str) -> None:
    """Let measurements of a metric of a written posterior have noise."""
    metric = posterior.believed(name)
    belief = metric.surrogate
    assert isinstance(belief, Written)
    noisy = Noisy(belief.belief, belief.fractions, belief.count)
    posterior.learned.metrics[name] = replace(metric, surrogate=noisy)


def ran(x: int, fraction: float = 1.0, number: int = 0, **metrics: float) -> Trial:
    """A complete trial; a pending one without metrics."""
    trial = Trial(number, {"x": x}, fraction)
    return trial.told(tw.Measurement(metrics)) if metrics else trial


@dataclass(frozen=True)
class Fixed:
    """A part that believes what is written, whatever the history."""

    beliefs: Mapping[str, Told]
    together: Mapping[str, ArrayLike] = field(default_factory=dict)

    def grid(self, problem: Problem, history: History, seed: int) -> Grid:
        return written(problem, self.beliefs, history).grid

    def posterior(
        self, problem: Problem, history: History, seed: int, prior: PriorMeans | None
    ) -> Posterior:
        return written(problem, self.beliefs, history, self.together)


def believing(strategy: tw.Strategy, belief: Fixed) -> "ModelBased[Any]":
    """A registered strategy, with all its parts but what it believes and how it begins."""
    assert isinstance(strategy, ModelBased)
    parts = replace(strategy.parts, belief=belief, design=NOTHING)
    return ModelBased(strategy.problem, strategy.seed, parts)


def scores(strategy: tw.Strategy, posterior: Posterior) -> np.ndarray:
    """What a registered strategy's acquisition says of all open trials of a posterior."""
    assert isinstance(strategy, ModelBased)
    rng = np.random.default_rng(0)
    worth = strategy.parts.acquisition(posterior, posterior.open, rng)
    return np.asarray(np.exp(worth) if strategy.parts.acquisition.logarithms else worth)
