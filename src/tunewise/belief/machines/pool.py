"""A pool of configs with all that is believed about it before anything is measured."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from tunewise.belief.candidates import Candidates
from tunewise.belief.grid import Grid
from tunewise.belief.machines.ensemble import SLOPE, Hedged, PriorEnsemble
from tunewise.belief.machines.features import MachineFeatures
from tunewise.belief.machines.prices import UNKNOWN, PriceBelief
from tunewise.belief.machines.wanted import Wanted
from tunewise.belief.usual.bowl import Bowl
from tunewise.problem import Problem
from tunewise.space import Config

_USUAL_TIME = math.log(600.0)
"""Ten minutes, where no limit says what is expected: with the doubt below from 30 s to 3 h."""
_LEVEL = 1.0
"""Deviation of the log time of a typical config from the limit on time, which people set near what
they expect: a factor of 2.7. With the doubt of what nothing tells a search costs 1.23 times as much
(eight tables, five seeds)."""
_DOUBTED = 0.2
"""How much each other hypothesis is believed before the first trial: of five jobs one."""


class MachinePool:
    """Distinct configs, where each stands, and the priors of their prices and times.

    Attributes:
        configs: The pool, n configs.
        place: The position of each by its key.
        prices: The prior belief about prices.
    """

    def __init__(self, problem: Problem, wanted: Wanted, configs: Sequence[Config], seed: int):
        """Gather configs; equal ones count once."""
        self._problem, key = problem, problem.space.key
        distinct = {key(config): config for config in configs}
        self.configs = list(distinct.values())
        self.place = {k: i for i, k in enumerate(distinct)}
        self._key, self._wanted, self._seed = key, wanted, seed
        self._features = MachineFeatures.of(problem, self.configs)
        self.prices = PriceBelief(problem, self.configs, self._features)

    def at(self, config: Config) -> int:
        """The position of a config."""
        return self.place[self._key(config)]

    @cached_property
    def grid(self) -> Grid:
        """The pool on the full data."""
        return Grid(Candidates.of(self._problem, self.configs), np.ones(1))

    @cached_property
    def ensemble(self) -> Hedged:
        """The prior of log seconds: one that knows machines, hedged by two other hypotheses.

        Memory below the working set makes the same job slow; or nothing is known of machines.
        """
        level = self._wanted.time
        if not math.isfinite(level):
            listed = float(np.mean(self.prices.given(np.empty(0, np.intp), np.empty(0)).mean))
            level = self._wanted.cost - listed
        usual = level if math.isfinite(level) else _USUAL_TIME
        doubt = _LEVEL if math.isfinite(self._wanted.time) else UNKNOWN
        # A fifth less time for twice the cores: parts of a job do not scale, and machines wait.
        mean = usual - SLOPE * math.log(2) * self._features.cores
        expected = Bowl.expected(self._problem, self._problem.objective, 1.0)
        if expected is not None:
            mean = mean + expected.offset(self.grid.candidates, 1.0)
        inputs, flat = self._features.inputs, np.full(len(mean), usual)
        hypotheses = [
            (replace(inputs, stepped=()), mean, 1 - 2 * _DOUBTED),
            (inputs, mean, _DOUBTED),
            (self._features.plain, flat, _DOUBTED),
        ]
        each = [
            PriorEnsemble(one, expected, doubt, self._seed + i)
            for i, (one, expected, _) in enumerate(hypotheses)
        ]
        return Hedged(each, [trust for *_, trust in hypotheses])
