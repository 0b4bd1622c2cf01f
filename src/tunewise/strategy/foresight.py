"""What a trial on a slice foretells of the full data, without a model.

More data makes trials dearer and longer, and shares such as accuracy better. How much it usually
does is all that is assumed here; the doubt about it grows with what is left of the way.
"""

import math

import numpy as np

from tunewise.history import Trial
from tunewise.problem import Metrics, Problem
from tunewise.strategy.belief import holds, usual_per_decade
from tunewise.surrogate.normal import Normal
from tunewise.surrogate.scale import SCALES, Scale

_DOUBT = 0.5
"""Standard deviation of what more data adds, as a share of what it usually does."""


def standing(problem: Problem, trial: Trial) -> tuple[float, float]:
    """What complete trials at one fraction are ranked by: less is better.

    First by how far the limits would be missed by what would be deployed, 0 for not at all; then by
    the objective.
    """
    sign = -1.0 if problem.maximize else 1.0
    missed = problem.violation(deployed(problem, trial))
    return missed, sign * trial.metrics[problem.objective]


def deployed(problem: Problem, trial: Trial) -> Metrics:
    """What is to be expected of the metrics at the fraction that would be deployed."""
    return {
        name: float(_scale(problem, name).backward(np.asarray(modelled.mean)))
        for name, modelled in _modelled(problem, trial).items()
    }


def foretold(problem: Problem, trial: Trial) -> dict[str, Normal]:
    """The metrics where it would be deployed: certain if it was measured there."""
    return {
        name: _scale(problem, name).natural(modelled)
        for name, modelled in _modelled(problem, trial).items()
    }


def likely_feasible(problem: Problem, trial: Trial) -> float:
    """The probability that the limits hold where it would be deployed."""
    modelled = _modelled(problem, trial)
    return math.prod(
        float(holds(c, modelled[c.metric], _scale(problem, c.metric))) for c in problem.constraints
    )


def _modelled(problem: Problem, trial: Trial) -> dict[str, Normal]:
    """The metrics on the scales they are modelled on."""
    return {name: _carried(problem, name, trial) for name in trial.metrics}


def _carried(problem: Problem, name: str, trial: Trial) -> Normal:
    decades = 0.0 if problem.deploy == "any" else -math.log10(trial.fraction)
    seen = float(_scale(problem, name).forward(np.asarray(trial.metrics[name])))
    added = decades * usual_per_decade(problem, name) if decades else 0.0
    return Normal(seen + added, abs(added) * _DOUBT)


def _scale(problem: Problem, name: str) -> Scale:
    return SCALES[problem.metrics[name].kind if name in problem.metrics else "real"]
