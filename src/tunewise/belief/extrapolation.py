"""What a trial on a slice predicts of the full data, without a model of the configs.

More data makes trials dearer and longer, and shares such as accuracy better. How much is first
taken as usual, then learned from configs that were measured on more than one fraction, as a slope
common to all. The doubt about it grows with what is left of the way.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tunewise.belief.metric_belief import holds
from tunewise.belief.usual.slopes import DOUBT, usual_per_decade
from tunewise.history import History, Trial
from tunewise.problem import Constraint, Problem
from tunewise.surrogate.normal import Normal, from_log
from tunewise.surrogate.scale import SCALES, Scale
from tunewise.surrogate.slope import Slope

SPREAD = 0.3
"""How far single configs usually are from the common slope, on the modelled scale: 35 % of a cost a
step. It counts as one observation, so that two measured configs outweigh it."""


@dataclass(frozen=True, eq=False)
class Extrapolation:
    """Carries what was measured to the fraction that would be deployed.

    Attributes:
        problem: What is wanted.
        slopes: For each metric how much more than usual ten times the data adds.
    """

    problem: Problem
    slopes: dict[str, Slope]

    @classmethod
    def of(cls, problem: Problem, history: History) -> "Extrapolation":
        """Learn from the configs that were measured on more than one fraction."""
        if problem.deploy == "any":
            return cls(problem, {})
        told = {name for trial in history.complete for name in trial.metrics}
        return cls(problem, {name: _slope(problem, history, name) for name in sorted(told)})

    def standing(self, trial: Trial) -> tuple[float, float]:
        """What complete trials at one fraction are ranked by: less is better.

        First by how far the limits would be missed by what would be deployed, 0 for not at all;
        then by the objective.
        """
        sign = -1.0 if self.problem.maximize else 1.0
        limited = {c.metric for c in self.problem.constraints}
        missed = self.problem.violation({name: self._expected(trial, name) for name in limited})
        return missed, sign * trial.metrics[self.problem.objective]

    def feasible(self, trial: Trial) -> float:
        """The probability that the limits hold where it would be deployed."""
        return math.prod(
            float(holds(c, self._modelled(trial, c.metric), _scale(self.problem, c.metric)))
            for c in self.problem.constraints
        )

    def pruned_from(self, trial: Trial, limit: Constraint, deviations: float) -> float:
        """The cost or time of a trial from which on an upper limit is all but surely broken.

        That is where it would be deployed, and by so many standard deviations.
        """
        added = self._added(trial, limit.metric)
        bound = _forward(self.problem, limit.metric, limit.bound)
        return float(from_log(bound - float(added.mean) + deviations * float(added.std)))

    def _expected(self, trial: Trial, name: str) -> float:
        if self._decades(trial) == 0:
            return trial.metrics[name]
        modelled = np.asarray(self._modelled(trial, name).mean)
        return float(_scale(self.problem, name).backward(modelled))

    def _modelled(self, trial: Trial, name: str) -> Normal:
        """A metric where it would be deployed, on the scale it is modelled on."""
        added = self._added(trial, name)
        return Normal(_forward(self.problem, name, trial.metrics[name]) + added.mean, added.std)

    def _added(self, trial: Trial, name: str) -> Normal:
        """What the data adds that the trial has not seen, on the same scale."""
        decades = self._decades(trial)
        if decades == 0:
            return Normal(0.0, 0.0)
        slope = self.slopes[name]
        mean = decades * (usual_per_decade(self.problem, name) + slope.mean)
        return Normal(mean, math.sqrt(slope.variance * decades**2 + slope.noise))

    def _decades(self, trial: Trial) -> float:
        return 0.0 if self.problem.deploy == "any" else -math.log10(trial.fraction)


def _slope(problem: Problem, history: History, name: str) -> Slope:
    usual = usual_per_decade(problem, name)
    if usual == 0:
        return Slope(0.0, 0.0, 0.0)
    steps = list(_steps(problem, history, name))
    away = np.array([decades for decades, _ in steps])
    above = np.array([rise for _, rise in steps]) - usual * away
    return Slope.learned(away, above, DOUBT * abs(usual), SPREAD)


def _steps(problem: Problem, history: History, name: str) -> Iterator[tuple[float, float]]:
    """From each fraction to the next of the same config: decades, and the rise of the metric."""
    seen = history.observations(name)
    by_config: dict[tuple[object, ...], dict[float, float]] = {}
    for config, fraction, value in zip(seen.configs, seen.fractions, seen.values, strict=True):
        measured = by_config.setdefault(problem.space.key(config), {})
        measured[float(fraction)] = _forward(problem, name, value)
    for measured in by_config.values():
        climbed = sorted(measured.items())
        for (low, before), (high, after) in zip(climbed, climbed[1:], strict=False):
            yield math.log10(high / low), after - before


def _forward(problem: Problem, name: str, value: float) -> float:
    return float(_scale(problem, name).forward(np.asarray(value)))


def _scale(problem: Problem, name: str) -> Scale:
    return SCALES[problem.metrics[name].kind if name in problem.metrics else "real"]
