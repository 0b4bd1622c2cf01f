import numpy as np
import pytest

from tests.acquisition.test_entropy import TARGETS, candidates, fitted, outlook
from tunewise.acquisition.knowledge_gradient import Reward, knowledge_gradient
from tunewise.acquisition.outlook import Outlook, roots


@pytest.mark.parametrize("penalty", [None, 0.5])
def test_it_is_the_expected_rise_of_the_best_reward_over_conditioned_models(
    penalty: float | None,
) -> None:
    gp, limited = fitted(0), fitted(1, shift=1.0)
    seen, reward = outlook(gp, limited, 0.8), Reward(0.9, penalty)
    gains = knowledge_gradient(seen, reward, 3)
    x, s = candidates()
    nodes, weights = roots(3)
    means, limits = gp.predict(TARGETS, 1.0).mean, limited.predict(TARGETS, 1.0)
    now = reward(np.asarray(means, float), limits.probability_below(0.8)).max()
    for c in (1, 7, 15):
        expected = 0.0
        for i in range(3):
            told = seen.limits[0].fantasy.mean[c] + nodes[i] * seen.limits[0].fantasy.std[c]
            after = limited.condition(x[c : c + 1], s[c : c + 1], [told]).predict(TARGETS, 1.0)
            for j in range(3):
                told = seen.objective.mean[c] + nodes[j] * seen.objective.std[c]
                value = gp.condition(x[c : c + 1], s[c : c + 1], [told]).predict(TARGETS, 1.0).mean
                best = reward(np.asarray(value, float), after.probability_below(0.8)).max()
                expected += weights[i] * weights[j] * best
        assert gains[c] == pytest.approx(max(expected - now, 0.0), abs=1e-6)


def test_without_limits_it_is_the_plain_knowledge_gradient() -> None:
    gp = fitted()
    fantasy = gp.fantasize(candidates(), (TARGETS, 1.0))
    plain = Outlook(fantasy, [], lambda n: np.asarray(n.mean, float))
    nodes, weights = roots(5)
    after = [fantasy.mean_after(fantasy.mean + z * fantasy.std).max(1) for z in nodes]
    expected = np.tensordot(weights, after, 1) - fantasy.target_mean.max()
    gains = knowledge_gradient(plain, Reward(), 5)
    assert gains == pytest.approx(np.maximum(expected, 0), abs=1e-9)
    assert gains.max() > 0


def test_a_target_feasible_enough_has_nothing_held_against_it() -> None:
    worth = np.array([1.0, 1.0, 1.0])
    feasible = np.array([0.95, 0.9, 0.45])
    assert Reward(0.9)(worth, feasible).tolist() == [1.0, 1.0, 0.5]
    assert Reward(0.9, 2.0)(worth, feasible) == pytest.approx([1.0, 1.0, 1 + 2 * np.log(0.5)])
