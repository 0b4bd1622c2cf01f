"""The joint belief about every metric at some trials: what exploration paths lead through."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.belief.grid import Index
from tunewise.belief.posterior import Posterior
from tunewise.history import BOOKED
from tunewise.surrogate import Array, Fantasy

Block = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class JointMetric:
    """The joint belief about one metric at n trials, on its modelled scale.

    Single precision: paths need millions of these numbers, and compare them only.

    Attributes:
        mean: (n,) of the metric.
        covariance: (n, n): how an observation at the row goes with the metric at the column.
        noise: (n,) variance of a measurement around the metric.
        second: Whether the second kind of roots (`accuracy_roots`) speculates about it.
    """

    mean: Block
    covariance: Block
    noise: Block
    second: bool = False

    @classmethod
    def of(cls, fantasy: Fantasy, offset: Array, second: bool = False) -> "JointMetric":
        """From what observing each trial does to all of them, and what is known beside it.

        Exact where beliefs are normal; for trees the average effect on the leaves stands for it.
        """
        covariance = fantasy.gain * (fantasy.std**2)[:, None]
        np.fill_diagonal(covariance, fantasy.target_var)
        return cls(
            (fantasy.target_mean + offset).astype(np.float32),
            covariance.astype(np.float32),
            (fantasy.noise**2).astype(np.float32),
            second,
        )

    @property
    def variance(self) -> Block:
        """(n,) of the metric at each trial."""
        return np.diagonal(self.covariance)


@dataclass(frozen=True, eq=False)
class Limit:
    """A limit on a metric, on its modelled scale."""

    metric: str
    bound: float
    below: bool


@dataclass(frozen=True, eq=False)
class Joint:
    """What is believed about n trials, each metric jointly.

    Attributes:
        metrics: The belief about each metric that matters.
        objective: Which of them is improved.
        sign: 1 where more of it is better, else -1.
        limits: What a trial must keep to be an improvement.
        spending: The metric that trials spend, modelled by its logarithm; None: all spend 1.
    """

    metrics: Mapping[str, JointMetric]
    objective: str
    sign: float = 1.0
    limits: Sequence[Limit] = ()
    spending: str | None = None

    def __len__(self) -> int:
        """How many trials there are."""
        return len(self.metrics[self.objective].mean)


def joint(posterior: Posterior, trials: Index) -> Joint:
    """The joint belief about every metric at some trials of a posterior's grid."""
    problem = posterior.problem
    names = list(posterior.learned.metrics)
    limits = [
        Limit(c.metric, posterior.believed(c.metric).bound(c), c.sign == "<=")
        for c in problem.constraints
    ]
    if posterior.learned.success is not None:
        names.append("success")
        limits.append(Limit("success", 0.5, below=False))
    metrics = {name: _metric(posterior, name, trials) for name in names}
    return Joint(metrics, problem.objective, posterior.sign, limits, posterior.effort)


def _metric(posterior: Posterior, name: str, trials: Index) -> JointMetric:
    """Cost and time go up and down together, and with an objective that is one of them."""
    grid, objective = posterior.grid, posterior.problem.objective
    here, metric = grid.points(trials), posterior.believed(name)
    first = name == objective or (name in BOOKED and objective in BOOKED)
    offset = metric.offset(grid.candidates.at(grid.config(trials)), here[1])
    return JointMetric.of(metric.surrogate.fantasize(here, here), offset, second=not first)
