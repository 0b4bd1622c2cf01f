"""What is believed about a new user's models before any of them is trained.

The mean and the covariance come from the logs of other users (ease.ml, section 6.3.2: the
performance on other users' data defines how alike two models are). It works from no logs at all.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate import Array
from tunewise.surrogate.finite_gaussian import FiniteGaussian
from tunewise.surrogate.normal import ROUNDS, SURELY
from tunewise.tenancy.latent import Default
from tunewise.tenancy.priors.covariance import POOLED, shrunk
from tunewise.tenancy.priors.noise import NORMAL


@dataclass(frozen=True, eq=False)
class AccuracyPrior:
    """A belief about K numbers of a user, before and after its features are known.

    Attributes:
        belief: The joint normal belief of a user with average features.
        noise: (K,) variance of a measurement.
        spread: Degrees of freedom beyond 2 of how widely a user's models spread.
        slope: (p, K) how features move the mean.
        center: (p,) the features' means in the log.
        width: (p,) their standard deviations.
        slices: At how many fractions each model may be tried, the full data included.
    """

    belief: FiniteGaussian
    noise: Array
    spread: float
    slope: Array
    center: Array
    width: Array
    slices: int = 1

    @classmethod
    def learn(
        cls,
        values: Array,
        features: Array | None,
        default: Default,
        *,
        normal: bool = False,
    ) -> "AccuracyPrior":
        """From the users of a log.

        Args:
            values: (N, K) on a scale on which they are nearly normal; NaN where not measured.
            features: (N, p) of each user's data, or None.
            default: What is believed before any log.
            normal: Take all users to spread alike, as ease.ml does.
        """
        center, width, slope = _regression(values, features)
        plain = values - _standard(features, center, width) @ slope if len(center) else values
        seen = np.asarray(np.isfinite(plain).sum(axis=0), float)
        filled, hidden = _by_effects(plain, default)
        for _ in range(ROUNDS):  # gaps are filled by what the others say; a full log needs one
            mean = _shrunk_mean(filled, default)
            found = shrunk(filled - mean, hidden, seen, default, normal)
            belief = FiniteGaussian(mean, found.covariance)
            if np.isfinite(plain).all():
                break
            filled, hidden = _by_belief(plain, belief, found.noise)
        return cls(belief, found.noise, found.spread, slope, center, width)

    def of_user(self, features: Array | None) -> FiniteGaussian:
        """The belief about a user with these features (p,); NaN or None: unknown."""
        if features is None or not len(self.center):
            return self.belief
        shift = self.inputs(features) @ self.slope
        return FiniteGaussian(self.belief.mean + shift, self.belief.covariance)

    def inputs(self, features: Array) -> Array:
        """Features (..., p) as the slope takes them."""
        return _standard(features, self.center, self.width)

    def scale(self, surprise: float, count: int) -> float:
        """By what the standard deviations of a user grow, given how surprising it was so far.

        With a spread that is unknown, the belief is a t process: its variances are multiplied by
        (spread + surprise) / (spread + count).
        """
        if self.spread == NORMAL:
            return 1.0
        return float(np.sqrt((self.spread + surprise) / (self.spread + count)))


def _regression(values: Array, features: Array | None) -> tuple[Array, Array, Array]:
    """Ridge regression of the values on standard features, only where there are users enough."""
    none = np.zeros(0), np.ones(0), np.zeros((0, values.shape[1]))
    if features is None or features.shape[1] == 0 or len(values) < features.shape[1] + 3:
        return none
    told = np.isfinite(features).any(axis=0)
    # A feature that nobody told is 0 for all: it moves nothing.
    center, width = (
        part(np.where(told, features, 0.0), axis=0) for part in (np.nanmean, np.nanstd)
    )
    width = np.maximum(width, 1e-9)
    known = np.isfinite(values)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, values, 0.0).sum(axis=0) / count
    residual = np.where(known, values - mean, 0.0)
    return center, width, ridge(_standard(features, center, width), residual)


def ridge(inputs: Array, residual: Array) -> Array:
    """How standard features (N, p) move values (N, n) around their means, warily: (p, n)."""
    penalty = POOLED * np.eye(inputs.shape[1])
    return np.asarray(np.linalg.solve(inputs.T @ inputs + penalty, inputs.T @ residual), float)


def _standard(features: Array | None, center: Array, width: Array) -> Array:
    """Features around 0 with a width of 1; unknown ones are average, far ones come nearer.

    A line learned from the middle says nothing about what lies far outside: published logs have no
    such users, and others would be believed to be 30 off on the logit scale.
    """
    assert features is not None
    standard = np.clip((features - center) / width, -SURELY, SURELY)
    return np.where(np.isfinite(standard), standard, 0.0)


def _by_effects(values: Array, default: Default) -> tuple[Array, Array]:
    """Missing values as the sum of what their model and their user are on average.

    With the covariance that this hides, (K, K): what is left of the known values, where unknown.
    """
    known = np.isfinite(values)
    if known.all():
        return values, np.zeros((values.shape[1],) * 2)
    overall = float(values[known].mean()) if known.any() else default.mean
    model = overall + _mean_of(values - overall, known, 0)
    user = _mean_of(values - model, known, 1)[:, None]
    rest = float(np.square(values - model - user)[known].mean()) if known.any() else default.own
    filled = np.where(known, values, model + user)
    return np.asarray(filled, float), np.diag(rest * (1 - known.mean(axis=0)))


def _mean_of(values: Array, known: NDArray[np.bool_], axis: int) -> Array:
    """The mean of what is known, 0 where nothing is."""
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(total / np.maximum(known.sum(axis=axis), 1), float)


def _by_belief(values: Array, belief: FiniteGaussian, noise: Array) -> tuple[Array, Array]:
    """Missing values as expected given the others, and the mean covariance that this hides."""
    filled, hidden = values.copy(), np.zeros_like(belief.covariance)
    for row in filled:
        at = np.flatnonzero(np.isfinite(row))
        gaps = np.flatnonzero(~np.isfinite(row))
        if not len(gaps):
            continue
        after = belief.given(at, row[at], noise[at])
        row[gaps] = after.mean[gaps]
        hidden[np.ix_(gaps, gaps)] += after.covariance[np.ix_(gaps, gaps)]
    return filled, hidden / max(len(values), 1)


def _shrunk_mean(filled: Array, default: Default) -> Array:
    """Each model's mean, with one imagined user of the overall mean."""
    users = len(filled)
    overall = float(filled.mean()) if filled.size else default.mean
    return np.asarray((filled.sum(axis=0) + overall) / (users + 1), float)
