"""Paths against expected improvement by hand, and against a surrogate that is really told."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.acquisition import constrained_expected_improvement
from tunewise.acquisition.lookahead import SURE, Lookahead, reward_and_cost
from tunewise.belief.joint import Joint, JointMetric, Limit
from tunewise.surrogate import Array, Normal
from tunewise.surrogate.gaussian_process import GaussianProcess
from tunewise.surrogate.normal import roots

Models = dict[str, GaussianProcess]
FULL = 1.0


def fitted(seed: int, count: int = 7) -> tuple[Models, Array]:
    """Models of log cost and of a quality over a small space, and the candidates of it."""
    rng = np.random.default_rng(seed)
    x = rng.random((6, 2))
    cost = np.log(0.1) + x[:, 0] - 0.5 * x[:, 1] + 0.1 * rng.standard_normal(6)
    quality = 1.5 * x[:, 0] - 0.4 + 0.1 * rng.standard_normal(6)
    models = {"cost": GaussianProcess(), "quality": GaussianProcess()}
    for name, y in (("cost", cost), ("quality", quality)):
        models[name].fit(x, np.ones(6), y)
    return models, rng.random((count, 2))


def scene_of(models: Models, x: Array) -> Joint:
    here = (x, np.ones(len(x)))
    joints = {
        name: JointMetric.of(
            model.fantasize(here, here), np.zeros(len(x)), second=name == "quality"
        )
        for name, model in models.items()
    }
    limits = [Limit("quality", 0.0, below=False)]
    return Joint(joints, "cost", -1.0, limits, "cost")


def measured(model: GaussianProcess, x: Array) -> Normal:
    believed = model.predict(x, FULL)
    return Normal(believed.mean, np.hypot(believed.std, model.noise_))


def improvement(models: Models, x: Array, best: float) -> Array:
    cost, quality = (measured(models[name], x) for name in ("cost", "quality"))
    kept = quality.probability_above(0.0)
    return constrained_expected_improvement(Normal(-cost.mean, cost.std), -best, kept)


def spending(models: Models, x: Array) -> Array:
    cost = measured(models["cost"], x)
    return np.exp(cost.mean + 0.5 * np.asarray(cost.std) ** 2)


def told(models: Models, x: Array, best: float, budget: float, horizon: int, ahead: Lookahead,
         left: list[int], first: int) -> tuple[float, float]:  # fmt: skip
    """Algorithm 3 as it is written: a model that is told each outcome, one path at a time."""
    reward = float(improvement(models, x, best)[first])
    cost = float(spending(models, x)[first])
    if horizon == 0:
        return reward, cost
    here = x[[first]]
    expected = {}
    for name, model in models.items():
        belief = model.predict(here, FULL)
        mean, std = np.asarray(belief.mean)[0], np.asarray(belief.std)[0]
        expected[name] = float(mean), float(np.hypot(std, model.noise_))
    remaining = [i for i in left if i != first]
    for node, weight in zip(*roots(ahead.roots), strict=True):
        for other, share in zip(*roots(ahead.accuracy_roots), strict=True):
            seen = {
                "cost": expected["cost"][0] + node * expected["cost"][1],
                "quality": expected["quality"][0] + other * expected["quality"][1],
            }
            after = {n: m.condition(here, FULL, [seen[n]]) for n, m in models.items()}
            paid = budget - np.exp(seen["cost"])
            better = min(best, seen["cost"]) if seen["quality"] >= 0 else best
            costs = after["cost"].predict(x, FULL)
            sure = 0.0 if ahead.by_means else SURE
            most = costs.mean + sure * np.hypot(costs.std, after["cost"].noise_)
            open_ = [i for i in remaining if paid > 0 and most[i] <= np.log(paid)]
            if ahead.by_means:
                good = np.asarray(after["quality"].predict(x, FULL).mean)
                open_ = [i for i in open_ if good[i] >= 0]
            if not open_:
                continue
            worth = improvement(after, x, better)
            following = max(open_, key=lambda i: worth[i])
            more, further = told(after, x, better, paid, horizon - 1, ahead, remaining, following)
            reward += ahead.discount * weight * share * more
            cost += ahead.discount * weight * share * further
    return reward, cost


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_without_a_horizon_a_path_is_worth_its_improvement_per_cost(seed: int) -> None:
    models, x = fitted(seed, 12)
    best = float(np.mean(np.asarray(models["cost"].predict(x, FULL).mean)))
    reward, cost = reward_and_cost(scene_of(models, x), np.arange(12), Lookahead(0), best)
    assert reward == pytest.approx(improvement(models, x, best), rel=1e-3, abs=1e-6)
    assert cost == pytest.approx(spending(models, x), rel=1e-3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("ahead", "budget"),
    [
        (Lookahead(1, 3, 1), 1e6),
        (Lookahead(1, 3, 3), 1e6),
        (Lookahead(1, 3, 1), 0.35),
        (Lookahead(2, 2, 1), 1e6),
        (Lookahead(2, 2, 2), 0.6),
        (Lookahead(1, 3, 3, by_means=True), 1e6),
        (Lookahead(2, 2, 1, by_means=True), 0.35),
    ],
)
def test_paths_equal_those_of_models_that_are_told_each_outcome(
    seed: int, ahead: Lookahead, budget: float
) -> None:
    models, x = fitted(seed, 5)
    best = float(np.mean(np.asarray(models["cost"].predict(x, FULL).mean)))
    reward, cost = reward_and_cost(scene_of(models, x), np.arange(5), ahead, best, budget)
    for first in range(5):
        by_hand = told(models, x, best, budget, ahead.horizon, ahead, list(range(5)), first)
        assert (reward[first], cost[first]) == pytest.approx(by_hand, rel=5e-3, abs=1e-5)


def test_a_path_ends_when_the_money_does() -> None:
    models, x = fitted(0)
    first, far = np.arange(len(x)), Lookahead(1)
    rich = reward_and_cost(scene_of(models, x), first, far, -2.0, 1e6)
    poor = reward_and_cost(scene_of(models, x), first, far, -2.0, 1e-6)
    alone = reward_and_cost(scene_of(models, x), first, Lookahead(0), -2.0)
    assert (rich[0] > poor[0]).all()
    assert np.allclose(poor, alone)


def test_without_a_discount_of_its_own_a_further_step_never_takes_reward_away() -> None:
    models, x = fitted(1)
    scene, every = scene_of(models, x), np.arange(len(x))
    rewards = [reward_and_cost(scene, every, Lookahead(h), -2.0)[0] for h in range(4)]
    for nearer, farther in zip(rewards, rewards[1:], strict=False):
        assert (farther >= nearer - 1e-7).all()


def by_hand(accuracies: list[float], costs: list[float]) -> Joint:
    """Trials that say nothing about each other; accuracy is to be at least 0.85."""

    def believed(mean: Array, std: float, second: bool = False) -> JointMetric:
        block, zero = (std**2 * np.eye(len(mean))).astype(np.float32), np.zeros(len(mean))
        return JointMetric(mean.astype(np.float32), block, zero.astype(np.float32), second)

    shares = np.array(accuracies)
    metrics = {
        "cost": believed(np.log(costs), 0.1),
        "accuracy": believed(np.log(shares / (1 - shares)), 2.0, second=True),
    }
    return Joint(metrics, "cost", -1.0, [Limit("accuracy", np.log(0.85 / 0.15), False)], "cost")


@pytest.mark.parametrize(("budget", "following"), [(None, 2), (1.0, 2), (0.03, None)])
def test_nepheles_paths_stay_where_predicted_means_keep_the_limits(
    budget: float | None, following: int | None
) -> None:
    # Line 31: trial 1 has a mean of 0.80, trial 2 of 0.95: with 0.85 wanted omega is {2}. Trial 1
    # improves most: it costs a hundredth. Trial 0 costs 0.02 USD, which leaves 0.01 of 0.03.
    scene, best = by_hand([0.9, 0.80, 0.95], [0.02, 0.0002, 0.02]), float(np.log(0.05))
    first = np.array([0])
    reward, cost = reward_and_cost(scene, first, Lookahead(1, 1, 1, by_means=True), best, budget)
    after = min(best, np.log(0.02))
    alone = reward_and_cost(scene, np.arange(3), Lookahead(0), best)
    then = reward_and_cost(scene, np.arange(3), Lookahead(0), after)
    if following is None:
        assert (reward[0], cost[0]) == pytest.approx((alone[0][0], alone[1][0]))
    else:
        assert reward[0] == pytest.approx(alone[0][0] + 0.9 * then[0][following])
        assert cost[0] == pytest.approx(alone[1][0] + 0.9 * then[1][following])
    lynceus, _ = reward_and_cost(scene, first, Lookahead(1, 1, 1), best)
    assert lynceus[0] == pytest.approx(alone[0][0] + 0.9 * then[0][1]), "it looks at money only"
