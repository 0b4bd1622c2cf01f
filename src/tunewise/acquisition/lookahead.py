"""Exploration paths: what a trial is worth together with the trials that would follow it.

Nephele's algorithm 3 (and Lynceus'): a path starts with a candidate, speculates on what would be
measured there, goes on with the candidate of most constrained expected improvement under the belief
that this would teach, and so on for `horizon` further steps. Each step is chosen from a feasible
set: Nephele's is what keeps budget and limits by its predicted means (line 31), Lynceus' what the
budget pays for with probability 0.99. Rewards and costs of later steps are discounted and weighed
by the likelihood of the outcomes that lead to them; the path is worth its reward per cost.

All paths are followed at once. Beliefs are joint normals over the candidates, so an outcome moves
means and variances by one vector a path (rank one), and nothing is fitted again. With u_j the
covariance of the j-th step's observation with all candidates, in its standard deviations,

    mean <- mean + node u_j,   var <- var - u_j^2,   Cov(a, b) <- Cov(a, b) - u_j[a] u_j[b].
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunewise.acquisition.improvement import standard_improvement
from tunewise.belief.choice import even_chances
from tunewise.belief.joint import Block, Joint, JointMetric
from tunewise.surrogate import Array
from tunewise.surrogate.normal import ELEMENTS, TIE, TINY, from_log, roots

Index = NDArray[np.intp]

SURE = 2.3263478740408408
"""Standard deviations below which a normal lies with probability 0.99."""


@dataclass(frozen=True)
class Lookahead:
    """How far paths are followed.

    Attributes:
        horizon: Steps after the first.
        roots: Gauss-Hermite roots of the objective and of what is spent (N).
        accuracy_roots: Those of all other metrics (M); 1 takes their means.
        discount: The weight of each step relative to the one before (gamma).
        by_means: Whether steps keep budget and limits by their predicted means (Nephele); else the
            budget pays for them with probability 0.99 (Lynceus).
    """

    horizon: int = 1
    roots: int = 3
    accuracy_roots: int = 1
    discount: float = 0.9
    by_means: bool = False

    def outcomes(self) -> Iterator[tuple[float, float, float]]:
        """Weight, node of the first kind, node of the second, of each outcome of a step."""
        for node, weight in zip(*roots(self.roots), strict=True):
            for other, share in zip(*roots(self.accuracy_roots), strict=True):
                yield float(weight * share), float(node), float(other)


def reward_and_cost(
    scene: Joint, first: Index, ahead: Lookahead, best: float, budget: float | None = None
) -> tuple[Array, Array]:
    """Expected reward and cost of the paths that start at each of the candidates `first`, (k,).

    Args:
        scene: What is believed about the candidates that paths lead through.
        first: Where paths start.
        ahead: How far they are followed.
        best: The objective to improve on, on its modelled scale.
        budget: How much may still be spent; None for no limit.
    """
    reward, cost = np.empty(len(first)), np.empty(len(first))
    rows = max(1, ELEMENTS // max(len(scene), 1))
    for start in range(0, len(first), rows):
        block = slice(start, start + rows)
        paths = _now(scene, len(first[block]), best, budget)
        reward[block], cost[block] = _followed(scene, paths, first[block], ahead, ahead.horizon)
    return reward, cost


@dataclass(frozen=True, eq=False)
class _Believed:
    """One metric along r paths: mean and variance (r or 1, n), and the vectors of its steps."""

    joint: JointMetric
    mean: Block
    variance: Block
    steps: tuple[Block, ...] = ()

    def at(self, places: Index) -> tuple[Block, Block]:
        """Mean and standard deviation of a measurement at one candidate a path, (r,)."""
        each, shape = np.arange(len(places)), (len(places), len(self.joint.mean))
        mean, variance = (np.broadcast_to(m, shape)[each, places] for m in self.moments)
        return mean, np.sqrt(variance)

    @property
    def moments(self) -> tuple[Block, Block]:
        """Means and variances of what would be measured: noise belongs to a config."""
        return self.mean, self.variance + self.joint.noise

    def moved(self, places: Index) -> Block:
        """How each candidate goes with a measurement there, in its deviations, (r, n)."""
        each = np.arange(len(places))
        vector = self.joint.covariance[places]
        for step in self.steps:
            vector = vector - step[each, places][:, None] * step
        return np.asarray(vector / self.at(places)[1][:, None])


@dataclass(frozen=True, eq=False)
class _Paths:
    """Where r paths stand: beliefs, the best so far (r,), what is left (r,), where they were."""

    metrics: dict[str, _Believed]
    best: Array
    budget: Array | None
    visited: tuple[Index, ...] = ()


def _now(scene: Joint, count: int, best: float, budget: float | None) -> _Paths:
    metrics = {
        name: _Believed(joint, joint.mean[None], joint.variance[None])
        for name, joint in scene.metrics.items()
    }
    left = None if budget is None else np.full(count, float(budget))
    return _Paths(metrics, np.full(count, float(best)), left)


def _followed(
    scene: Joint, paths: _Paths, places: Index, ahead: Lookahead, horizon: int
) -> tuple[Array, Array]:
    """Expected reward and cost from the places on (EXPLOREPATHS), (r,)."""
    seen = {name: believed.at(places) for name, believed in paths.metrics.items()}
    moments = {name: (mean, std**2) for name, (mean, std) in seen.items()}
    reward, cost = _constrained(scene, paths.best, moments).astype(float), np.ones(len(places))
    if scene.spending is not None:
        mean, std = (m.astype(float) for m in seen[scene.spending])
        cost = from_log(mean + 0.5 * std**2)
    if horizon == 0:
        return reward, cost
    vectors = {name: believed.moved(places) for name, believed in paths.metrics.items()}
    for weight, *nodes in ahead.outcomes():
        after = _after(scene, paths, places, vectors, nodes)
        following, possible = _next(scene, after, ahead.by_means)
        more, further = _followed(scene, after, following, ahead, horizon - 1)
        reward += np.where(possible, ahead.discount * weight * more, 0.0)
        cost += np.where(possible, ahead.discount * weight * further, 0.0)
    return reward, cost


def _after(
    scene: Joint,
    paths: _Paths,
    places: Index,
    vectors: Mapping[str, Block],
    nodes: Sequence[float],
) -> _Paths:
    """The paths once each place was measured as many deviations off as the nodes say."""
    metrics, seen = {}, {}
    for name, believed in paths.metrics.items():
        node, vector = np.float32(nodes[believed.joint.second]), vectors[name]
        mean, std = believed.at(places)
        seen[name] = mean + node * std
        variance = np.maximum(believed.variance - vector**2, np.float32(TINY))
        steps = (*believed.steps, vector)
        metrics[name] = _Believed(believed.joint, believed.mean + node * vector, variance, steps)
    budget = paths.budget
    if budget is not None and scene.spending is not None:
        budget = budget - from_log(seen[scene.spending].astype(float))
    best = _best_after(scene, paths.best, seen)
    return _Paths(metrics, best, budget, (*paths.visited, places))


def _best_after(scene: Joint, best: Array, seen: Mapping[str, Block]) -> Array:
    """The best feasible objective, with what was seen."""
    kept = np.ones(len(best), bool)
    for limit in scene.limits:
        value = seen[limit.metric]
        kept &= value <= limit.bound if limit.below else value >= limit.bound
    better = scene.sign * seen[scene.objective] > scene.sign * best
    return np.where(kept & better, seen[scene.objective], best).astype(float)


def _next(scene: Joint, paths: _Paths, by_means: bool) -> tuple[Index, NDArray[np.bool_]]:
    """The feasible candidate of most improvement on each path, and whether there is one."""
    apart = 1 + np.float32(100 * TIE) * even_chances(len(scene)).astype(np.float32)
    feasible = _paid(paths, scene, 0.0 if by_means else SURE)
    if by_means:
        for limit in scene.limits:  # whatever the doubt about it
            mean, bound = paths.metrics[limit.metric].mean, np.float32(limit.bound)
            feasible = feasible & (mean <= bound if limit.below else mean >= bound)
    moments = {name: believed.moments for name, believed in paths.metrics.items()}
    worth = _constrained(scene, paths.best[:, None], moments)
    worth = np.where(feasible, worth * apart, np.float32(-1))
    each = np.arange(len(worth))
    for places in paths.visited:
        worth[each, places] = -1
    following = worth.argmax(1)
    return following, worth[each, following] >= 0


def _paid(paths: _Paths, scene: Joint, deviations: float) -> Any:
    """Where the budget pays for so much more than expected, (r or 1, n); True without one."""
    if scene.spending is None or paths.budget is None:
        return True
    believed = paths.metrics[scene.spending]
    left = np.log(np.maximum(paths.budget, 1e-30)).astype(np.float32)[:, None]
    mean, variance = believed.moments
    return mean + np.float32(deviations) * np.sqrt(variance) <= left


def _constrained(scene: Joint, best: Array, moments: Mapping[str, tuple[Block, ...]]) -> Block:
    """Expected improvement over `best` times the probability that all limits hold."""
    from scipy.special import ndtr

    mean, variance = moments[scene.objective]
    std = np.sqrt(np.maximum(variance, np.float32(TINY)))
    z = np.float32(scene.sign) * (mean - best.astype(np.float32)) / std
    worth = std * standard_improvement(z.astype(np.float32, copy=False))
    for limit in scene.limits:
        mean, variance = moments[limit.metric]
        std = np.sqrt(np.maximum(variance, np.float32(TINY)))
        room = (np.float32(limit.bound) - mean) / std
        worth = worth * ndtr(room if limit.below else -room)
    return np.asarray(worth, np.float32)
