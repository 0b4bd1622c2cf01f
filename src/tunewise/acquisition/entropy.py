"""Entropy search over the full-data optimum: FABOLAS, TrimTuner and Fabulinus.

`p_opt` is the probability of each target to be the best one, estimated by joint samples of the
objective. With the hyper-parameters kept, an observation moves every sample by Matheron's rule,
so the distribution after each candidate needs no refit.
"""

import numpy as np

from tunewise.belief.choice import even_chances, told_apart
from tunewise.belief.future import Future, combinations
from tunewise.surrogate import Array, Fantasy
from tunewise.surrogate.normal import ELEMENTS, roots


def optimum_now(at_targets: Array) -> Array:
    """The probability of each target to be the best, from joint samples (n, t): (t,)."""
    count = at_targets.shape[1]
    return np.bincount(at_targets.argmax(1), minlength=count) / len(at_targets)


def optimum_after(
    fantasy: Fantasy, node: float, at_candidates: Array, at_targets: Array, sign: float = 1.0
) -> Array:
    """The same once each candidate came out `node` deviations above expectation: (c, t).

    Args:
        fantasy: What observing each candidate does to the targets.
        node: Where the observation lies, in standard deviations from its mean.
        at_candidates: (n, c) joint samples at the candidates.
        at_targets: (n, t) the same samples at the targets.
        sign: 1 to maximise, -1 to minimise.
    """
    count, targets = fantasy.gain.shape
    samples = len(at_targets)
    seen = fantasy.mean + node * fantasy.std
    gain, goal = fantasy.gain.astype(np.float32), (sign * at_targets).astype(np.float32)
    surprise = (sign * (seen - at_candidates)).astype(np.float32)
    probability = np.empty((count, targets))
    step = max(1, ELEMENTS // (samples * targets))
    for start in range(0, count, step):
        block = slice(start, start + step)
        moved = goal[None] + surprise[:, block].T[:, :, None] * gain[block, None, :]
        best = moved.argmax(2)
        flat = best + targets * np.arange(len(best))[:, None]
        counts = np.bincount(flat.ravel(), minlength=len(best) * targets)
        probability[block] = counts.reshape(-1, targets) / samples
    return probability


def information(p_opt: Array) -> Array:
    """Kullback-Leibler divergence of p_opt (..., t) from the uniform distribution, (...)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p_opt > 0, p_opt * np.log(p_opt * p_opt.shape[-1]), 0.0)
    return np.asarray(terms.sum(-1), float)


def expected_information(
    fantasy: Fantasy, at_candidates: Array, at_targets: Array, count: int = 1, sign: float = 1.0
) -> Array:
    """The information about the optimum expected after each candidate, (c,).

    The expectation of equation 3 (FABOLAS) over `count` Gauss-Hermite roots of the outcome.
    """
    total = np.zeros(len(fantasy.mean))
    for node, weight in zip(*roots(count), strict=True):
        after = optimum_after(fantasy, float(node), at_candidates, at_targets, sign)
        total += weight * information(after)
    return total


def incumbent_feasibility(future: Future, least: float, count: int = 1) -> Array:
    """The probability expected, after each candidate, that its incumbent keeps all limits: (c,).

    First line of equation 5 (TrimTuner): the expectation runs over the outcomes of the
    objective and of every limit, with `count` roots each.
    """
    return _over_incumbents(future, least, count, with_value=False)


def constrained_expected_accuracy(future: Future, least: float, count: int = 1) -> Array:
    """Value times feasibility of the incumbent after each candidate (Fabulinus, 4.5): (c,)."""
    return _over_incumbents(future, least, count, with_value=True)


def _over_incumbents(future: Future, least: float, count: int, with_value: bool) -> Array:
    total = np.zeros(len(future.objective.fantasy.mean))
    each = np.arange(len(total))
    for limit_weight, limit_nodes in combinations(count, len(future.limits)):
        feasible = future.feasible_after(limit_nodes)
        for node, weight in zip(*roots(count), strict=True):
            value = future.value_after(float(node))
            best = incumbent(value, feasible, least)
            worth = value[each, best] if with_value else 1.0
            total += limit_weight * weight * feasible[each, best] * worth
    return total


def incumbent(value: Array, feasible: Array, least: float) -> Array:
    """The target that would be recommended, for each row of beliefs (..., t): (...,).

    The best among those feasible with probability `least` or more; where there is none, the most
    probably feasible.
    """
    chance = even_chances(value.shape[-1])
    allowed = told_apart(np.where(feasible >= least, value, -np.inf), chance)
    best, safest = allowed.argmax(-1), told_apart(feasible, chance).argmax(-1)
    return np.asarray(np.where(np.isfinite(allowed.max(-1)), best, safest))
