"""Slices: what they are worth, and what is learned of them from curves."""

import numpy as np
import pytest

from tunewise.surrogate import Array, Normal
from tunewise.tenancy import Log, Scheduler
from tunewise.tenancy.foresight import Curves, rates
from tunewise.tenancy.latent import PLAIN, Default
from tunewise.tenancy.priors.prior import AccuracyPrior
from tunewise.tenancy.priors.slices import with_slices


def rate(correlation: float, cost: Array, best: float = 0.5) -> Array:
    """Of one model with one slice, whose own model is far below the best."""
    covariance = 0.01 * np.array([[[1.0, correlation], [correlation, 1.0]]])
    curves = Curves(np.array([[0.0], [0.5]]), covariance, np.zeros((2, 1)))
    own = np.array([[0.0], [0.1 / np.sqrt(2 * np.pi)]])
    return rates(curves, PLAIN, best, cost, own, np.ones((2, 1), bool))


def test_a_look_that_tells_all_is_worth_the_choice_it_leaves() -> None:
    cheap = np.array([[0.001], [1.0]])
    part, full = rate(0.999, cheap)[:, 0]
    # The full training is then paid for only where it gains much: r = 0.24 solves
    # E max(0.1 z - r, 0) = 0.001 r, six times the 0.04 of training blindly.
    assert 3 * full < part < 9 * full


def test_a_look_that_tells_nothing_is_not_worth_more_than_the_full_data() -> None:
    part, full = rate(0.0, np.array([[0.1], [1.0]]))[:, 0]
    assert part < full


def test_a_look_that_costs_as_much_as_the_full_data_is_not_worth_it() -> None:
    part, full = rate(0.999, np.array([[1.0], [1.0]]))[:, 0]
    assert part < full


def test_the_rate_solves_its_equation_by_draws() -> None:
    cost = np.array([[0.1], [1.0]])
    found = float(rate(0.9, cost)[0, 0])
    rng = np.random.default_rng(0)
    seen = rng.standard_normal(100_000)
    mean, left = 0.5 + 0.09 * seen, 0.1 * np.sqrt(1 - 0.81)
    onward = PLAIN.gain(Normal(mean, np.full(len(mean), left)), 0.5)
    worth = np.maximum(onward - found, 0).mean()
    assert worth == pytest.approx(0.1 * found, rel=0.1)


def test_closed_looks_keep_what_they_gain_by_themselves() -> None:
    covariance = 0.01 * np.array([[[1.0, 0.9], [0.9, 1.0]]])
    curves = Curves(np.array([[0.3], [0.5]]), covariance, np.zeros((2, 1)))
    own, cost = np.array([[0.01], [0.04]]), np.array([[0.1], [1.0]])
    closed = rates(curves, PLAIN, 0.5, cost, own, np.array([[False], [True]]))
    np.testing.assert_allclose(closed, own / cost)


def curved(users: int, wild: float) -> tuple[Array, Array]:
    """Logits at the full data and at one fraction; the last model's curves are wild."""
    rng = np.random.default_rng(0)
    full = rng.normal(1, 0.5, (users, 4))
    drop = rng.normal(-0.5, [0.1, 0.1, 0.1, wild], (users, 4))
    return full, (full + drop)[:, None]


def test_a_model_with_wild_curves_spoils_no_other() -> None:
    def doubt(wild: float) -> Array:
        full, slices = curved(60, wild)
        prior = with_slices(
            AccuracyPrior.learn(full, None, Default(1.0, 0.2, 0.2)), slices, full, np.array([0.1])
        )
        after = prior.belief.given(np.arange(4), slices[0, 0], prior.noise[:4])
        return np.sqrt(after.variance[4:])

    calm, wild = doubt(0.1), doubt(3.0)
    assert wild[3] > 1.3 * calm[3]
    np.testing.assert_allclose(wild[:3], calm[:3], rtol=0.5)


def test_what_cannot_be_told_apart_early_is_learned_from_the_log() -> None:
    rng = np.random.default_rng(1)
    full = rng.normal(0, 1, (80, 5))
    slices = 0.3 * full[:, None] - 1 + rng.normal(0, 0.05, (80, 1, 5))
    prior = with_slices(
        AccuracyPrior.learn(full, None, Default(0.0, 1.0, 1.0)), slices, full, np.array([0.1])
    )
    after = prior.belief.given(np.arange(5), np.array([-1.0, -1, -1, -1, -0.7]), prior.noise[:5])
    # A lead of 0.3 on a tenth of the data has meant one of 1 on all of it.
    assert after.mean[-1] - after.mean[5:-1].mean() == pytest.approx(1.0, abs=0.3)


def test_a_part_of_large_data_is_expected_to_lose_less() -> None:
    rng = np.random.default_rng(2)
    size = rng.normal(0, 1, (40, 1))
    full = rng.normal(1, 0.3, (40, 3))
    slices = (full - 1 + 0.5 * size)[:, None] + rng.normal(0, 0.05, (40, 1, 3))
    plain = AccuracyPrior.learn(full, size, Default(1.0, 0.2, 0.2))
    prior = with_slices(plain, slices, full, np.array([0.1]), size)

    def lost(of: float) -> float:
        mean = prior.of_user(np.array([of])).mean
        return float((mean[3:] - mean[:3]).mean())

    # Half a unit a standard deviation was put in; with forty users a fifth of it is doubted.
    assert lost(-1.0) - lost(1.0) == pytest.approx(0.8, abs=0.15)
    assert np.sqrt(prior.belief.variance[:3]).max() < 0.5


def test_a_cheap_look_saves_a_training_that_is_not_worth_it() -> None:
    rng = np.random.default_rng(0)
    accuracy = rng.uniform(0.55, 0.95, (40, 3))
    slices = (accuracy - 0.05)[:, None]
    known = Log(accuracy, np.ones((40, 3)), slices=slices, fractions=(0.05,))
    scheduler = Scheduler(["a", "b", "c"], log=known, fractions=(0.05,))
    scheduler.join("anna", {"a": 1.0, "b": 100.0, "c": 100.0})
    outcome = {"a": 0.6, "b": 0.9, "c": 0.7}
    picks = []
    while scheduler.best("anna") != 0.9 and (pick := scheduler.next()) is not None:
        picks.append((pick.model, pick.fraction))
        value = outcome[pick.model] - (0.05 if pick.fraction < 1 else 0.0)
        scheduler.tell(pick, value, pick.seconds)
    assert ("b", 0.05) in picks and ("c", 0.05) in picks
    assert ("c", 1.0) not in picks


def test_each_step_after_a_look_counts_with_its_own_cost() -> None:
    deviation, correlation = 0.1, np.array([[1.0, 0.8, 0.7], [0.8, 1.0, 0.9], [0.7, 0.9, 1.0]])
    mean = np.array([[0.2], [0.55], [0.6]])
    curves = Curves(mean, deviation**2 * correlation[None], np.zeros((3, 1)))
    own = np.array(
        [PLAIN.gain(Normal(row, np.array([deviation])), 0.5).tolist() for row in mean], float
    )
    seen = np.random.default_rng(0).standard_normal(40_000)

    def worth(cost: Array) -> tuple[float, float]:
        """The rate of the first slice, and what its equation says of that rate, by draws."""
        found = float(rates(curves, PLAIN, 0.5, cost, own, np.ones((3, 1), bool))[0, 0])
        gain = np.maximum(0.2 + deviation * seen - 0.5, 0.0)
        net = []
        for place, rho in ((1, 0.8), (2, 0.7)):
            after = Normal(
                mean[place, 0] + deviation * rho * seen,
                np.full(len(seen), deviation * np.sqrt(1 - rho**2)),
            )
            best = np.maximum(0.2 + deviation * seen, 0.5)
            net.append(PLAIN.gain(after, best) - found * cost[place, 0])
        onward = np.maximum(np.max(net, axis=0), 0.0)
        return found, float((gain + onward).mean() / cost[0, 0])

    for cost in (np.array([[0.1], [0.2], [5.0]]), np.array([[0.1], [5.0], [1.0]])):
        found, by_draws = worth(cost)
        assert found == pytest.approx(by_draws, rel=0.15)


def learned(
    slices: Array | None, full: Array, fractions: tuple[float, ...] = (0.1,)
) -> AccuracyPrior:
    plain = AccuracyPrior.learn(full, None, Default(0.0, 1.0, 1.0))
    return with_slices(plain, slices, full, np.array(fractions))


def test_gaps_in_the_curves_of_a_log_change_little() -> None:
    rng = np.random.default_rng(3)
    full = rng.normal(0, 1, (80, 4))
    slices = 0.5 * full[:, None] - 1 + rng.normal(0, 0.1, (80, 1, 4))
    holed = np.where(rng.random(slices.shape) < 0.3, np.nan, slices)
    whole, gaps = learned(slices, full).belief, learned(holed, full).belief
    np.testing.assert_allclose(gaps.mean, whole.mean, atol=0.1)
    np.testing.assert_allclose(gaps.covariance, whole.covariance, atol=0.1)


def test_without_curves_a_smaller_part_of_the_data_says_less() -> None:
    full = np.random.default_rng(3).normal(0, 1, (20, 3))
    belief = learned(None, full, (0.125, 0.25, 0.5)).belief
    after = belief.given(np.arange(9, 12), np.zeros(3), np.full(3, 1e-9)).variance[:9:3]
    # A tenth of a halving's doubt is each model's own, and another is shared by all.
    np.testing.assert_allclose(after, [0.6, 0.4, 0.2], rtol=1e-3)


@pytest.mark.parametrize("users", [2, 200])
def test_how_much_of_a_lead_shows_early_is_believed_the_more_users_showed_it(users: int) -> None:
    full = np.random.default_rng(4).normal(0, 1, (users, 3))
    belief = learned(0.3 * full[:, None] - 1, full).belief
    share = belief.covariance[0, 4] / belief.covariance[3, 4]
    if users == 2:
        assert 0.35 < share < 1.0
    else:
        assert share == pytest.approx(0.3, abs=0.05)


def test_the_curves_of_a_surprising_user_are_those_of_the_joint_belief() -> None:
    full, slices = curved(30, 0.1)
    known = Log(1 / (1 + np.exp(-full)), slices=1 / (1 + np.exp(-slices)), fractions=(0.1,))
    scheduler = Scheduler(list("abcd"), log=known, fractions=(0.1,))
    scheduler.join("anna")
    tenant = scheduler._tenant("anna")
    for accuracy in (None, 0.02):
        if accuracy is not None:
            pick = scheduler.next()
            assert pick is not None
            scheduler.tell(pick, accuracy)
            assert tenant._scale > 1.2
        curves, joint = tenant.curves(), tenant.joint()
        np.testing.assert_allclose(curves.mean.ravel(), joint.mean)
        np.testing.assert_allclose(tenant.believed().std, np.sqrt(joint.variance), rtol=1e-6)
        for model in range(4):
            block = joint.covariance[np.ix_([model, 4 + model], [model, 4 + model])]
            np.testing.assert_allclose(curves.covariance[model], block, rtol=1e-6)


def test_a_model_without_curves_is_believed_to_lose_what_the_others_do() -> None:
    rng = np.random.default_rng(6)
    full = rng.normal(0, 1, (60, 4))
    slices = full[:, None] - 1 + rng.normal(0, 0.05, (60, 1, 4))
    slices[:, :, 3] = np.nan
    mean = learned(slices, full).belief.mean
    np.testing.assert_allclose(mean[:4] - mean[4:], -1.0, atol=0.05)
