"""What other studies say about configs that nothing relates: how each of them usually is.

Levels differ from study to study, as data sets do; but some learners are slow everywhere, and some
gain more from more data. From every study the weights of each config's curve are taken relative
to the study's mean; their mean and variance over the studies are the habits of the config.
"""

from collections.abc import Mapping

import numpy as np

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.surrogate.exchangeable import Exchangeable
from tunewise.surrogate.hierarchy import COMMON, USUAL, Habits
from tunewise.surrogate.normal import Array
from tunewise.surrogate.scale import SCALES
from tunewise.surrogate.slope import LEAST
from tunewise.surrogate.surrogate import FEW

DOUBT = 2.0
"""So many studies, or users, weigh as much as what is believed before any: the least that has a
spread. Not raced."""


def habits(
    problem: Problem, name: str, studies: Mapping[str, History], per_decade: float
) -> tuple[Array, Habits] | None:
    """How configs usually are in one metric, by encoded rows; None where no study says."""
    size = 3 if len(problem.fractions) > 1 else 1
    usual = np.array([median for median, _ in USUAL[:size]]) ** 2
    rows: dict[bytes, Array] = {}
    found: dict[bytes, list[Array]] = {}
    centres = []
    for history in studies.values():
        taught = _weights(problem, name, history, per_decade, size)
        if taught is None:
            continue
        x, weights = taught
        centres.append(weights.mean(0))
        for row, weight in zip(x, weights - weights.mean(0), strict=True):
            rows[row.tobytes()] = row
            found.setdefault(row.tobytes(), []).append(weight)
    if not centres:
        return None
    means = np.array([np.sum(found[key], 0) / (len(found[key]) + DOUBT) for key in rows])
    ratios = []
    for key, mean in zip(rows, means, strict=True):
        squares = np.sum((np.array(found[key]) - mean) ** 2, 0)
        ratios.append((squares + DOUBT * usual) / (len(found[key]) + DOUBT) / usual)
    spread, middle = np.array(COMMON[:size]), np.mean(centres, 0)
    if len(centres) > 1:
        spread = np.minimum(spread, np.std(centres, 0) + spread / len(centres))
    spread[0], middle[0] = COMMON[0], 0.0  # levels are a study's own
    unit = SCALES[problem.metrics[name].kind].spread or 1.0
    return np.array(list(rows.values())), Habits(
        np.vstack([means, np.zeros(size)]),
        np.maximum(np.vstack([ratios, np.ones(size)]), LEAST),
        middle,
        unit * spread,
    )


def _weights(
    problem: Problem, name: str, history: History, per_decade: float, size: int
) -> tuple[Array, Array] | None:
    """The curves of one study's configs: encoded rows, and the weights of each."""
    seen, metric = history.observations(name), problem.metrics[name]
    x = problem.space.encode(seen.configs) if len(seen) else np.empty((0, 1))
    distinct = np.unique(x, axis=0)
    if len(distinct) < FEW:
        return None
    scale = SCALES[metric.kind]
    y = scale.forward(seen.values) - per_decade * np.log10(seen.fractions)
    basis = "none" if size == 1 else "log"
    surrogate = Exchangeable(basis, spread=scale.spread).fit(x, seen.fractions, y)
    return distinct, surrogate.weights(distinct)
