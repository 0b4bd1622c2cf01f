import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.acquisition import entropy
from tunewise.acquisition.entropy import (
    constrained_expected_accuracy,
    expected_information,
    incumbent,
    incumbent_feasibility,
    information,
    optimum_after,
    optimum_now,
)
from tunewise.belief.future import Future, LimitFuture, MetricFuture, combinations
from tunewise.surrogate import Array, Fantasy, Normal
from tunewise.surrogate.gaussian_process import GaussianProcess
from tunewise.surrogate.normal import roots

TARGETS = np.linspace(0, 1, 12)[:, None]


def fitted(seed: int = 0, shift: float = 0.0) -> GaussianProcess:
    rng = np.random.default_rng(seed)
    x, s = rng.random((9, 1)), rng.choice([0.1, 0.5, 1.0], 9)
    y = np.sin(5 * x[:, 0] + shift) + s + 0.05 * rng.standard_normal(9)
    return GaussianProcess("accuracy").fit(x, s, y)


def candidates() -> tuple[Array, Array]:
    x = np.repeat(np.linspace(0, 1, 6), 3)[:, None]
    return x, np.tile([0.1, 0.5, 1.0], 6)


def future(gp: GaussianProcess, limited: GaussianProcess, bound: float) -> Future:
    fantasies = [g.fantasize(candidates(), (TARGETS, 1.0)) for g in (gp, limited)]
    limit = LimitFuture(MetricFuture(fantasies[1]), np.full(len(TARGETS), bound), below=True)
    return Future(MetricFuture(fantasies[0]), [limit], lambda n: np.asarray(n.mean, float))


def joint(gp: GaussianProcess, fantasy: Fantasy, n: int) -> tuple[Array, Array]:
    x, s = candidates()
    every = np.concatenate([x, TARGETS]), np.concatenate([s, np.ones(len(TARGETS))])
    draws = gp.sample(*every, n, np.random.default_rng(1))
    return draws[:, : len(x)], draws[:, len(x) :]


@given(st.integers(0, 50), st.floats(-2, 2))
def test_p_opt_sums_to_one_now_and_after_every_candidate(seed: int, node: float) -> None:
    gp = fitted(seed % 5)
    fantasy = gp.fantasize(candidates(), (TARGETS, 1.0))
    at_candidates, at_targets = joint(gp, fantasy, 64)
    assert optimum_now(at_targets).sum() == pytest.approx(1)
    after = optimum_after(fantasy, node, at_candidates, at_targets)
    assert after.shape == (18, 12)
    assert after.sum(1) == pytest.approx(np.ones(18))
    assert (after >= 0).all()


def test_p_opt_after_an_observation_is_that_of_the_conditioned_process() -> None:
    gp = fitted()
    fantasy = gp.fantasize(candidates(), (TARGETS, 1.0))
    at_candidates, at_targets = joint(gp, fantasy, 4000)
    noise = np.random.default_rng(2).standard_normal(at_candidates.shape) * fantasy.noise
    after = optimum_after(fantasy, 1.0, at_candidates + noise, at_targets)
    x, s = candidates()
    for c in (0, 8, 17):
        told = fantasy.mean[c] + fantasy.std[c]
        conditioned = gp.condition(x[c : c + 1], s[c : c + 1], [told])
        draws = conditioned.sample(TARGETS, 1.0, 4000, np.random.default_rng(3))
        assert after[c] == pytest.approx(optimum_now(draws), abs=0.05)


def test_samples_are_moved_a_block_of_candidates_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    count, samples, targets = 200, 100, 50
    fantasy = Fantasy(
        *(np.zeros(count), np.ones(count), np.zeros(count)),
        *(rng.random((count, targets)), np.zeros(targets), np.ones(targets)),
    )
    drawn = rng.standard_normal((samples, count)), rng.standard_normal((samples, targets))
    at_once = optimum_after(fantasy, 1.0, *drawn)
    monkeypatch.setattr(entropy, "ELEMENTS", 2 * samples * targets)
    tracemalloc.start()
    in_blocks = optimum_after(fantasy, 1.0, *drawn)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert in_blocks == pytest.approx(at_once)
    whole = count * samples * targets * np.dtype(np.float32).itemsize
    assert most < whole / 4


def test_to_minimise_is_to_maximise_the_negative() -> None:
    gp = fitted()
    fantasy = gp.fantasize(candidates(), (TARGETS, 1.0))
    at_candidates, at_targets = joint(gp, fantasy, 200)
    low = optimum_after(fantasy, 0.5, at_candidates, at_targets, sign=-1.0)
    seen = fantasy.mean + 0.5 * fantasy.std
    moved = at_targets[:, None, :] + (seen - at_candidates)[..., None] * fantasy.gain
    for c in range(18):
        expected = np.bincount(moved[:, c].argmin(1), minlength=12) / 200
        assert low[c] == pytest.approx(expected, abs=0.011)


def test_information_is_zero_for_ignorance_and_largest_for_certainty() -> None:
    certain = np.eye(8)[3]
    assert information(np.full(8, 1 / 8)) == pytest.approx(0)
    assert information(certain) == pytest.approx(np.log(8))
    between = information(np.array([0.5, 0.5, 0, 0, 0, 0, 0, 0]))
    assert 0 < between < np.log(8)


def test_more_roots_approach_the_expectation_over_outcomes() -> None:
    gp = fitted()
    fantasy = gp.fantasize(candidates(), (TARGETS, 1.0))
    at_candidates, at_targets = joint(gp, fantasy, 300)
    outcomes = np.random.default_rng(4).standard_normal(200)
    brute = np.mean(
        [information(optimum_after(fantasy, z, at_candidates, at_targets)) for z in outcomes],
        axis=0,
    )
    assert expected_information(fantasy, at_candidates, at_targets, 7) == pytest.approx(
        brute, abs=0.08
    )


@pytest.mark.parametrize("count", [1, 3])
def test_the_incumbent_after_each_candidate_is_found_without_a_refit(count: int) -> None:
    """Equation 5's first line and 4.5, against models conditioned one by one."""
    gp, limited = fitted(0), fitted(1, shift=1.0)
    seen = future(gp, limited, 0.8)
    safe = incumbent_feasibility(seen, 0.9, count)
    worth = constrained_expected_accuracy(seen, 0.9, count)
    x, s = candidates()
    nodes, weights = roots(count)
    for c in (2, 9, 16):
        expected_safe = expected_worth = 0.0
        for i in range(count):
            told = (
                seen.limits[0].metric.fantasy.mean[c]
                + nodes[i] * seen.limits[0].metric.fantasy.std[c]
            )
            limits = limited.condition(x[c : c + 1], s[c : c + 1], [told]).predict(TARGETS, 1.0)
            feasible = limits.probability_below(0.8)
            for j in range(count):
                told = seen.objective.fantasy.mean[c] + nodes[j] * seen.objective.fantasy.std[c]
                means = gp.condition(x[c : c + 1], s[c : c + 1], [told]).predict(TARGETS, 1.0).mean
                best = int(incumbent(np.asarray(means, float), feasible, 0.9))
                expected_safe += weights[i] * weights[j] * feasible[best]
                expected_worth += weights[i] * weights[j] * feasible[best] * np.asarray(means)[best]
        assert safe[c] == pytest.approx(expected_safe, abs=1e-6)
        assert worth[c] == pytest.approx(expected_worth, abs=1e-6)


def test_the_incumbent_is_the_best_safe_target_or_the_safest() -> None:
    value = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    feasible = np.array([[0.95, 0.95, 0.5], [0.1, 0.3, 0.2]])
    assert incumbent(value, feasible, 0.9).tolist() == [1, 1]


@given(st.integers(1, 4), st.integers(0, 3))
def test_outcomes_of_several_limits_have_weights_that_sum_to_one(count: int, limits: int) -> None:
    listed = list(combinations(count, limits))
    assert len(listed) == count**limits
    assert sum(w for w, _ in listed) == pytest.approx(1)
    assert all(len(nodes) == limits for _, nodes in listed)


def test_a_limit_may_be_from_below_or_above() -> None:
    fantasy = fitted().fantasize(candidates(), (TARGETS, 1.0))
    bound = np.full(12, 0.7)
    below, above = (
        LimitFuture(MetricFuture(fantasy), bound, True),
        LimitFuture(MetricFuture(fantasy), bound, False),
    )
    assert below.now() + above.now() == pytest.approx(np.ones(12))
    assert below.after(0.3) + above.after(0.3) == pytest.approx(np.ones((18, 12)))
    certain = LimitFuture(MetricFuture(fantasy), bound, True).probability(
        Normal(np.zeros(12), np.zeros(12))
    )
    assert certain == pytest.approx(np.ones(12))


def test_what_was_measured_is_known_exactly_and_all_else_may_deviate() -> None:
    fantasy = fitted().fantasize((TARGETS, 1.0), (TARGETS, 1.0))
    known = np.full(12, np.nan)
    known[4] = 1.5
    each = np.arange(12)
    aim = MetricFuture(fantasy, noise=0.2, known=known, same=(each, each))
    now, after = aim.now(), aim.after(1.0)
    seen = fantasy.mean + fantasy.std
    others = each != 4
    assert np.asarray(now.mean)[4] == pytest.approx(1.5)
    assert np.asarray(now.std)[4] == pytest.approx(0.0, abs=1e-12)
    assert (np.asarray(now.std)[others] >= 0.2).all()
    assert np.diagonal(np.asarray(after.mean))[others] == pytest.approx(seen[others])
    assert np.diagonal(np.asarray(after.std)) == pytest.approx(np.zeros(12))
    assert np.asarray(after.mean)[:, 4] == pytest.approx(np.full(12, 1.5))
    assert np.asarray(after.std)[0, 1] == pytest.approx(np.hypot(fantasy.std_after()[0, 1], 0.2))
