"""What exploration paths lead through: candidates, and joint beliefs about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate import Array, Fantasy

Block = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Joint:
    """The joint belief about one metric at n candidates, on its modelled scale.

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
    def of(cls, fantasy: Fantasy, offset: Array, second: bool = False) -> "Joint":
        """From what observing each candidate does to all of them, and what is known beside it.

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
        """(n,) of the metric at each candidate."""
        return np.diagonal(self.covariance)


@dataclass(frozen=True, eq=False)
class Bound:
    """A limit on a metric, on its modelled scale."""

    metric: str
    bound: float
    below: bool


@dataclass(frozen=True, eq=False)
class Scene:
    """What paths lead through: n candidates, and what is believed about them.

    Attributes:
        metrics: The belief about each metric that matters.
        objective: Which of them is improved.
        maximize: Whether more of it is better.
        best: The objective to improve on, on its modelled scale.
        limits: What a candidate must keep to be an improvement.
        spending: The metric that trials spend, modelled by its logarithm; None: all spend 1.
        budget: How much of it is left; None for no limit.
    """

    metrics: Mapping[str, Joint]
    objective: str
    maximize: bool
    best: float
    limits: Sequence[Bound] = ()
    spending: str | None = None
    budget: float | None = None

    def __len__(self) -> int:
        """How many candidates there are."""
        return len(self.metrics[self.objective].mean)

    @property
    def sign(self) -> float:
        """1 where more is better, else -1."""
        return 1.0 if self.maximize else -1.0
