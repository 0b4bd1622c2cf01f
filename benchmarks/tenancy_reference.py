"""A plain version of ease.ml's greedy rule, to be beaten: numpy, fifty lines, nothing clever.

Cost-aware GP-UCB with an empirical prior for each user; the user with the largest gap between the
highest bound and the best so far, after one step for each user.
"""

import numpy as np

from tunewise.benchmark.tenants.race import Protocol, Run, drawn
from tunewise.benchmark.tenants.table import TenantTable
from tunewise.surrogate import Array

SHRINK, NOISE, DELTA = 0.1, 1e-4, 0.1


def reference(table: TenantTable, protocol: Protocol, repeat: int) -> Run:
    """One repeat of the plain greedy rule."""
    tested, others = drawn(table, protocol, repeat)
    accuracy, seconds = table.accuracy[tested], table.seconds[tested]
    users, models = accuracy.shape
    mean, covariance = prior(table.accuracy[others])
    means, covariances = np.tile(mean, (users, 1)), np.tile(covariance, (users, 1, 1))
    cost = np.nan_to_num(seconds / np.nanmean(seconds), nan=1.0)
    open_, best, count = np.isfinite(accuracy), np.zeros(users), np.zeros(users, int)
    top, total, now = np.nanmax(accuracy, axis=1), np.nansum(seconds), 0.0
    steps, plays, picks, ends = [], [], 0, int(open_.sum())
    while open_.any() and now < protocol.limit * total and (best < top).any():
        beta = np.log(models * (count + 1) ** 2 / DELTA)
        std = np.sqrt(np.maximum(np.diagonal(covariances, axis1=1, axis2=2), 0))
        bound = np.where(open_, means + np.sqrt(beta[:, None] / cost) * std, -np.inf)
        gap = np.where(count == 0, np.inf, bound.max(axis=1) - best)
        user = int(np.where(open_.any(axis=1), gap, -np.inf).argmax())
        model = int(bound[user].argmax())
        picks, now, value = picks + 1, now + seconds[user, model], accuracy[user, model]
        open_[user, model], count[user] = False, count[user] + 1
        row = covariances[user, model].copy()
        gain = row / (row[model] + NOISE)
        means[user] += gain * (value - means[user, model])
        covariances[user] -= np.outer(gain, row)
        plays.append((now / total, seconds[user, model] / total, user, value))
        if value > best[user]:
            best[user] = value
            steps.append((now / total, picks / ends, user, value))
    at, runs, who, risen = np.array(steps, float).reshape(-1, 4).T
    return Run("reference", top, at, runs, who, risen, picks, float("nan"), np.array(plays))


def prior(log: Array) -> tuple[Array, Array]:
    """The mean and the shrunk covariance of a log, gaps filled by the mean."""
    mean = np.nanmean(log, axis=0)
    away = np.where(np.isnan(log), 0.0, log - mean)
    sample = away.T @ away / max(len(log) - 1, 1)
    return mean, (1 - SHRINK) * sample + SHRINK * np.diag(np.diag(sample))
