"""The Matérn-5/2 kernel over configs, with one length scale for each dimension."""

from dataclasses import dataclass

import numpy as np

from tunewise.surrogate.gaussian.algebra import lapack
from tunewise.surrogate.gaussian.kernel import Bound, Hyperprior, Kernel, Pullback
from tunewise.surrogate.normal import Array
from tunewise.surrogate.surrogate import Points


@dataclass(frozen=True)
class Matern52(Kernel):
    """Twice differentiable functions of the config with variance 1.

    `theta` holds the logarithms of the length scales (d,). Their prior is log-normal and moves
    with sqrt(d): the distance of random configs grows so, and with it what "far" means. Its place
    and width were chosen by errors and likelihoods of held-out rows over many measured tables and
    synthetic functions: longer and vaguer length scales predict no better on average, and are far
    too sure of themselves after 10 to 30 observations.

    Attributes:
        location: prior mean of a log length scale when d = 1.
        spread: its prior standard deviation.
    """

    location: float = -0.25
    spread: float = 0.7

    def prior(self, dims: int) -> Hyperprior:
        """Log length scales, from a fortieth of the cube to so long that nothing changes."""
        mean = self.location + 0.5 * np.log(dims)
        return Hyperprior.same(dims, mean, self.spread, np.log(0.025), np.log(100.0))

    def bind(self, points: Points) -> Bound:
        """Keep the squared differences of each dimension, (d, n * n)."""
        n, dims = points.x.shape
        columns = points.x.T
        squares = np.ascontiguousarray((columns[:, :, None] - columns[:, None, :]) ** 2)
        squares = squares.reshape(dims, n * n)

        def evaluate(theta: Array) -> tuple[Array, Pullback]:
            weights = np.exp(-2 * theta)
            r = np.sqrt((5 * weights) @ squares)
            decay = np.exp(-r)

            def pullback(upstream: Array) -> Array:
                # d k / d log(l_j) = 5/3 (1 + r) exp(-r) (difference_j / l_j)^2
                slope = (1 + r) * decay * upstream.ravel()
                return (5 / 3) * weights * (squares @ slope)

            return ((1 + r + r * r / 3) * decay).reshape(n, n), pullback

        return evaluate

    def between(self, theta: Array, a: Points, b: Points) -> Array:
        """Matérn-5/2 of the scaled distances."""
        scale = np.sqrt(5.0) * np.exp(-theta)
        left, right = a.x * scale, b.x * scale
        squares = left @ (-2 * right.T)
        squares += (left * left).sum(1)[:, None]
        squares += (right * right).sum(1)
        r = np.sqrt(np.maximum(squares, 0.0, out=squares))
        decay = np.exp(-r)
        squares /= 3
        squares += r
        squares += 1
        squares *= decay
        return np.asarray(squares, float)

    def diagonal(self, theta: Array, points: Points) -> Array:
        """One everywhere."""
        return np.ones(len(points.x))

    def draw(self, theta: Array, points: Points, n: int, rng: np.random.Generator) -> Array:
        """One draw for each different config, so that repeated configs agree exactly."""
        x, place = np.unique(points.x, axis=0, return_inverse=True)
        different = Points(x, np.ones(len(x)))
        root = root_of(self.between(theta, different, different))
        return np.asarray((rng.standard_normal((n, len(x))) @ root.T)[:, place.ravel()], float)


def root_of(matrix: Array) -> Array:
    """The lower Cholesky root of a covariance that may be singular to rounding.

    Args:
        matrix: (n, n), symmetric and positive up to rounding, with variances near 1.
    """
    for jitter in (1e-12, 1e-10, 1e-8, 1e-6):
        shifted = matrix + jitter * np.eye(len(matrix))
        root, failed = lapack().dpotrf(shifted, lower=1, clean=1)
        if not failed:
            break
    assert not failed, "a covariance matrix must be positive"
    return np.asarray(root, float)
