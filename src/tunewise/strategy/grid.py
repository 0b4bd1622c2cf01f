"""Every trial that could be run: configs times fractions, numbered row by row."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.history import History, Unaffordable
from tunewise.problem import Problem
from tunewise.strategy.candidates import Candidates
from tunewise.surrogate.normal import Array

Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Grid:
    """The candidates at each fraction: trial number `i * F + f` is config i at fraction f."""

    candidates: Candidates
    fractions: Array

    def __len__(self) -> int:
        """How many trials there are."""
        return len(self.candidates) * len(self.fractions)

    def config(self, trials: Index) -> Index:
        """Which config each trial has."""
        return trials // len(self.fractions)

    def fraction(self, trials: Index) -> Array:
        """Which fraction each trial uses."""
        return np.asarray(self.fractions[trials % len(self.fractions)])

    def points(self, trials: Index) -> tuple[Array, Array]:
        """The trials as encoded configs (n, d) and fractions (n,)."""
        return self.candidates.x[self.config(trials)], self.fraction(trials)

    def at_full(self, configs: Index) -> tuple[Array, Array]:
        """The configs on the full data."""
        return self.candidates.x[configs], np.ones(len(configs))


def known_trials(problem: Problem, history: History) -> Iterable[tuple[tuple[object, ...], float]]:
    """What need not be run: (config, fraction) of all trials, pending too, and of snapshots."""
    for trial in history:
        if trial.state == "cancelled" and not isinstance(trial.outcome, Unaffordable):
            continue
        key = problem.space.key(trial.config)
        yield key, trial.fraction
        seen = trial.measurement.snapshots if trial.measurement else ()
        for fraction in (*seen, *(trial.snapshots if trial.state.pending else ())):
            yield key, fraction


def open_trials(problem: Problem, history: History, grid: Grid) -> Index:
    """The trials of the grid that are not known yet, ascending."""
    known = set(known_trials(problem, history))
    if not known:
        return np.arange(len(grid))
    keys = {key for key, _ in known}
    size = len(grid.fractions)
    blocked = [
        i * size + f
        for i, config in enumerate(grid.candidates.configs)
        if (key := problem.space.key(config)) in keys
        for f, fraction in enumerate(grid.fractions)
        if (key, float(fraction)) in known
    ]
    return np.setdiff1d(np.arange(len(grid)), np.array(blocked, int), assume_unique=True)


@dataclass(frozen=True, eq=False)
class Measured:
    """Configs of the grid that were measured on the full data: their numbers, and each metric."""

    configs: Index
    metrics: dict[str, Array]


def measured_at_full(problem: Problem, history: History, grid: Grid) -> Measured:
    """What is known for certain; of several measurements of a config the mean."""
    told: dict[tuple[object, ...], list[dict[str, float]]] = {}
    for trial in history.complete:
        if trial.fraction == 1.0:
            told.setdefault(problem.space.key(trial.config), []).append(trial.metrics)
    key = problem.space.key
    found = [
        (i, rows)
        for i, config in enumerate(grid.candidates.configs)
        if told and (rows := told.get(key(config)))
    ]
    names = {name for _, rows in found for row in rows for name in row}
    metrics = {
        name: np.array(
            [np.mean([r[name] for r in rows if name in r] or [np.nan]) for _, rows in found]
        )
        for name in names
    }
    return Measured(np.array([i for i, _ in found], int), metrics)
