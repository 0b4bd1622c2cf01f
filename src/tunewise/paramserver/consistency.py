"""How far workers may drift apart: BSP, SSP and ASP as one rule over clocks.

A worker's clock counts the iterations it has finished. Under a staleness `s` a worker may begin its
next one while it is at most `s` ahead of the slowest. Infinity is ASP. BSP is `s = 0` with a
barrier: servers apply the updates of an iteration together, once all of them have arrived, so that
it equals serial SGD on the union of the workers' batches.
"""

import math
import re
from dataclasses import dataclass

import numpy as np

from tunewise.errors import ExecutionError


@dataclass(frozen=True)
class Consistency:
    """A consistency protocol.

    Attributes:
        staleness: Iterations that a worker may be ahead of the slowest.
        barrier: Whether servers apply the updates of an iteration together.
    """

    staleness: float
    barrier: bool = False

    @classmethod
    def named(cls, name: str) -> "Consistency":
        """Read "bsp", "asp", or "ssp:3" with its staleness.

        >>> Consistency.named("ssp:3")
        Consistency(staleness=3.0, barrier=False)
        """
        if name == "bsp":
            return cls(0.0, barrier=True)
        if name == "asp":
            return cls(math.inf)
        if told := re.fullmatch(r"ssp:(\d{1,6})", str(name)):
            return cls(float(told[1]))
        raise ExecutionError(
            f"consistency is {name!r}; expected 'bsp', 'asp', or 'ssp:3' with the number of"
            " iterations that a worker may be ahead"
        )


class Clocks:
    """The clocks of all workers under one protocol."""

    def __init__(self, workers: int, consistency: Consistency) -> None:
        """Every worker begins at 0."""
        self.finished = np.zeros(workers, dtype=np.int64)
        self.consistency = consistency

    def may_begin(self, worker: int) -> bool:
        """Whether a worker may begin its next iteration."""
        ahead = self.finished[worker] - self.finished.min()
        return bool(ahead <= self.consistency.staleness)

    def finish(self, worker: int) -> bool:
        """Count a finished iteration; True when the slowest has moved, so that others may go on."""
        before = self.finished.min()
        self.finished[worker] += 1
        return bool(self.finished.min() > before)
