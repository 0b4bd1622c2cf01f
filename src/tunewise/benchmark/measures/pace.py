"""How a strategy got on: its runs as step functions of what was spent, and their mean."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tunewise.benchmark.race import Run, Step

Array: TypeAlias = npt.NDArray[np.float64]
Spending: TypeAlias = Literal["cost", "time", "trials", "total"]

_ROUNDING = 1e-9
_RESAMPLES = 1000


@dataclass(frozen=True)
class Pace:
    """The runs of one strategy on common efforts.

    A run has nothing before its first step, and its last share for ever after.

    Attributes:
        efforts: All efforts at which some run takes a step, ascending, (n,).
        shares: The share of the optimum that each run has from there on, (runs, n).
    """

    efforts: Array
    shares: Array

    @classmethod
    def of(cls, runs: Sequence[Run], effort: Callable[[Step], float]) -> "Pace":
        """The pace of runs against an effort, such as what had been spent."""
        efforts = np.unique([effort(step) for run in runs for step in run.steps])
        return cls(efforts.astype(float), np.array([_held(run, effort, efforts) for run in runs]))

    @property
    def mean(self) -> Array:
        """The mean over the runs, (n,)."""
        return np.asarray(self.shares.mean(axis=0))

    @property
    def error(self) -> Array:
        """The standard error of the mean, (n,); zero where there is one run only."""
        count = len(self.shares)
        if count < 2:
            return np.zeros(len(self.efforts))
        return np.asarray(self.shares.std(axis=0, ddof=1) / np.sqrt(count))

    def reached(self, level: float) -> float | None:
        """The effort from which on the mean stays at or above the level; None if it never does."""
        found = float(self._stays_above(self.mean[None], level)[0])
        return found if np.isfinite(found) else None

    def interval(self, level: float) -> tuple[float | None, float | None]:
        """Where `reached` lies with 95 % confidence, by the bootstrap over runs.

        None stands for never.
        """
        rng = np.random.default_rng(0)
        count = len(self.shares)
        drawn = rng.multinomial(count, np.full(count, 1 / count), size=_RESAMPLES) / count
        found = self._stays_above(drawn @ self.shares, level)
        # Ends are efforts that occurred: between one that is finite and never lies nothing.
        low, high = np.quantile(found, [0.025, 0.975], method="inverted_cdf")
        return (
            float(low) if np.isfinite(low) else None,
            float(high) if np.isfinite(high) else None,
        )

    def at(self, efforts: Array) -> Array:
        """The mean at other efforts, (m,)."""
        before = np.concatenate([[0.0], self.mean])
        return np.asarray(before[np.searchsorted(self.efforts, efforts, side="right")])

    def _stays_above(self, means: Array, level: float) -> Array:
        """For each row of means, (r, n), the effort from which on it stays above; inf is never."""
        below = np.pad(means < level - _ROUNDING, ((0, 0), (1, 0)), constant_values=True)
        # Before any effort nothing is reached; what comes after the last one below stays above.
        until = len(self.efforts) - np.argmax(below[:, ::-1], axis=1)
        return np.asarray(np.concatenate([self.efforts, [np.inf]])[until])


def _held(run: Run, effort: Callable[[Step], float], efforts: Array) -> Array:
    at = np.array([effort(step) for step in run.steps])
    shares = np.array([0.0, *(step.share for step in run.steps)])
    return np.asarray(shares[np.searchsorted(at, efforts, side="right")])


_SPENT: dict[Spending, Callable[[Step], float]] = {
    "cost": lambda step: step.cost,
    "time": lambda step: step.time,
    "trials": lambda step: float(step.number),
    "total": lambda step: step.time + step.thought,
}


def spending(kind: Spending) -> Callable[[Step], float]:
    """How to read what had been spent by a step.

    USD, seconds of trials, trials, or the total of trials and of the strategy's own thinking.
    """
    return _SPENT[kind]
