"""Learners on real data sets, with real noise: each trial is one repeat that was measured once.

A trial of a learner at a fraction that it never finished takes as long as the slowest learner there
that did, and fails. Its validation accuracy is told, the test accuracy is the truth.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

import tunewise as tw
from benchmarks import machine
from benchmarks.worlds.world import Job, World
from tunewise.history import Failure, History, Measurement, Outcome, Trial
from tunewise.problem import Metrics
from tunewise.space import Config

APART = 0.01
"""Where the best within the limits beats the median by less, a data set says nothing."""

_SHORTEST = 1e-4
"""Seconds: the clock that measured had four digits."""


class Repeat(NamedTuple):
    """One training of a learner on a slice."""

    accuracy: float
    test_accuracy: float
    time: float


class DataSet:
    """All trainings on one data set.

    Attributes:
        name: Its number.
        learners: In alphabetical order.
        fractions: Ascending, the last one is 1.
        repeats: By learner and fraction.
    """

    def __init__(self, name: str, repeats: dict[tuple[str, float], list[Repeat]]) -> None:
        """Keep what was measured."""
        self.name, self.repeats = name, repeats
        self.learners = sorted({learner for learner, _ in repeats})
        self.fractions = tuple(sorted({fraction for _, fraction in repeats}))

    @cached_property
    def full(self) -> dict[str, Metrics]:
        """Mean test accuracy and time at the full data of the learners that finish it."""
        return {
            learner: {
                "accuracy": float(np.mean([r.test_accuracy for r in repeats])),
                "time": float(np.mean([r.time for r in repeats])),
            }
            for learner in self.learners
            if (repeats := self.repeats.get((learner, 1.0)))
        }

    def _place(self, learner: str, fraction: float) -> int:
        return self.learners.index(learner) * len(self.fractions) + self.fractions.index(fraction)

    def quantile(self, metric: str, share: float) -> float:
        """A quantile of the learners' means at the full data."""
        return float(np.quantile([m[metric] for m in self.full.values()], share))

    def _slowest(self, fraction: float) -> float:
        return max(r.time for (_, s), rs in self.repeats.items() if s == fraction for r in rs)

    def job(self, seed: int) -> Job:
        """Trials as they were measured, each repeat once before any comes again."""
        ran: Counter[tuple[str, float]] = Counter()

        def run(trial: Trial) -> Outcome:
            place = (trial.config["learner"], trial.fraction)
            repeats = self.repeats.get(place)
            if not repeats:
                return Failure("did not finish", {"time": self._slowest(trial.fraction)})
            draws = np.random.default_rng([seed, self._place(*place)])
            order = draws.permutation(len(repeats))
            drawn = repeats[order[ran[place] % len(repeats)]]
            ran[place] += 1
            return Measurement({"accuracy": drawn.accuracy, "time": drawn.time})

        return run

    def history(self) -> History:
        """One training of each learner at each fraction, for others to learn from."""
        run = self.job(0)
        trials = [Trial(i, {"learner": learner}, s) for i, (learner, s) in enumerate(self.repeats)]
        return History(trial.told(run(trial)) for trial in trials)

    def world(self, kind: str, **wanted: object) -> World | None:
        """The data set as a problem; None where the best says nothing over the median."""
        space = tw.Space(tw.Choice("learner", self.learners))
        problem = tw.Problem(space, fractions=self.fractions, **wanted)  # type: ignore[arg-type] # a mix of keywords
        within = [m for m in self.full.values() if problem.feasible(m)]
        better = max if problem.maximize else min
        best = better(m[problem.objective] for m in within)
        middle = self.quantile(problem.objective, 0.5)
        if (best - middle) * (1 if problem.maximize else -1) < APART:
            return None
        unit = float(np.mean([m["time"] for m in within]))

        def truth(config: Config) -> Metrics | None:
            return self.full.get(config["learner"])

        return World(f"{kind} {self.name}", kind, problem, self.job, truth, best, middle, unit)


@cache
def data_sets() -> list[DataSet]:
    """All of them, in the file's order."""
    found: dict[str, dict[tuple[str, float], list[Repeat]]] = defaultdict(lambda: defaultdict(list))
    with machine.table("lcdb/curves.csv").open(newline="", encoding="utf-8") as source:
        for row in csv.DictReader(source):
            told = Repeat(
                float(row["accuracy"]),
                float(row["test_accuracy"]),
                max(float(row["time"]), _SHORTEST),
            )
            found[row["dataset"]][row["learner"], _fraction(row["fraction"])].append(told)
    return [DataSet(name, dict(repeats)) for name, repeats in found.items()]


def most_accurate(share: float = 0.5, sets: list[DataSet] | None = None) -> Iterator[World]:
    """The most accurate learner within a quantile of the learners' times at the full data."""
    kind = "lcdb" if share == 0.5 else f"lcdb time {share:g}"
    for one in sets or data_sets():
        limit = ("time", "<=", one.quantile("time", share))
        if world := one.world(kind, maximize="accuracy", subject_to=[limit]):
            yield world


def fastest(share: float = 0.75, sets: list[DataSet] | None = None) -> Iterator[World]:
    """The fastest learner that is as accurate as the better quarter."""
    for one in sets or data_sets():
        limit = ("accuracy", ">=", one.quantile("accuracy", share))
        if world := one.world("lcdb fastest", minimize="time", subject_to=[limit]):
            yield world


def _fraction(cell: str) -> float:
    return min(float(cell), 1.0)
