"""CNO, the cost normalised by the optimum: how dear the incumbent of a minimising search still is.

The incumbent is the best measured trial that keeps all limits and could be deployed as it is. Its
objective over that of the table's optimum is its CNO: 1 is the optimum itself, and before the first
incumbent it is infinite.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from tunewise.benchmark.contest import Contest
from tunewise.benchmark.measures.score import by_strategy
from tunewise.benchmark.race import Run

Array: TypeAlias = npt.NDArray[np.float64]
Effort: TypeAlias = Literal["cost", "time", "trials"]
EFFORTS: tuple[Effort, ...] = get_args(Effort)

PERCENTILES = (50, 90)
CNO_LEVELS = (1.5, 1.1)

_ROUNDING = 1e-9


@dataclass(frozen=True)
class CnoCurve:
    """Percentiles of the CNO over the seeds of one strategy, as steps.

    Attributes:
        strategy: Its name.
        spent: What had been spent, ascending.
        at: By percentile, the CNO that so many per cent of the runs have or beat from there on;
            infinite where fewer have an incumbent.
    """

    strategy: str
    spent: tuple[float, ...]
    at: dict[int, tuple[float, ...]]

    def falls_to(self, level: float, percentile: int) -> float | None:
        """What is spent until a percentile is at most the level, and stays; None is never.

        An incumbent only gets better: what has fallen to a level stays there.
        """
        pairs = zip(self.spent, self.at[percentile], strict=True)
        return next((spent for spent, cno in pairs if cno <= level + _ROUNDING), None)

    @property
    def final(self) -> dict[int, float]:
        """The percentiles after the last trial."""
        return {p: values[-1] if values else np.inf for p, values in self.at.items()}


@dataclass(frozen=True)
class CnoScore:
    """The CNO of one strategy over all its seeds.

    Attributes:
        strategy: Its name.
        final: By percentile, the CNO after the last trial.
        cost_to: By level and percentile, the USD until the CNO stays at or below; None is never.
        time_to: The same in seconds.
        trials_to: The same in trials.
    """

    strategy: str
    final: dict[int, float]
    cost_to: dict[float, dict[int, float | None]]
    time_to: dict[float, dict[int, float | None]]
    trials_to: dict[float, dict[int, float | None]]


def yardstick(contest: Contest) -> float | None:
    """The objective of the optimum; None where no CNO makes sense.

    A ratio to the optimum says something of what is minimised and costs more than nothing.
    """
    best = None if contest.problem.maximize else contest.table.best(contest.problem)
    return best.objective if best is not None and best.objective > 0 else None


def cno_scores(runs: Sequence[Run], optimum: float) -> list[CnoScore]:
    """A score for each strategy, in the order of the runs."""
    curves = {effort: cno_curves(runs, optimum, effort) for effort in EFFORTS}
    return [
        CnoScore(cost.strategy, cost.final, *(_falls(curve) for curve in (cost, time, trials)))
        for cost, time, trials in zip(*curves.values(), strict=True)
    ]


def cno_curves(runs: Sequence[Run], optimum: float, effort: Effort) -> tuple[CnoCurve, ...]:
    """The curve of each strategy against an effort, in the order of the runs."""
    return tuple(_curve(group, optimum, effort) for group in by_strategy(runs))


def _curve(runs: Sequence[Run], optimum: float, effort: Effort) -> CnoCurve:
    steps = [_efforts(run, effort) for run in runs]
    common = np.unique(np.concatenate(steps))
    ranked = np.sort([_held(run, at, common, optimum) for run, at in zip(runs, steps, strict=True)],
                     axis=0)  # fmt: skip
    # The run in whose place so many per cent are counted; no mean of two, one may be infinite.
    places = [-(-percentile * len(runs) // 100) - 1 for percentile in PERCENTILES]
    found = ranked[places]
    moved = np.ones(len(common), dtype=bool)
    moved[1:-1] = np.any(found[:, 1:-1] != found[:, :-2], axis=0)
    spent = tuple(common[moved].tolist())
    rows = (tuple(row.tolist()) for row in found[:, moved])
    return CnoCurve(runs[0].strategy, spent, dict(zip(PERCENTILES, rows, strict=True)))


def _efforts(run: Run, effort: Effort) -> Array:
    if effort == "trials":
        return np.arange(1.0, len(run.steps) + 1)
    return np.array([getattr(step, effort) for step in run.steps], dtype=float)


def _held(run: Run, at: Array, efforts: Array, optimum: float) -> Array:
    """The CNO that a run has from each effort on, (n,)."""
    found = [np.inf if s.incumbent is None else s.incumbent / optimum for s in run.steps]
    return np.array([np.inf, *found])[np.searchsorted(at, efforts, side="right")]


def _falls(curve: CnoCurve) -> dict[float, dict[int, float | None]]:
    return {
        level: {percentile: curve.falls_to(level, percentile) for percentile in PERCENTILES}
        for level in CNO_LEVELS
    }
