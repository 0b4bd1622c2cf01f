"""The Gaussian process that averages over probable hyper-parameters, to be looked up by name."""

from tunewise.surrogate.gaussian.basis import Basis
from tunewise.surrogate.gaussian_process import GaussianProcess


class McmcGaussianProcess(GaussianProcess):
    """As `GaussianProcess`, with ten hyper-parameters by MCMC (FABOLAS) instead of the best one.

    It doubts more where few observations leave the hyper-parameters open, and takes about ten
    times as long.

    Args:
        basis: how the metric changes with the fraction.
        spread: the standard deviation that targets are expected to have; 0 for unknown.
        samples: how many hyper-parameters to average over.
        seed: of the random numbers that draw them; the same data give the same answers.
        plain: the kernel of FABOLAS as published.
    """

    def __init__(
        self,
        basis: str | Basis = "none",
        *,
        spread: float = 0.0,
        samples: int = 10,
        seed: int = 0,
        plain: bool = False,
    ) -> None:
        """Say what to believe before seeing data; `fit` does the work."""
        super().__init__(
            basis, spread=spread, sampler="mcmc", samples=samples, seed=seed, plain=plain
        )
