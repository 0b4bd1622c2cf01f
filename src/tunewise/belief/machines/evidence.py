"""What trials on the full data say about times and prices of the configs of a pool."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tunewise.belief.machines.ensemble import EnsembleBelief, Hedged
from tunewise.belief.machines.prices import PriceBelief
from tunewise.belief.machines.wanted import NEARLY
from tunewise.history import History, TimedOut, Trial, TrialState
from tunewise.problem import Problem
from tunewise.surrogate.finite_gaussian import Positions
from tunewise.surrogate.normal import Array, Normal

Places = Mapping[tuple[object, ...], int]


class Told(NamedTuple):
    """One value of a trial's config, and whether it is only a lower bound."""

    at: int
    value: float
    stopped: bool = False


def bills(problem: Problem, history: History, places: Places) -> tuple[Positions, Array]:
    """Log USD per second that configs at positions (m,) were billed, (m,)."""
    told = [
        Told(places[problem.space.key(t.config)], math.log(t.metrics["cost"] / t.metrics["time"]))
        for t in _ended(history)
        if t.metrics.get("cost", 0.0) > 0 and t.metrics.get("time", 0.0) > 0
    ]
    return _merged(told)[:2]


def priced(problem: Problem, history: History) -> bool:
    """Whether anything ever tells a cost."""
    told = any(t.metrics.get("cost", 0.0) > 0 for t in _ended(history))
    return problem.price is not None or "cost" in problem.needed or told


def prices(problem: Problem, history: History, places: Places, belief: PriceBelief) -> Normal:
    """What a second of each config costs, in logarithms; 1 each where no cost is ever told."""
    believed = belief.given(*bills(problem, history, places))
    if priced(problem, history):
        return believed
    return Normal(0.0 * np.asarray(believed.mean), 0.0 * np.asarray(believed.std))


@dataclass(frozen=True, eq=False)
class Times:
    """Log seconds of configs at distinct positions (m,); some are only lower bounds."""

    at: Positions
    log_time: Array
    stopped: np.ndarray = field(repr=False)

    @classmethod
    def of(
        cls, problem: Problem, history: History, places: Places, price: Normal, limit: float
    ) -> "Times":
        """Learn from complete, stopped and failed trials, and from costs where time is not told."""
        log_price = np.asarray(price.mean, float)
        told, useless = list[Told](), list[Told]()
        for trial in _ended(history):
            at = places[problem.space.key(trial.config)]
            seconds = _log_seconds(trial, float(log_price[at]))
            if trial.state == TrialState.FAILED and not isinstance(trial.outcome, TimedOut):
                useless.append(Told(at, seconds))
            elif math.isfinite(seconds):
                told.append(Told(at, seconds, trial.state == TrialState.FAILED))
        worst = limit if math.isfinite(limit) else max((t.value for t in told), default=-math.inf)
        failed = [Told(t.at, max(t.value, worst + NEARLY)) for t in useless]
        return cls(*_merged(told + [t for t in failed if math.isfinite(t.value)]))

    def believed(self, ensemble: Hedged, awaited: Iterable[int]) -> EnsembleBelief:
        """What follows for all configs, once those awaited had come out as expected."""
        values = self.log_time
        if self.stopped.any():
            others = ensemble.given(self.at[~self.stopped], values[~self.stopped]).moments()
            values = values.copy()
            passed = others[self.at[self.stopped]]
            values[self.stopped] = passed.mean_above(values[self.stopped])
        belief = ensemble.given(self.at, values)
        more = np.setdiff1d(np.fromiter(awaited, np.intp), self.at)
        if not len(more):
            return belief
        expected = np.asarray(belief.moments().mean)[more]
        return ensemble.given(np.append(self.at, more), np.append(values, expected))


def _ended(history: History) -> Iterable[Trial]:
    """Trials on the full data that are evidence about their configs."""
    return (t for t in history if t.fraction == 1.0 and t.state in ("complete", "failed"))


def _log_seconds(trial: Trial, log_price: float) -> float:
    """The time that was told, or that follows from the cost; minus infinity for neither."""
    if trial.metrics.get("time", 0.0) > 0:
        return math.log(trial.metrics["time"])
    if trial.metrics.get("cost", 0.0) > 0:
        return math.log(trial.metrics["cost"]) - log_price
    return -math.inf


def _merged(told: list[Told]) -> tuple[Positions, Array, np.ndarray]:
    """One value for each config: the mean of those told, bounds only where there is nothing else.

    Several bounds of one config are as good as the highest.
    """
    at: dict[int, list[Told]] = {}
    for one in told:
        at.setdefault(one.at, []).append(one)
    values, stopped = list[float](), list[bool]()
    for group in at.values():
        known = [one.value for one in group if not one.stopped]
        values.append(sum(known) / len(known) if known else max(one.value for one in group))
        stopped.append(not known)
    return np.array(list(at), np.intp), np.array(values, float), np.array(stopped, bool)
