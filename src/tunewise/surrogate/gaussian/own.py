"""What every config has of its own, and no neighbour predicts: a level, and how it grows."""

from dataclasses import dataclass

import numpy as np

from tunewise.surrogate.gaussian.basis import Basis
from tunewise.surrogate.gaussian.kernel import Bound, Hyperprior, Kernel, Pullback
from tunewise.surrogate.normal import Array
from tunewise.surrogate.surrogate import Points


@dataclass(frozen=True)
class Own(Kernel):
    """Each config draws a weight for every function of the fraction, independent of all others.

    Slices of others say how configs usually grow; how this one does, only its own slices say. A
    belief without such a part takes the smooth part for the whole, and is sure of the full data
    of a config that was never tried on more than a slice.

    `theta` holds the logarithms of the weights' standard deviations, (k,).

    Attributes:
        basis: The functions.
        usual: Medians of these standard deviations, in units of the targets' spread.
        spread: The standard deviation of their logarithms: by a factor of seven either way.
    """

    basis: Basis
    usual: tuple[float, ...]
    spread: float = 2.0

    def prior(self, dims: int) -> Hyperprior:
        """Around what is usual."""
        each = [Hyperprior.same(1, np.log(m), self.spread, np.log(1e-3), np.log(5.0))
                for m in self.usual]  # fmt: skip
        return Hyperprior.join(*each)

    def bind(self, points: Points) -> Bound:
        """Keep which points are of one config, and the values of the basis."""
        same = same_config(points.x, points.x)
        phi = self.basis(points.s)

        def evaluate(theta: Array) -> tuple[Array, Pullback]:
            weighted = phi * np.exp(2 * theta)

            def pullback(upstream: Array) -> Array:
                # d k / d log(a_j) = 2 a_j^2 phi_j(s) phi_j(s') where the config is the same
                masked = upstream * same
                return np.asarray(2 * np.einsum("nk,nm,mk->k", weighted, masked, phi), float)

            return (weighted @ phi.T) * same, pullback

        return evaluate

    def between(self, theta: Array, a: Points, b: Points) -> Array:
        """Zero but where the config is the same."""
        weighted = self.basis(a.s) * np.exp(2 * theta)
        return np.asarray((weighted @ self.basis(b.s).T) * same_config(a.x, b.x), float)

    def over_fractions(self, theta: Array, a: Points, x: Array, fractions: Array) -> list[Array]:
        """Which configs are the same is found once."""
        same = same_config(a.x, x)
        columns = (self.basis(a.s) * np.exp(2 * theta)) @ self.basis(fractions).T
        return [same * column[:, None] for column in columns.T]

    def diagonal(self, theta: Array, points: Points) -> Array:
        """The variances of all weights, times their functions."""
        return np.asarray(self.basis(points.s) ** 2 @ np.exp(2 * theta), float)

    def draw(self, theta: Array, points: Points, n: int, rng: np.random.Generator) -> Array:
        """Weights for each different config."""
        rows, place = np.unique(points.x, axis=0, return_inverse=True)
        weights = rng.standard_normal((n, len(rows), self.basis.size)) * np.exp(theta)
        phi = self.basis(points.s)
        return np.asarray((weights[:, place.reshape(-1)] * phi).sum(2), float)


def same_config(a: Array, b: Array) -> Array:
    """1 where rows of `a` (n, d) and `b` (m, d) are the same config, else 0: (n, m)."""
    return np.asarray(_keys(a)[:, None] == _keys(b)[None, :], float)


def _keys(x: Array) -> Array:
    """A number for each row that equal rows share, and others in all likelihood do not.

    Sums of products along rows are the same for the same row, wherever it stands.
    """
    weights = np.sqrt(np.arange(2.0, 2.0 + x.shape[1])) * np.pi
    return np.asarray((np.ascontiguousarray(x) * weights).sum(1), float)
