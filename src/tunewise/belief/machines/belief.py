"""From a history to the posterior over clusters."""

from dataclasses import dataclass, field, replace

import numpy as np

from tunewise.belief.candidates import pool
from tunewise.belief.grid import Grid
from tunewise.belief.machines.pool import MachinePool
from tunewise.belief.machines.posterior import MachinePosterior
from tunewise.belief.machines.wanted import Wanted
from tunewise.belief.prior_mean import PriorMeans
from tunewise.history import History
from tunewise.problem import Problem


@dataclass(frozen=True, eq=False)
class Machines:
    """A posterior that knows machines; it needs no measurement to begin.

    Attributes:
        wanted: What is minimised, within which limits.
        candidates: How many configs are weighed where the space has more than that.
        grace: How much longer than one that has lost a trial may run; None: all run on.
    """

    wanted: Wanted
    candidates: int
    grace: float | None
    _last: dict[History, MachinePool] = field(default_factory=dict, repr=False)

    def grid(self, problem: Problem, history: History, seed: int) -> Grid:
        """The pool on the full data."""
        return self._pool(problem, history, seed).grid

    def posterior(
        self, problem: Problem, history: History, seed: int, prior: PriorMeans | None
    ) -> MachinePosterior:
        """What is believed."""
        places = self._pool(problem, history, seed)
        tried = {places.at(trial.config) for trial in history.full}
        known = np.array(sorted(tried), np.intp)
        open_ = np.setdiff1d(np.arange(len(places.configs)), known)
        found = MachinePosterior(problem, history, places, self.wanted, open_, self.grace)
        running = [places.at(trial.config) for trial in history.full.pending]
        again = np.setdiff1d(found.stopped_early, running)
        return replace(found, open=np.union1d(open_, again)) if len(again) else found

    def _pool(self, problem: Problem, history: History, seed: int) -> MachinePool:
        """All configs of a small space, always the same; else a new pool for each history."""
        size = problem.space.size
        listed = size is not None and size <= self.candidates
        kept = History() if listed else history
        if kept not in self._last:
            tried = [] if listed else [trial.config for trial in history.full]
            most = max(self.candidates - len(tried), self.candidates // 4, 1)
            drawn = pool(problem, history, seed, self.candidates if listed else most)
            self._last.clear()
            configs = [*drawn.configs, *tried]
            self._last[kept] = MachinePool(problem, self.wanted, configs, seed)
        return self._last[kept]
