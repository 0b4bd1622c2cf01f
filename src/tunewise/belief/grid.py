"""Every trial that could be run: configs times fractions, numbered row by row."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunewise.belief.candidates import Candidates
from tunewise.history import LARGEST, History, Unaffordable
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.surrogate.normal import Array
from tunewise.surrogate.surrogate import FEW

Index = NDArray[np.intp]

_REPEATS = 5
"""A trial runs so many times at most: what it has of its own comes again with each, and a search
over a list ends. Without it ten searches among learners stay the same."""

Key = tuple[object, ...]


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

    def trial(self, number: int) -> tuple[Config, float]:
        """The config and the fraction of one trial."""
        config, place = divmod(int(number), len(self.fractions))
        return dict(self.candidates.configs[config]), float(self.fractions[place])

    @cached_property
    def _column(self) -> dict[float, int]:
        return {float(fraction): f for f, fraction in enumerate(self.fractions)}

    def numbers(self, problem: Problem, known: Iterable[tuple[Key, float]]) -> Index:
        """The numbers of those among the trials that are in the grid."""
        told = {(key, s) for key, s in known if s in self._column}
        if not told:
            return np.empty(0, np.intp)
        wanted, key = {key for key, _ in told}, problem.space.key
        keys = map(key, self.candidates.configs)
        place = {key: i for i, key in enumerate(keys) if key in wanted}
        size = len(self.fractions)
        found = [place[key] * size + self._column[s] for key, s in told if key in place]
        return np.unique(np.array(found, np.intp))


def known_trials(
    problem: Problem, history: History, repeats: bool = False
) -> Iterable[tuple[Key, float]]:
    """What need not be run: (config, fraction) of all trials, pending too, and of snapshots.

    With `repeats` what completed may run again, and what its strategy pruned, a few times; not what
    the training pruned itself.
    """
    ran: Counter[tuple[Key, float]] = Counter()
    for trial in history:
        if trial.state == "cancelled" and not isinstance(trial.outcome, Unaffordable):
            continue
        key = problem.space.key(trial.config)
        stopped = trial.pruned and not trial.pruned_itself
        if repeats and (stopped or trial.state == "complete"):
            ran[key, trial.fraction] += 1
            if ran[key, trial.fraction] < _REPEATS:
                continue
        yield key, trial.fraction
        seen = trial.measurement.snapshots if trial.measurement else ()
        for fraction in (*seen, *(trial.snapshots if trial.state.pending else ())):
            yield key, fraction


def telling(problem: Problem, history: History, fractions: Array) -> Array:
    """Which fractions may tell configs apart by the objective, (F,): always the full data.

    Slices too small to learn from measure the same of all configs. A belief takes that for configs
    that hardly differ, there and on all data; then nothing is worth more than what costs least.
    """
    seen: dict[float, dict[Key, float]] = {}
    for trial in history.complete:
        if problem.objective in trial.metrics:
            at = seen.setdefault(trial.fraction, {})
            at[problem.space.key(trial.config)] = trial.metrics[problem.objective]

    def same(values: list[float]) -> bool:
        return len(values) >= FEW and bool(np.allclose(values, values[0], atol=0))

    mute = {s for s, told in seen.items() if s < 1 and same([*told.values()])}
    return np.array([float(s) not in mute for s in fractions])


def open_trials(problem: Problem, history: History, grid: Grid, repeats: bool = False) -> Index:
    """The trials of the grid that are not known yet, or worth repeating, ascending."""
    known = grid.numbers(problem, known_trials(problem, history, repeats))
    return np.setdiff1d(np.arange(len(grid)), known, assume_unique=True)


def settled(problem: Problem, history: History, grid: Grid) -> Index:
    """The trials that teach nothing where a repeat has the same result and configs are unrelated.

    Those that are complete and, where the full data is deployed, all of configs that ended on it.
    """
    key, size = problem.space.key, len(grid.fractions)
    told = grid.numbers(problem, [(key(t.config), t.fraction) for t in history.complete])
    if problem.deploy == "any":
        return told
    ended = [t for t in history if t.state in ("complete", "failed") and not t.pruned]
    full = grid.numbers(problem, [(key(t.config), 1.0) for t in ended if t.fraction == 1.0])
    return np.union1d(told, (grid.config(full)[:, None] * size + np.arange(size)).ravel())


def measured_at_full(problem: Problem, history: History, grid: Grid, metric: str) -> Array:
    """What is known of a metric for certain, (n,): the mean of all measurements, NaN for none."""
    key, told = problem.space.key, dict[Key, list[float]]()
    for trial in history.complete:
        if trial.fraction == 1.0 and metric in trial.metrics:
            told.setdefault(key(trial.config), []).append(trial.metrics[metric])
    found = np.full(len(grid.candidates), np.nan)
    for i, config in enumerate(grid.candidates.configs if told else ()):
        if values := told.get(key(config)):
            found[i] = np.mean(np.clip(values, -LARGEST, LARGEST))
    return found


def bounds(problem: Problem, history: History, grid: Grid, metric: str) -> Array:
    """What trials of each config had taken when they were pruned, (n, F); 0 for none.

    A larger slice takes longer: the bound of a slice is one for all larger ones.
    """
    found = np.zeros((len(grid.candidates), len(grid.fractions)))
    told = [t for t in history if t.pruned and metric in t.metrics]
    for trial in told:
        places = grid.numbers(problem, [(problem.space.key(trial.config), trial.fraction)])
        if len(places):
            row, column = divmod(int(places[0]), len(grid.fractions))
            found[row, column:] = np.maximum(found[row, column:], trial.metrics[metric])
    return found
