"""A problem whose true answer is known: what its trials measure, and how good an answer is."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import tunewise as tw
from benchmarks.family import Member
from tunewise.benchmark.measures.penalty import penalised, share_of_optimum
from tunewise.history import Measurement, Outcome, Trial, completed
from tunewise.problem import Metrics
from tunewise.space import Config

Job = Callable[[Trial], Outcome]
Truth = Callable[[Config], Metrics | None]


@dataclass(frozen=True, eq=False)
class World:
    """A problem, the trials that it answers, and the truth behind them.

    Attributes:
        name: For tables.
        group: Problems alike; defaults are chosen without the group that they are tried on.
        problem: What is wanted.
        job: What a run with a seed measures: noise is drawn from the seed.
        truth: The mean metrics of a config on the full data; None where it never finishes.
        best: The objective of the best config within the limits.
        middle: The objective of a middling config: who does no better has all of the regret.
        unit: What one full training of a config within the limits spends.
        spending: The metric that is spent: "time" or "cost".
    """

    name: str
    group: str
    problem: tw.Problem
    job: Callable[[int], Job] = field(repr=False)
    truth: Truth = field(repr=False)
    best: float
    middle: float
    unit: float
    spending: str = "time"

    def regret(self, config: Config) -> float:
        """How much of the way from the middle to the best is missing, between 0 and 1.

        What breaks a limit counts as much less as it breaks it by, and as nothing at all where the
        objective is to be small: the cheapest useless config would win otherwise.
        """
        metrics = self.truth(config)
        if metrics is None or not (self.problem.maximize or self.problem.feasible(metrics)):
            return 1.0
        missing = (self.best - penalised(self.problem, metrics)) / (self.best - self.middle)
        return float(np.clip(missing, 0.0, 1.0))

    def share(self, config: Config) -> float:
        """The penalised objective as a share of the optimum."""
        metrics = self.truth(config)
        return 0.0 if metrics is None else share_of_optimum(self.problem, metrics, self.best)

    def feasible(self, config: Config) -> bool:
        """Whether a config truly keeps the limits."""
        metrics = self.truth(config)
        return metrics is not None and self.problem.feasible(metrics)

    @property
    def apart(self) -> float:
        """How far the best is from the middle, as a share of the larger of both."""
        return abs(self.best - self.middle) / max(abs(self.best), abs(self.middle))


def of_table(member: Member, group: str) -> World:
    """A measured table: its values are the truth, and there is no noise."""
    table, problem = member.contest.table, member.contest.problem
    best = table.best(problem)
    assert best is not None, member.name

    def truth(config: Config) -> Metrics | None:
        outcome = table(Trial(0, config))
        if not isinstance(outcome, Measurement):
            return None
        return completed(problem, config, outcome).metrics

    middle = float(np.nanmedian(table.values(problem.objective)))
    return World(
        member.name, group, problem, lambda seed: table, truth, best.objective, middle,
        member.unit, "cost",
    )  # fmt: skip
