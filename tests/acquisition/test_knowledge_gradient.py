import numpy as np
import pytest

from tests.acquisition.test_entropy import TARGETS, candidates, fitted, future
from tunewise.acquisition.outcomes import middles, outcomes
from tunewise.belief.future import Future, MetricFuture
from tunewise.surrogate.normal import roots


def test_it_is_the_expected_rise_of_the_best_reward_over_conditioned_models() -> None:
    gp, limited = fitted(0), fitted(1, shift=1.0)
    seen = future(gp, limited, 0.8)
    rewards = outcomes(seen, 3, middles(4))
    x, s = candidates()
    nodes, weights = roots(3)
    for c in (1, 7, 15):
        of_limit, of_value = seen.limits[0].metric.fantasy, seen.objective.fantasy
        each = np.zeros((4, 3, len(TARGETS)))
        for i, spending in enumerate(middles(4)[0]):
            told = of_limit.mean[c] + spending * of_limit.std[c]
            after = limited.condition(x[c : c + 1], s[c : c + 1], [told]).predict(TARGETS, 1.0)
            for j, node in enumerate(nodes):
                told = of_value.mean[c] + node * of_value.std[c]
                value = gp.condition(x[c : c + 1], s[c : c + 1], [told]).predict(TARGETS, 1.0).mean
                each[i, j] = np.asarray(value) * after.probability_below(0.8)
        expected = np.einsum("j,ijt->it", weights, each)
        now = expected.mean(0).max()
        ended = each.max(2) @ weights
        assert rewards.gains()[c, 3] == pytest.approx(ended.mean() - now, abs=1e-6)
        stopped = (ended[:2].sum() + expected[2:].sum(0).max()) / 4
        assert rewards.gains()[c, 1] == pytest.approx(stopped - now, abs=1e-6)


def test_a_trial_that_runs_longer_teaches_no_less_and_none_is_worth_less_than_nothing() -> None:
    gains = outcomes(future(fitted(0), fitted(1, shift=1.0), 0.2), 3, middles(6)).gains()
    assert (gains >= 0).all()
    assert (np.diff(gains, axis=1) >= -1e-12).all()


def test_without_limits_it_is_the_plain_knowledge_gradient() -> None:
    gp = fitted()
    fantasy = gp.fantasize(candidates(), (TARGETS, 1.0))
    plain = Future(MetricFuture(fantasy), [], lambda n: np.asarray(n.mean, float))
    nodes, weights = roots(5)
    after = [fantasy.mean_after(fantasy.mean + z * fantasy.std).max(1) for z in nodes]
    expected = np.tensordot(weights, after, 1) - fantasy.target_mean.max()
    gains = outcomes(plain, 5).gain()
    assert gains == pytest.approx(np.maximum(expected, 0), abs=1e-9)
    assert gains.max() > 0
