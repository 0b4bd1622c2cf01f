"""The Gaussian process over (config, fraction).

Kernel: a Matérn-5/2 with its own length scale per dimension of the config, times a finite-rank
kernel in the fraction (FABOLAS), plus a trend of unknown weights common to all configs. Targets
are standardised, so predictions follow any change of units exactly.
"""

from collections.abc import Sequence
from copy import copy
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from tunewise.errors import StrategyError, nearest
from tunewise.surrogate.fantasy import Fantasy
from tunewise.surrogate.gaussian.basis import BASES, Basis, basis_named
from tunewise.surrogate.gaussian.conditioned import Conditioned
from tunewise.surrogate.gaussian.finite_rank import FiniteRank, Product, Trend
from tunewise.surrogate.gaussian.hyper_parameters import around, most_probable, probable
from tunewise.surrogate.gaussian.kernel import NOISE, Hyperprior, Kernel, Sum
from tunewise.surrogate.gaussian.likelihood import LogPosterior
from tunewise.surrogate.gaussian.matern import Matern52
from tunewise.surrogate.gaussian.own import Own
from tunewise.surrogate.gaussian.wander import Wander
from tunewise.surrogate.normal import Array, Normal
from tunewise.surrogate.slope import LEAST
from tunewise.surrogate.surrogate import (
    Points,
    Surrogate,
    Targets,
    centre_and_spread,
    observations,
    points,
    refuse_overflow,
)

_LOUD = Hyperprior.same(1, -3.0, 1.5, np.log(1e-6), 0.0)
"""The prior of noise for beliefs to be stated without slices, instead of `NOISE`: few trials hardly
tell noise from what configs differ by. Of a limit on times that vary by 30 % .974 was stated after
nine trials and .876 true over 30 seeds, now .965 and .924; with slices rough tables would never be
sure of anything."""

_POINTS = 6
"""Hyper-parameters that a careful belief averages over."""

_SETTLED = 150
"""Observations with which hyper-parameters are known: more teach nothing of them, and a careful
belief would take longer than all else. The posterior given them uses all."""

_SAMPLERS = ("map", "mcmc")

_TRENDS = {"log": "bent"}
"""Where the mean of all configs may do more than each of them does by itself."""


class GaussianProcess(Surrogate):
    """A Gaussian process with hyper-parameters of its own choice.

    Args:
        basis: how the metric changes with the fraction: "none" (where only fraction 1 is used),
            "accuracy", "cost", "log", or a `Basis`.
        trend: basis of the mean common to all configs; None takes the same as `basis`, and
            "bent" for "log": slices alone cannot tell a straight line from one that bends, and a
            belief that does not know this is sure of the wrong cost of the full data.
        sampler: "map" uses the most probable hyper-parameters, "mcmc" averages over `samples`
            probable ones, drawn with `seed`.
        spread: the least standard deviation that targets are expected to have: without it
            targets that hardly differ, or so far only on slices, look like certainty. On log and
            logit scales 1 is a good guess. With 0 nothing is expected, and predictions follow any
            change of units exactly.
        samples: how many hyper-parameters "mcmc" averages over.
        seed: of the random numbers of "mcmc"; "map" uses none.
        plain: the kernel of FABOLAS as published (equation 2.24 of the thesis), instead of `trend`:
            no mean common to all configs, and no growth of their own.

    After `fit`, `hyper_parameters_` (k, p) holds what was learned: one row with "map".
    """

    def __init__(
        self,
        basis: str | Basis = "none",
        *,
        trend: str | Basis | None = None,
        spread: float = 0.0,
        sampler: Literal["map", "mcmc"] = "map",
        samples: int = 10,
        seed: int = 0,
        plain: bool = False,
    ) -> None:
        """Say what to believe before seeing data; `fit` does the work."""
        if sampler not in _SAMPLERS:
            raise StrategyError(f"unknown sampler {sampler!r}{nearest(sampler, _SAMPLERS)}")
        if not 0 <= spread < np.inf:
            raise StrategyError(f"spread must be 0 or more and finite, not {spread}")
        if samples < 1:
            raise StrategyError(f"samples must be 1 or more, not {samples}")
        fraction = basis_named(basis)
        mean = basis_named(_TRENDS.get(fraction.name, fraction) if trend is None else trend)
        smooth = Product(Matern52(), FiniteRank(fraction))
        self.kernel: Kernel = smooth if plain else Sum(smooth, Trend(mean))
        # What a config has of its own is learned: its level, and what a decade of data adds. Smooth
        # problems have none and rough tables as much as anything. Around the noise of a measurement
        # (.15) half of its luck counted as known. How far curves leave a parabola is learned, too:
        # as noise, ten reports outvoted the full data (NOTEBOOK.md).
        own = Sum(Own(fraction, (LEAST, LEAST)), Wander(LEAST))
        richer = Sum(Sum(smooth, own), Trend(BASES["curved"]))
        ours = {"log": (richer, NOISE), "none": (self.kernel, _LOUD)}
        self._doubtful = None if plain else ours.get(fraction.name)
        self.noise = NOISE
        self.spread = spread
        self.sampler = sampler
        self.samples = samples
        self.seed = seed

    def fit(self, x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None = None) -> Self:
        """Learn hyper-parameters and condition on all observations."""
        told = observations(x, s, y, noise)
        self._shift, scale = centre_and_spread(told.y, self.spread)
        self._scale = max(scale, self.spread)
        data = self._standardised(told)
        learner = LogPosterior(self.kernel, self.noise, _thinned(data, _SETTLED))
        best = most_probable(learner)
        if self.sampler == "map":
            self.hyper_parameters_ = best[None, :]
        else:
            rng = np.random.default_rng(self.seed)
            self.hyper_parameters_ = probable(learner, best, self.samples, rng)
        # A further measurement is taken to be as noisy as those at hand usually are.
        self._known = float(np.median(data.variance))
        self._posteriors = self._given(data)
        self._width = told.at.x.shape[1]
        return self

    @property
    def noise_(self) -> float:
        """The learned noise, averaged over hyper-parameters, in units of the targets."""
        self._refuse_unfitted()
        return float(self._scale * np.sqrt(self._noise_variance))

    @property
    def _noise_variance(self) -> float:
        return float(np.mean([posterior.noise for posterior in self._posteriors]))

    def condition(
        self, x: ArrayLike, s: ArrayLike, y: ArrayLike, noise: ArrayLike | None = None
    ) -> Self:
        """A copy that has also seen these observations, with the same hyper-parameters."""
        told = observations(x, s, y, noise)
        self._alike(told.at)
        result = copy(self)
        data = self._posteriors[0].data.with_more(self._standardised(told))
        result._posteriors = self._given(data)
        return result

    def careful(self) -> Self:
        """A belief that doubts more: averaged over hyper-parameters.

        Where slices predict the full data also of a richer kernel. With "mcmc", and with kernels
        as published, it is as careful as it is.
        """
        data = self._posteriors[0].data
        if self.sampler != "map" or self._doubtful is None or len(data.y) > _SETTLED:
            return self
        result = copy(self)
        (result.kernel, result.noise), result._doubtful = self._doubtful, None
        learner = LogPosterior(result.kernel, result.noise, data)
        result.hyper_parameters_ = around(learner, most_probable(learner), _POINTS)
        result._posteriors = result._given(data)
        return result

    def predict(self, x: ArrayLike, s: ArrayLike) -> Normal:
        """The belief about the metric itself, averaged over hyper-parameters, (n,)."""
        at = self._alike(points(x, s))
        return self._mixture([posterior.predict(at) for posterior in self._posteriors])

    def predict_grid(self, x: ArrayLike, fractions: ArrayLike) -> Normal:
        """The belief at every pair of config and fraction, (n, F)."""
        at = self._alike(points(x, 1.0))
        each = [p.predict_grid(at.x, np.asarray(fractions, float)) for p in self._posteriors]
        return self._mixture(each)

    def _mixture(self, parts: Sequence[tuple[Array, Array]]) -> Normal:
        """Moments of an equal mixture of beliefs, in units of the targets."""
        mean, variance = parts[0]
        if len(parts) > 1:
            means, variances = (np.stack(column) for column in zip(*parts, strict=True))
            mean, variance = means.mean(0), variances.mean(0) + means.var(0)
        return Normal(self._shift + self._scale * mean, self._scale * np.sqrt(variance))

    def sample(self, x: ArrayLike, s: ArrayLike, n: int, rng: np.random.Generator) -> Array:
        """Draw `n` functions at m points, hyper-parameters taking turns: (n, m)."""
        at = self._alike(points(x, s))
        shares = [len(part) for part in np.array_split(np.arange(n), len(self._posteriors))]
        draws = [p.sample(at, k, rng) for p, k in zip(self._posteriors, shares, strict=True) if k]
        none = np.empty((0, len(at.x)))
        return np.asarray(self._shift + self._scale * np.concatenate([none, *draws]), float)

    def fantasize(
        self, candidates: tuple[ArrayLike, ArrayLike], targets: tuple[ArrayLike, ArrayLike]
    ) -> Fantasy:
        """Rank-one updates for all pairs; the average's moments where there are several."""
        a, b = self._alike(points(*candidates)), self._alike(points(*targets))
        refuse_overflow(self._scale)
        mean_a, var_a, mean_b, var_b, covariance = mixed([p.joint(a, b) for p in self._posteriors])
        observed = var_a + self._noise_variance
        covariance /= observed[:, None]
        return Fantasy(
            mean=self._shift + self._scale * mean_a,
            std=self._scale * np.sqrt(observed),
            noise=np.full(len(a.x), self.noise_),
            gain=covariance,
            target_mean=self._shift + self._scale * mean_b,
            target_var=(self._scale * np.sqrt(var_b)) ** 2,
        )

    def _given(self, data: Targets) -> list[Conditioned]:
        thetas = self.hyper_parameters_
        return [Conditioned.given(self.kernel, t, data, self._known) for t in thetas]

    def _standardised(self, told: Targets) -> Targets:
        y = (told.y - self._shift) / self._scale
        return Targets(told.at, y, told.variance / self._scale / self._scale)


def _thinned(data: Targets, most: int) -> Targets:
    """At most this many observations, evenly over the order in which they came."""
    if len(data.y) <= most:
        return data
    kept = np.linspace(0, len(data.y) - 1, most).round().astype(int)
    at = Points(data.at.x[kept], data.at.s[kept])
    return Targets(at, data.y[kept], data.variance[kept])


def mixed(joints: Sequence[tuple[Array, ...]]) -> tuple[Array, ...]:
    """Moments of an equal mixture of joint normals, by the laws of total (co)variance."""
    if len(joints) == 1:
        return joints[0]
    mean_a, var_a, mean_b, var_b, cov = (np.stack(column) for column in zip(*joints, strict=True))
    away_a, away_b = mean_a - mean_a.mean(0), mean_b - mean_b.mean(0)
    between = np.einsum("ka,kb->ab", away_a, away_b) / len(joints)
    return (
        mean_a.mean(0),
        var_a.mean(0) + mean_a.var(0),
        mean_b.mean(0),
        var_b.mean(0) + mean_b.var(0),
        cov.mean(0) + between,
    )
