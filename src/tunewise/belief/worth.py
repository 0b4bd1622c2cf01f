"""What a belief about the objective is worth: a number from 0 up that should be large."""

import numpy as np

from tunewise.belief.metric_belief import MetricBelief
from tunewise.surrogate import Array, Normal
from tunewise.surrogate.normal import TINY, from_log
from tunewise.surrogate.scale import expit


def worth_of(
    modelled: Normal, objective: MetricBelief, maximize: bool, best_expected: float
) -> Array:
    """What beliefs about the objective on its modelled scale are worth.

    A share counts as itself, the expectation of a logit-normal by the probit approximation, or
    where it is modelled by its logarithm as what is predicted; a
    positive metric by its ratio to the best one expected; any other by where it lies between poor
    and good, in units of how much it differs.

    Args:
        modelled: Beliefs of any shape.
        objective: The belief they come from.
        maximize: Whether more of the objective is better.
        best_expected: The best mean on the full data, on the modelled scale: a reference.
    """
    mean, std = np.asarray(modelled.mean, float), np.asarray(modelled.std, float)
    if objective.metric.kind == "share":
        logit = mean / np.sqrt(1 + np.pi / 8 * std**2)
        share = from_log(mean) if objective.scale.skewed else expit(logit)
        return share if maximize else 1 - share
    above = (1.0 if maximize else -1.0) * (mean - best_expected)
    if objective.metric.kind == "positive":
        return np.asarray(np.exp(np.clip(above, -60.0, 20.0)), float)
    return expit(above / (objective.surrogate.scale_ or 1.0))


def above_floor(worth: Array, floor: float) -> Array:
    """What more an answer is worth than one that breaks the limits; hardly anything below that."""
    return np.asarray(np.maximum(worth - floor, TINY * worth), float) if floor else worth


def in_own_unit(worth: float, objective: MetricBelief, at: float) -> float:
    """A gain of worth as a gain of the objective itself, where its mean is `at`."""
    if objective.metric.kind == "share":
        return worth
    if objective.metric.kind == "real":
        return worth * 4 * objective.surrogate.scale_  # the slope of the worth at its middle
    return worth * at
