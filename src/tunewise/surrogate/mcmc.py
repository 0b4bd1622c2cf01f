"""The Gaussian process that averages over probable hyper-parameters, to be looked up by name."""

from tunewise.surrogate.gaussian.basis import Basis
from tunewise.surrogate.gaussian_process import GaussianProcess


class McmcGaussianProcess(GaussianProcess):
    """As `GaussianProcess`, with ten hyper-parameters by MCMC (FABOLAS) instead of the best one.

    It doubts more where few observations leave the hyper-parameters open, and takes about ten
    times as long.

    Its options are those of `GaussianProcess`.
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
