import numpy as np
import pytest

from tests.acquisition.test_entropy import TARGETS, candidates, fitted, future
from tunewise.acquisition.knowledge_gradient import knowledge_gradient
from tunewise.belief.future import Future, MetricFuture, roots


def test_it_is_the_expected_rise_of_the_best_reward_over_conditioned_models() -> None:
    gp, limited = fitted(0), fitted(1, shift=1.0)
    seen = future(gp, limited, 0.8)
    gains = knowledge_gradient(seen, 3)
    x, s = candidates()
    nodes, weights = roots(3)
    means, limits = gp.predict(TARGETS, 1.0).mean, limited.predict(TARGETS, 1.0)
    now = (np.asarray(means) * limits.probability_below(0.8)).max()
    for c in (1, 7, 15):
        expected = 0.0
        of_limit, of_value = seen.limits[0].metric.fantasy, seen.objective.fantasy
        for i in range(3):
            told = of_limit.mean[c] + nodes[i] * of_limit.std[c]
            after = limited.condition(x[c : c + 1], s[c : c + 1], [told]).predict(TARGETS, 1.0)
            for j in range(3):
                told = of_value.mean[c] + nodes[j] * of_value.std[c]
                value = gp.condition(x[c : c + 1], s[c : c + 1], [told]).predict(TARGETS, 1.0).mean
                best = (np.asarray(value) * after.probability_below(0.8)).max()
                expected += weights[i] * weights[j] * best
        assert gains[c] == pytest.approx(max(expected - now, 0.0), abs=1e-6)


def test_without_limits_it_is_the_plain_knowledge_gradient() -> None:
    gp = fitted()
    fantasy = gp.fantasize(candidates(), (TARGETS, 1.0))
    plain = Future(MetricFuture(fantasy), [], lambda n: np.asarray(n.mean, float))
    nodes, weights = roots(5)
    after = [fantasy.mean_after(fantasy.mean + z * fantasy.std).max(1) for z in nodes]
    expected = np.tensordot(weights, after, 1) - fantasy.target_mean.max()
    gains = knowledge_gradient(plain, 5)
    assert gains == pytest.approx(np.maximum(expected, 0), abs=1e-9)
    assert gains.max() > 0
