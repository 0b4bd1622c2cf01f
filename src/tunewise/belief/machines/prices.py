"""What a second of a config is believed to cost, from list prices and from bills."""

from collections.abc import Sequence

import numpy as np

from tunewise.belief.candidates import log_price
from tunewise.belief.machines.features import MachineFeatures
from tunewise.belief.usual.slopes import DOUBT
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.space.cloud.machine import usual_price
from tunewise.surrogate.finite_gaussian import FiniteGaussian, Positions
from tunewise.surrogate.normal import Array, Normal
from tunewise.surrogate.slope import LEAST

UNKNOWN = 3.0
"""Deviation of the logarithm of what nothing tells, by a factor of 20: another region, currency or
discount, or the time of a job that nobody has run."""
_LISTED = 0.15
"""How far a family's price is from its list price, in logarithms: 15 %, as between regions and
years. From the usual price per core, where nothing lists it, it is as far as all that is usual. A
narrower prior of prices saved an eighth of the money over 14 tables (NOTEBOOK.md)."""


class PriceBelief:
    """Logarithms of USD per second over a pool of n configs.

    Where the problem knows prices, they are certain. Else list prices are the prior mean where a
    catalogue, imported or shipped, has the machine's family, and cores times machines elsewhere;
    what trials were billed corrects both. Where nothing ever tells a cost, a second costs 1.

    Attributes:
        least: Logarithm of the USD that any trial of each config is billed at least, (n,).
    """

    def __init__(
        self, problem: Problem, configs: Sequence[Config], features: MachineFeatures
    ) -> None:
        """Look prices up, and say how sure they are."""
        self._certain = problem.price is not None
        if self._certain:
            self._mean = log_price(problem, configs) - np.log(3600.0)
            shortest = problem.billing.least  # seconds that any trial is billed
            self.least = self._mean + (np.log(shortest) if shortest else -np.inf)
            return
        self._mean = _hint(features) - np.log(3600.0)
        self.least = np.full(len(configs), -np.inf)
        self._covariance = _doubt(features) if features.machines else _vague(features)

    def given(self, at: Positions, billed: Array) -> Normal:
        """Belief once the configs at positions (m,) were billed so, in log USD per second (m,)."""
        if self._certain:
            return Normal(self._mean, np.zeros(len(self._mean)))
        if not len(at):
            return Normal(self._mean, np.sqrt(np.diag(self._covariance)))
        prior = FiniteGaussian(self._mean, self._covariance + UNKNOWN**2)
        update = prior.update(at, LEAST**2)
        mean = self._mean + update.shift(billed - self._mean[at])
        variance = np.maximum(prior.variance - update.explained(), 1e-8)
        mean[at], variance[at] = billed, 0.0
        return Normal(mean, np.sqrt(variance))


def _hint(features: MachineFeatures) -> Array:
    """Logarithm of USD per hour by list prices, (n,)."""
    each = [machine.price or usual_price() * machine.vcpus for machine in features.machines]
    hourly = np.log(each) if each else np.log(usual_price())
    return np.asarray(features.vms * np.log(2) + hourly, float)


def _doubt(features: MachineFeatures) -> Array:
    """How the prices of known machines may differ from the hint, (n, n)."""
    families = np.array([machine.family for machine in features.machines])
    listed = np.array([machine.price is not None for machine in features.machines])
    doubt = np.where(np.logical_and.outer(listed, listed), _LISTED, DOUBT)
    return np.asarray(np.equal.outer(families, families) * doubt**2, float)


def _vague(features: MachineFeatures) -> Array:
    """How prices may differ where names tell nothing: with every parameter, (n, n)."""
    inputs, count = features.inputs, len(features.vms)
    squares = sum(np.subtract.outer(c, c) ** 2 for c in inputs.numbers.T)
    # Alike over two doublings, as times are.
    smooth = np.exp(-0.5 * squares / 2.0**2) * np.ones((count, count))
    same = sum(np.equal.outer(c, c) for c in inputs.choices.T)
    return np.asarray(DOUBT**2 * (smooth + same), float)
