"""One step ahead by hand: two configs, what each trial teaches about them, and who keeps limits."""

import math

import numpy as np
import pytest

from tests.belief.tiny import made_noisy, problem, ran, written
from tunewise.belief.future import (
    Future,
    LimitFuture,
    MetricFuture,
    combinations,
    futures,
)
from tunewise.history import History
from tunewise.surrogate import Fantasy, Normal
from tunewise.surrogate.normal import roots

FANTASY = Fantasy(
    mean=np.array([1.0, 2.0]),
    std=np.array([0.5, 1.0]),
    noise=np.zeros(2),
    gain=np.array([[1.0, 0.5], [0.0, 1.0]]),
    target_mean=np.array([1.0, 2.0]),
    target_var=np.array([0.25, 1.0]),
)


def places(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.intp)


def below(bound: float) -> float:
    """The probability that a standard normal number is below."""
    return 0.5 * math.erfc(-bound / math.sqrt(2))


def test_noise_belongs_to_the_config_until_it_is_measured() -> None:
    now = MetricFuture(FANTASY, noise=1.0).now()
    assert now.mean == pytest.approx([1.0, 2.0])
    assert now.std == pytest.approx([math.hypot(0.5, 1), math.hypot(1, 1)])
    known = MetricFuture(FANTASY, 1.0, known=np.array([np.nan, 7.0])).now()
    assert known.mean == pytest.approx([1.0, 7.0])
    assert known.std == pytest.approx([math.hypot(0.5, 1), 0.0])


def test_a_trial_that_comes_out_high_moves_the_targets_it_is_related_to() -> None:
    after = MetricFuture(FANTASY, noise=0.0).after(2.0)
    # Trial 0 comes out at 1 + 2 * 0.5, one above what was expected; trial 1 two above.
    assert after.mean == pytest.approx(np.array([[2.0, 2.5], [1.0, 4.0]]))
    assert after.std == pytest.approx(
        np.array([[0.0, math.sqrt(1 - 0.0625)], [0.5, 0.0]]), abs=1e-9
    )


def test_a_target_that_is_the_trial_itself_is_known_exactly_then() -> None:
    same = MetricFuture(FANTASY, 1.0, same=(places(1), places(1)))
    after = same.after(-1.0)
    assert (after[1, 1].mean, after[1, 1].std) == pytest.approx((1.0, 0.0))
    assert float(after[0, 1].std) > 1.0
    told = MetricFuture(FANTASY, 1.0, np.array([7.0, np.nan])).after(5.0)
    assert told[:, 0].mean == pytest.approx([7.0, 7.0])
    assert told[:, 0].std == pytest.approx([0.0, 0.0])


def test_a_limit_holds_with_the_probability_of_its_side() -> None:
    metric, bound = MetricFuture(FANTASY), np.array([1.5, 1.5])
    upper, lower = LimitFuture(metric, bound, below=True), LimitFuture(metric, bound, below=False)
    assert upper.now() == pytest.approx([below(1.0), below(-0.5)])
    assert lower.now() == pytest.approx([1 - below(1.0), 1 - below(-0.5)])
    assert upper.after(0.0)[1] == pytest.approx([below(1.0), 0.0])
    assert lower.after(0.0)[1] == pytest.approx([1 - below(1.0), 1.0])


def test_limits_are_independent() -> None:
    limit = LimitFuture(MetricFuture(FANTASY), np.array([1.5, 1.5]), below=True)
    future = Future(MetricFuture(FANTASY), [limit, limit], lambda latent: np.asarray(latent.mean))
    assert len(future) == 2
    assert future.feasible_after([0.5, -0.5]) == pytest.approx(limit.after(0.5) * limit.after(-0.5))
    assert future.value_after(2.0) == pytest.approx(np.array([[2.0, 2.5], [1.0, 4.0]]))
    free = Future(MetricFuture(FANTASY), [], lambda latent: np.asarray(latent.mean))
    assert free.feasible_after([]) == pytest.approx(np.ones((2, 2)))


def test_roots_have_the_moments_of_a_normal_number() -> None:
    for count in (1, 2, 3, 7):
        nodes, weights = roots(count)
        assert weights.sum() == pytest.approx(1.0)
        assert weights @ nodes == pytest.approx(0.0, abs=1e-12)
        if count > 1:
            assert weights @ nodes**2 == pytest.approx(1.0)


def test_combinations_are_all_pairs_of_roots() -> None:
    found = list(combinations(3, 2))
    assert len(found) == 9 and sum(weight for weight, _ in found) == pytest.approx(1.0)
    assert sum(w * a**2 * b**2 for w, (a, b) in found) == pytest.approx(1.0)
    assert list(combinations(3, 0)) == [(1.0, ())]


def test_the_future_of_a_posterior_has_its_bounds_its_worth_and_what_was_measured() -> None:
    wanted = problem(2, (0.1, 1.0), maximize="accuracy", subject_to=["cost <= 2"])
    told = History([ran(1, 1.0, accuracy=0.5, cost=1.0)])
    beliefs = {
        "accuracy": ([0.0, 1.0, 0.0, 2.0], [1.0, 1.0, 1.0, 1.0]),
        "cost": ([-1.0, 0.5, -1.0, 0.0], [1.0, 1.0, 1.0, 1.0]),
    }
    posterior = written(wanted, beliefs, told, exact=True)
    future = futures(posterior, places(0, 1), places(0, 1))
    # Config 0 is believed, config 1 was measured: logit(0.5) = 0 and log(1) = 0.
    assert future.objective.now().mean == pytest.approx([1.0, 0.0])
    assert future.objective.now().std == pytest.approx([1.0, 0.0])
    assert future.limits[0].bound == pytest.approx([math.log(2)] * 2)
    assert future.limits[0].now() == pytest.approx([below(math.log(2) - 0.5), 1.0])
    assert (future.limits[0].below, future.limits[0].spent, future.spent) == (True, True, False)
    # The second trial is config 0 on the full data: once it ran, nothing is left to doubt there.
    assert future.objective.after(1.0)[1].std == pytest.approx([0.0, 0.0])
    assert future.objective.after(1.0)[1, 0].mean == pytest.approx(2.0)
    assert future.utility(future.objective.now())[1] == pytest.approx(0.5)


def test_where_trials_may_fail_success_is_one_more_limit() -> None:
    wanted = problem(2, maximize="accuracy")
    beliefs = {"accuracy": ([0.0, 0.0], [1.0, 1.0]), "success": ([0.7, 0.3], [0.2, 0.2])}
    future = futures(written(wanted, beliefs), places(0, 1), places(0, 1))
    assert future.limits[-1].now() == pytest.approx([below(1.0), below(-1.0)])


def test_samples_of_a_future_are_joint_with_the_targets() -> None:
    wanted = problem(2, maximize="accuracy")
    posterior = written(wanted, {"accuracy": ([0.0, 3.0], [1.0, 2.0])}, together={"accuracy": 0.9})
    future = futures(posterior, places(0), places(0, 1))
    at_trials, at_targets = future.samples(np.random.default_rng(0))
    assert at_trials.shape == (64, 1) and at_targets.shape == (64, 2)
    assert at_trials[:, 0] == pytest.approx(at_targets[:, 0], abs=1e-6)
    assert np.asarray(np.corrcoef(at_targets.T))[0, 1] > 0.75
    assert at_targets.mean(0) == pytest.approx([0.0, 3.0], abs=0.6)


def test_worth_is_that_of_the_belief_and_its_offset() -> None:
    wanted = problem(2, maximize="accuracy")
    posterior = written(wanted, {"accuracy": ([0.0, 1.0], [0.0, 0.0])})
    future = futures(posterior, places(0, 1), places(0, 1))
    belief = Normal(np.array([0.0, 1.0]), np.zeros(2))
    assert future.utility(belief) == pytest.approx(posterior.worth_of(belief))


def test_after_a_trial_on_the_full_data_its_config_is_known_and_others_may_still_deviate() -> None:
    wanted = problem(2, (0.5, 1.0), maximize="score")
    posterior = written(wanted, {"score": ([0.0, 1.0, 0.0, 2.0], [0.4, 0.5, 0.4, 0.5])}, exact=True)
    made_noisy(posterior, "score")
    # Trials: config 0 on the slice and on the full data, config 1 on the full data.
    after = futures(posterior, places(0, 1, 3), places(0, 1)).objective.after(2.0)
    assert np.asarray(after.std) == pytest.approx(
        np.array(
            [[math.hypot(0.5, 0.3)] * 2, [0.0, math.hypot(0.5, 0.3)], [math.hypot(0.5, 0.3), 0.0]]
        )
    )
    assert np.asarray(after.mean)[[1, 2], [0, 1]] == pytest.approx([2.0, 3.0])
