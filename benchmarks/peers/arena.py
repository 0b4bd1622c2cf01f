"""Where a peer searches: a measured table as arrays, and the harness that keeps its accounts.

A peer says which trial it ran and what it would deploy; what that trial spent, and how good the
deployed config truly is, is looked up here, so that all peers are measured alike.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tunewise.benchmark.contest import Contest
from tunewise.benchmark.measures.penalty import share_of_optimum
from tunewise.benchmark.race import Run, Step
from tunewise.errors import ExecutionError

Array = npt.NDArray[np.float64]


class Told(NamedTuple):
    """A trial that a peer ran, and the config that it would deploy after it.

    Attributes:
        config: Index of the trial's config.
        fraction: Index of the largest fraction that the trial reached, which is what it pays for.
        best: Index of the config that it would deploy; None where it has none.
    """

    config: int
    fraction: int
    best: int | None


@dataclass(frozen=True)
class Arena:
    """A table with `n` configs, `k` fractions and one limit, as arrays.

    Attributes:
        contest: What it was made from.
        encoded: Configs in the unit cube, choices one-hot, `(n, d)`.
        fractions: Ascending, the last one is 1, `(k,)`.
        accuracy: What is maximised, `(n, k)`; NaN where a trial did not complete.
        cost: USD that a trial spends, `(n, k)`.
        time: Seconds that a trial takes, `(n, k)`.
        cap: The most USD that the deployed config may cost.
        shares: The penalised accuracy at the full data, as a share of the optimum, `(n,)`.
    """

    contest: Contest
    encoded: Array
    fractions: Array
    accuracy: Array
    cost: Array
    time: Array
    cap: float
    shares: Array

    @classmethod
    def of(cls, contest: Contest) -> "Arena":
        """The arrays of a contest that maximises accuracy under a cap on the cost."""
        table, problem = contest.table, contest.problem
        optimum = table.best(problem)
        if optimum is None:
            raise ExecutionError(f"no config of {table.path.name} keeps the limits at full data")
        columns = {
            metric: np.stack([table.values(metric, s) for s in table.fractions], axis=1)
            for metric in ("accuracy", "cost", "time")
        }
        full = [
            {metric: float(v[-1]) for metric, v in zip(columns, row, strict=True)}
            for row in zip(*columns.values(), strict=True)
        ]
        shares = [share_of_optimum(problem, metrics, optimum.objective) for metrics in full]
        return cls(
            contest,
            problem.space.encode(table.configs),
            np.array(table.fractions),
            columns["accuracy"],
            columns["cost"],
            columns["time"],
            problem.constraints[0].bound,
            np.where(np.isfinite(columns["accuracy"][:, -1]), shares, 0.0),
        )

    @property
    def full(self) -> int:
        """Index of the full data."""
        return len(self.fractions) - 1

    def latin(self, count: int, seed: int) -> list[int]:
        """Configs of the latin hypercube that the project's own strategies begin with."""
        space = self.contest.problem.space
        index = {space.key(config): i for i, config in enumerate(self.contest.table.configs)}
        drawn = space.latin(count, np.random.default_rng(seed))
        return [index[space.key(config)] for config in drawn]

    def best_measured(self, tried: list[int], fraction: int = -1) -> int | None:
        """Of configs tried at a fraction the best within the cap, or else the cheapest."""
        accuracy, cost = self.accuracy[:, fraction], self.cost[:, fraction]
        complete = [i for i in tried if np.isfinite(accuracy[i])]
        feasible = [i for i in complete if cost[i] <= self.cap]
        if feasible:
            return max(feasible, key=lambda i: float(accuracy[i]))
        return min(complete, key=lambda i: float(cost[i]), default=None)


Peer = Callable[[Arena, int], Iterator[Told]]
"""A tool's search with a seed, for as long as anyone asks."""


def run(name: str, peer: Peer, arena: Arena, seed: int) -> Run:
    """One run of a peer, to as many trials and as much money as the contest allows."""
    steps: list[Step] = []
    cost = elapsed = seconds = 0.0
    search = islice(peer(arena, seed), arena.contest.trials)
    budget = arena.contest.problem.budget or np.inf
    while cost < budget * (1 - 1e-9):
        began = time.perf_counter()
        told = next(search, None)
        seconds += time.perf_counter() - began
        if told is None:
            break
        cost += float(arena.cost[told.config, told.fraction])
        elapsed += float(arena.time[told.config, told.fraction])
        share = 0.0 if told.best is None else float(arena.shares[told.best])
        feasible = told.best is not None and bool(arena.cost[told.best, -1] <= arena.cap)
        steps.append(Step(cost, elapsed, share, feasible))
    return Run(name, seed, tuple(steps), seconds / max(len(steps), 1))
