"""A tuner that looks at speed alone, as Horovod's does: samples per second, and nothing else."""

from dataclasses import dataclass

import numpy as np

from tunewise.online.belief.pace import Pace
from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.managers.manager import Decision, Situation
from tunewise.online.managers.pace import PaceManager

_TRIES = 20
"""Tries, some perhaps of the same setting, before the fastest is kept for good."""


@dataclass(frozen=True)
class Throughput(PaceManager):
    """Expected improvement of the samples per second for twenty tries, then the fastest."""

    def decide(self, situation: Situation, costs: ReconfigurationCosts) -> Decision:
        """The next setting to try, or the fastest."""
        from scipy.special import ndtr

        belief = Pace(self.space, situation.segments, only_speed=True)
        tried = self._tried(situation)
        speed = np.asarray(belief.log_pace(tried).mean)
        best = tried[int(np.argmax(speed))]
        candidates = self._candidates(situation, best)
        if len(situation.measured) > _TRIES or not candidates:
            return Decision(best, 10**9, "the fastest")
        there = belief.log_pace(candidates)
        std = np.maximum(there.std, 1e-9)
        z = (np.asarray(there.mean) - speed.max()) / std
        gain = std * (z * ndtr(z) + np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi))
        chosen = candidates[int(np.argmax(gain))]
        return Decision(chosen, self.least(chosen), "may be faster")

    def due(self, situation: Situation) -> bool:
        """When a try is over: nothing is left early."""
        return len(situation.running.iterations) >= situation.running.planned
