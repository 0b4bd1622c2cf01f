"""The rewards after each outcome of a trial, and what stopping it early leaves of them."""

import numpy as np
import pytest

from tunewise.acquisition.outcomes import Outcomes, ends, fineness, middles, outcomes
from tunewise.belief.future import Future, LimitFuture, MetricFuture
from tunewise.surrogate import Fantasy, Normal
from tunewise.surrogate.normal import roots


def metric(gain: float, mean: tuple[float, float] = (0.0, 0.0), std: float = 1.0) -> MetricFuture:
    """One trial, which teaches about the first of two targets."""
    return MetricFuture(
        Fantasy(
            mean=np.array([mean[0]]),
            std=np.array([std]),
            noise=np.zeros(1),
            gain=np.array([[gain, 0.0]]),
            target_mean=np.array(mean),
            target_var=np.full(2, std**2),
        )
    )


def itself(latent: Normal) -> np.ndarray:
    return np.asarray(latent.mean)


def test_shares_have_their_middles_and_ends() -> None:
    nodes, weights = middles(4)
    assert weights == pytest.approx([0.25] * 4)
    assert nodes == pytest.approx([-1.1503, -0.3186, 0.3186, 1.1503], abs=1e-4)
    assert ends(4) == pytest.approx([-0.6745, 0.0, 0.6745, np.inf], abs=1e-4)
    assert middles(1)[0] == pytest.approx([0.0])


def test_the_best_reward_is_expected_over_outcomes_and_not_of_the_expected_outcome() -> None:
    future = Future(metric(1.0), [], itself)
    found = outcomes(future, 3)
    nodes, weights = roots(3)
    # The first target becomes what the trial measures; the second stays at 0.
    assert found.best.sum() == pytest.approx(weights @ np.maximum(nodes, 0.0))
    assert found.each.sum(0) == pytest.approx(np.zeros((1, 2)), abs=1e-12)
    assert found.gains()[:, -1] == pytest.approx([weights @ np.maximum(nodes, 0.0)])


def test_what_is_spent_and_what_is_learned_besides_are_independent() -> None:
    spent = LimitFuture(metric(1.0), np.zeros(2), below=True)
    learned = LimitFuture(metric(1.0), np.zeros(2), below=True, spent=False)
    future = Future(metric(0.0, mean=(1.0, 1.0)), [spent, learned], itself)
    found = outcomes(future, 2)
    # Of two outcomes each, target 0 keeps a limit in one: a quarter of its reward of 1 is left.
    assert found.each.sum(0)[0, 0] == pytest.approx(0.25)
    assert found.each.shape == (2, 1, 2)
    # The low spending comes first, and has all of it.
    assert found.each[:, 0, 0] == pytest.approx([0.25, 0.0])


def test_an_objective_that_is_spent_moves_with_the_spending() -> None:
    future = Future(metric(1.0), [], itself, spent=True)
    found = outcomes(future, 3, (np.array([-1.0, 2.0]), np.array([0.5, 0.5])))
    assert found.each[:, 0, 0] == pytest.approx([-0.5, 1.0])
    assert found.best[:, 0] == pytest.approx([0.0, 1.0])


def test_spendings_that_are_given_count_by_their_weights() -> None:
    future = Future(metric(1.0), [], itself)
    found = outcomes(future, 3, (np.zeros(2), np.array([0.9, 0.1])))
    assert found.best[0] == pytest.approx(9 * found.best[1])


def test_a_trial_that_is_stopped_leaves_the_best_of_what_is_still_possible() -> None:
    # Two spendings, one trial, two targets: only the first spending makes target 1 the best.
    best = np.array([[0.5], [0.4]])
    each = np.array([[[0.1, 0.5]], [[0.4, 0.0]]])
    gains = Outcomes(best, each).gains()
    # Now: target 0 or 1 with 0.5 each. Run to its end: 0.9 in all. Stopped after the first: 0.5
    # if it ended by then, and else the better target of the second, 0.4.
    assert gains == pytest.approx(np.array([[0.4, 0.4]]))
    late = Outcomes(best[::-1], each[::-1]).gains()
    assert late == pytest.approx(np.array([[0.4, 0.4]]))


def test_stopping_before_anything_is_told_apart_gains_nothing() -> None:
    each = np.array([[[0.2, 0.1]], [[0.1, 0.3]], [[0.3, 0.1]]])
    best = each.max(2)
    gains = Outcomes(best, each).gains()[0]
    # Of all: target 0 has 0.6. After the first: 0.2 and the better of (0.4, 0.4).
    assert gains == pytest.approx([0.0, 0.2, 0.2])


def test_no_gain_is_below_nothing() -> None:
    each = np.array([[[0.5, 0.1]], [[0.5, 0.1]]])
    assert Outcomes(each.max(2) - 1e-9, each).gains().min() >= 0.0


@pytest.mark.parametrize(("targets", "fine"), [(1, 7), (102, 7), (103, 3)])
def test_many_pairs_are_told_apart_coarsely(targets: int, fine: int) -> None:
    # 7 * 7 outcomes of 200 trials and so many targets: a million at most.
    gain, each = np.zeros((200, targets)), np.ones(targets)
    many = MetricFuture(Fantasy(np.zeros(200), np.ones(200), np.zeros(200), gain, 0 * each, each))
    assert fineness(Future(many, [], itself)) == fine


def test_only_what_is_worth_more_than_an_answer_that_breaks_the_limits_counts() -> None:
    limit = LimitFuture(metric(1.0), np.zeros(2), below=True)
    fair = Future(metric(0.0, mean=(0.8, 0.7)), [limit], itself)
    above = Future(metric(0.0, mean=(0.8, 0.7)), [limit], itself, floor=0.6)
    assert outcomes(fair, 3).each.sum(0)[0, 0] / outcomes(above, 3).each.sum(0)[0, 0] == (
        pytest.approx(0.8 / 0.2)
    )
    below = Future(metric(0.0, mean=(0.8, 0.5)), [limit], itself, floor=0.6)
    reward = outcomes(below, 3).each.sum(0)[0]
    assert 0 < reward[1] < 1e-5 * reward[0]


def test_where_only_sure_answers_are_recommended_making_sure_of_one_is_worth_something() -> None:
    limit = LimitFuture(metric(1.0), np.zeros(2), below=True, spent=False)
    alone = Future(metric(0.0, mean=(1.0, 0.0)), [limit], itself, spent=True)
    once = (np.zeros(1), np.ones(1))
    # The trial says whether target 0, which is worth 1, keeps the limit: it does in one of two
    # outcomes. There is no other answer, so what is likely enough as it is gains nothing.
    assert outcomes(alone, 2, once).gains()[0, -1] == pytest.approx(0.0)
    # Half of a probability counts as such, half for what is above 0.9: 0.5 counts 0.25, and 1 all.
    sure = outcomes(alone, 2, once, least=0.9)
    assert sure.each[0, 0, 0] == pytest.approx(0.25)
    assert sure.best[0, 0] == pytest.approx(0.5 * 1.0)
    assert sure.gains()[0, -1] == pytest.approx(0.25)
    # Another one that is as good and as likely is left where the first breaks the limit.
    both = Future(metric(0.0, mean=(1.0, 1.0)), [limit], itself, spent=True)
    assert outcomes(both, 2, once).gains()[0, -1] == pytest.approx(0.5 + 0.25 - 0.5)
    assert outcomes(both, 2, once, 0.9).gains()[0, -1] == pytest.approx(0.5 + 0.125 - 0.25)
