"""How well hyper-parameters explain the observations, with the exact gradient."""

import numpy as np

from tunewise.surrogate.gaussian.algebra import lapack
from tunewise.surrogate.gaussian.kernel import Hyperprior, Kernel
from tunewise.surrogate.normal import Array
from tunewise.surrogate.surrogate import Targets


class LogPosterior:
    """Log likelihood of standardised observations plus log prior of the hyper-parameters.

    `theta` is the kernel's, and last the log variance of the noise, which comes on top of the known
    variance of each observation.
    """

    def __init__(self, kernel: Kernel, noise: Hyperprior, data: Targets) -> None:
        """Bind the kernel to the places of the data, once for all evaluations."""
        self.prior = Hyperprior.join(kernel.prior(data.at.x.shape[1]), noise)
        self._kernel = kernel.bind(data.at)
        self._y = data.y
        self._variance = data.variance

    def log_likelihood(self, theta: Array) -> float:
        """Log density of the observations up to a constant; minus infinity outside the bounds."""
        if np.any(theta < self.prior.low) or np.any(theta > self.prior.high):
            return -np.inf
        root, failed = self._root(self._kernel(theta[:-1])[0], theta)
        if failed:
            return -np.inf
        half = lapack().dtrtrs(root, self._y, lower=1)[0]
        return float(-0.5 * (half @ half) - np.log(root.diagonal()).sum())

    def value(self, theta: Array) -> float:
        """Log likelihood plus log prior."""
        z = (theta - self.prior.mean) / self.prior.std
        return self.log_likelihood(theta) - 0.5 * float(z @ z)

    def value_and_gradient(self, theta: Array) -> tuple[float, Array]:
        """The same value and its gradient (p,)."""
        matrix, pullback = self._kernel(theta[:-1])
        root, failed = self._root(matrix, theta)
        if failed:
            return -np.inf, np.zeros_like(theta)
        weights = lapack().dpotrs(root, self._y, lower=1)[0]
        likelihood = -0.5 * (self._y @ weights) - np.log(root.diagonal()).sum()
        slope = self._slope(root, weights)
        z = (theta - self.prior.mean) / self.prior.std
        noise = np.exp(theta[-1]) * slope.diagonal().sum()
        gradient = np.append(pullback(slope), noise) - z / self.prior.std
        return float(likelihood - 0.5 * (z @ z)), gradient

    def _root(self, matrix: Array, theta: Array) -> tuple[Array, int]:
        noisy = matrix.copy()
        noisy.flat[:: len(noisy) + 1] += self._variance + np.exp(theta[-1])
        # The transpose of a symmetric C array is the Fortran array LAPACK works on in place.
        root, failed = lapack().dpotrf(noisy.T, lower=1, clean=1, overwrite_a=1)
        return root, failed

    @staticmethod
    def _slope(root: Array, weights: Array) -> Array:
        """Derivative of the log likelihood by the matrix, folded into its lower triangle."""
        slope = lapack().dpotri(root, lower=1, overwrite_c=1)[0]
        slope *= -1.0  # minus twice one half: below the diagonal stands for above it too
        slope.flat[:: len(slope) + 1] *= 0.5
        slope += 0.5 * np.outer(weights, weights)
        return np.asarray(slope, float)
