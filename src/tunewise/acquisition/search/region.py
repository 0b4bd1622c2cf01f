"""How far around the best config the search may trust what it has learned there.

The side of the region is earned (TuRBO, Eriksson and others, 2019): it grows when trials better
the best one, and shrinks while they do not. It follows from the history alone.
"""

import math

from tunewise.acquisition.acquisition import FEW_PARAMETERS
from tunewise.belief.extrapolation import Extrapolation
from tunewise.history import History
from tunewise.problem import Problem

FIRST = 0.5
"""Of the region's side, as a part of the cube's. One that has become 2^5 times smaller begins anew;
no number of this file matters by itself, but without a region continuous problems are .11 worse."""
_ROW = 2
"""So many successes in a row double the side. Twice as many failures halve it, or a quarter of the
parameters where that is more: most steps lead nowhere then."""


def side(problem: Problem, history: History) -> float:
    """The side of the region in which the next trials are sought."""
    carried, best = Extrapolation.of(problem, history), dict[float, tuple[float, float]]()
    patience = max(2 * _ROW, math.ceil(len(problem.space.parameters) / (2 * _ROW)))
    length, won, lost = FIRST, 0, 0
    for trial in history.complete:
        standing, before = carried.standing(trial), best.get(trial.fraction)
        best[trial.fraction] = standing if before is None else min(before, standing)
        if before is None:  # nothing on this fraction to compare it with
            continue
        won, lost = (won + 1, 0) if standing < before else (0, lost + 1)
        if won == _ROW:
            length, won = min(2 * length, 1.0), 0
        elif lost == patience:
            length, lost = length / 2, 0
        if length < FIRST / 2**5:
            length = FIRST
    # Narrower in many dimensions, so that corners stay as far away.
    return length * math.sqrt(min(1.0, FEW_PARAMETERS / len(problem.space.parameters)))
