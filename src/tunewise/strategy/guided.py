"""Search guided by what is believed: begin, believe, run the open trial that is worth most.

Strategies over (config, fraction) share this loop, and say how they begin and which trial is best.
"""

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property

import numpy as np

from tunewise.history import History
from tunewise.problem import Metric, Problem
from tunewise.space import Config
from tunewise.strategy.belief import Belief, surrogate_for
from tunewise.strategy.candidates import Candidates, pool
from tunewise.strategy.grid import Grid, Index, open_trials
from tunewise.strategy.prior_mean import PriorMeans
from tunewise.strategy.strategy import Strategy, Suggestion
from tunewise.surrogate import Array, Surrogate
from tunewise.surrogate.registered import SURROGATES


class Guided(Strategy):
    """The loop: begin, believe, weigh what is open."""

    def __init__(self, problem: Problem, seed: int, surrogate: str, candidates: int) -> None:
        """Keep what models each metric, and how many configs of a large space are weighed."""
        super().__init__(problem, seed)
        self._surrogate = SURROGATES.load(surrogate)
        self._most = candidates

    @abstractmethod
    def beginning(self) -> list[Suggestion]:
        """The trials to begin with, the same whenever they are asked for."""

    @abstractmethod
    def best_trial(self, history: History, belief: Belief, grid: Grid, trials: Index) -> int:
        """Which of the open trials of a grid to run next."""

    @property
    def fractions(self) -> tuple[float, ...]:
        """The fractions that trials may use."""
        return self.problem.fractions

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """The rest of the beginning, then the trials that are worth most."""
        picks = self.unbegun(history)[:count]
        if len(picks) < count:
            picks += self._worthwhile(history, picks, count - len(picks))
        return picks

    def belief(self, history: History) -> Belief:
        """What the history teaches about every metric."""
        return Belief.of(self.problem, history, self.make, self._prior_means)

    @cached_property
    def _prior_means(self) -> PriorMeans | None:
        return PriorMeans(self.problem, self.prior) if self.prior else None

    def make(self, metric: Metric) -> Surrogate:
        """A surrogate for a metric, not fitted yet."""
        basis = "log" if len(self.fractions) > 1 else "none"
        return surrogate_for(metric, self._surrogate, basis)

    def unbegun(self, history: History) -> list[Suggestion]:
        """What is left of the beginning."""
        begin = self.beginning()
        if sum(not t.enqueued for t in history) >= len(begin):
            return []
        if self._prior_means is not None:
            configs = self._prior_means.begun([s.config for s in begin])
            begin = [replace(s, config=c) for s, c in zip(begin, configs, strict=True)]
        key = self.problem.space.key
        tried = {(key(t.config), t.fraction) for t in history}
        return [s for s in begin if (key(s.config), s.fraction) not in tried]

    def grid(self, history: History) -> Grid:
        """All trials that could be run."""
        candidates = pool(self.problem, history, self.seed, self._most)
        return Grid(candidates, np.array(self.fractions))

    def _worthwhile(
        self, history: History, picks: list[Suggestion], count: int
    ) -> list[Suggestion]:
        grid = self.grid(history)
        trials = open_trials(self.problem, history, grid)
        trials = (
            trials[[not _same(self.problem, grid, t, picks) for t in trials]] if picks else trials
        )
        if not len(history.complete):
            return [_suggestion(grid, t) for t in self._blind(history, grid, trials)[:count]]
        belief = self.belief(history)
        waiting = [(t.config, t.fraction) for t in history.pending]
        waiting += [(s.config, s.fraction) for s in picks]
        found: list[Suggestion] = []
        while len(found) < count and len(trials):
            assumed = belief.assumed(*self._awaited(waiting))
            chosen = self.best_trial(history, assumed, grid, trials)
            found.append(_suggestion(grid, chosen))
            waiting.append((found[-1].config, found[-1].fraction))
            trials = trials[trials != chosen]
        return found

    def _awaited(self, waiting: list[tuple[Config, float]]) -> tuple[Candidates, Array]:
        configs = [config for config, _ in waiting]
        return Candidates.of(self.problem, configs), np.array([s for _, s in waiting])

    def _blind(self, history: History, grid: Grid, trials: Index) -> Index:
        """Without any measurement yet: the smallest fraction first, configs at random.

        A fraction on which all trials have failed so far may itself be too small: of every two
        failures on it the next larger one gets its turn.
        """
        rng = np.random.default_rng([self.seed, len(history)])
        failed = np.array([t.fraction for t in history.failed])
        failures = (failed[:, None] == grid.fractions).sum(0) // 2
        turn = failures[trials % len(grid.fractions)]
        return trials[np.lexsort([rng.random(len(trials)), grid.fraction(trials), turn])]


def _suggestion(grid: Grid, trial: int) -> Suggestion:
    config = grid.candidates.configs[int(trial) // len(grid.fractions)]
    fraction = float(grid.fractions[int(trial) % len(grid.fractions)])
    return Suggestion(dict(config), fraction)


def _same(problem: Problem, grid: Grid, trial: int, picks: list[Suggestion]) -> bool:
    config = grid.candidates.configs[int(trial) // len(grid.fractions)]
    fraction = float(grid.fractions[int(trial) % len(grid.fractions)])
    return any(s.fraction == fraction and s.config == config for s in picks)
