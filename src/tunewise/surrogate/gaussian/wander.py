"""How a config's curve leaves the lines that a basis has for it, as reports of a training show."""

from dataclasses import dataclass

import numpy as np

from tunewise.surrogate.gaussian.kernel import Bound, Hyperprior, Kernel, Pullback
from tunewise.surrogate.gaussian.own import same_config
from tunewise.surrogate.normal import Array
from tunewise.surrogate.surrogate import Points


@dataclass(frozen=True)
class Wander(Kernel):
    """A random walk of each config, from the full data down the decades.

    A training that reports ten times lies on no line or parabola ten times. Were what it leaves
    noise, each report would be a new draw of it: ten of them would outvote the one measurement on
    the full data. A walk has only that measurement near the full data, and is as unsure beyond
    the last report as the reports have shown.

    `theta` holds the logarithm of what a decade adds to a walk's standard deviation, (1,).

    Attributes:
        usual: Its median, in units of the targets' spread.
        spread: The standard deviation of its logarithm: by a factor of seven either way.
    """

    usual: float
    spread: float = 2.0

    def prior(self, dims: int) -> Hyperprior:
        """Around what is usual."""
        return Hyperprior.same(1, np.log(self.usual), self.spread, np.log(1e-3), np.log(5.0))

    def bind(self, points: Points) -> Bound:
        """Keep how far any two points walk together."""
        together = _together(points, points)

        def evaluate(theta: Array) -> tuple[Array, Pullback]:
            covariance = np.exp(2 * theta[0]) * together

            def pullback(upstream: Array) -> Array:
                # d k / d log(a) = 2 a^2 min(t, t')
                return np.array([2 * (upstream * covariance).sum()])

            return covariance, pullback

        return evaluate

    def between(self, theta: Array, a: Points, b: Points) -> Array:
        """Zero but where the config is the same."""
        return np.asarray(np.exp(2 * theta[0]) * _together(a, b), float)

    def diagonal(self, theta: Array, points: Points) -> Array:
        """The decades to the full data, times what each adds."""
        return np.asarray(-np.log10(points.s) * np.exp(2 * theta[0]), float)

    def over_fractions(self, theta: Array, a: Points, x: Array, fractions: Array) -> list[Array]:
        """Which configs are the same is found once."""
        same = np.exp(2 * theta[0]) * same_config(a.x, x)
        return [same * column[:, None] for column in _shared(a.s, fractions).T]

    def draw(self, theta: Array, points: Points, n: int, rng: np.random.Generator) -> Array:
        """Independent steps between the fractions, added up from the full data on."""
        different, place = np.unique(-np.log10(points.s), return_inverse=True)
        rows, config = np.unique(points.x, axis=0, return_inverse=True)
        steps = np.exp(theta[0]) * np.sqrt(np.diff(different, prepend=0.0))
        walks = np.cumsum(rng.standard_normal((n, len(rows), len(different))) * steps, axis=2)
        return np.asarray(walks[:, config.reshape(-1), place.reshape(-1)], float)


def _together(a: Points, b: Points) -> Array:
    """Decades that the walks of two points have in common, (n, m)."""
    return _shared(a.s, b.s) * same_config(a.x, b.x)


def _shared(a: Array, b: Array) -> Array:
    """Decades between the full data and the nearer of fractions `a` (n,) and `b` (m,), (n, m)."""
    return np.asarray(np.minimum(-np.log10(a)[:, None], -np.log10(b)[None, :]), float)
