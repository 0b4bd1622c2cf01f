import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tunewise.surrogate.finite_gaussian import FiniteGaussian, blocks
from tunewise.surrogate.growing_gaussian import GrowingGaussian


def prior(seed: int, n: int = 6) -> FiniteGaussian:
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, n))
    return FiniteGaussian(rng.standard_normal(n), root @ root.T + 0.1 * np.eye(n))


@given(st.integers(0, 10_000), st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_one_by_one_it_learns_what_all_at_once_would_teach(seed: int, at: list[int]) -> None:
    start, values = prior(seed), np.random.default_rng(seed + 1).standard_normal(len(at))
    grown = GrowingGaussian(start)
    for place, value in zip(at, values, strict=True):
        grown.add(place, float(value), 0.05)
    whole = start.given(np.array(at), values, 0.05)
    np.testing.assert_allclose(grown.mean, whole.mean, atol=1e-8)
    np.testing.assert_allclose(grown.variance, whole.variance, atol=1e-8)
    np.testing.assert_allclose(grown.covariance(), whole.covariance, atol=1e-8)


@given(st.integers(0, 10_000), st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_variances_never_grow(seed: int, at: list[int]) -> None:
    grown = GrowingGaussian(prior(seed))
    for place in at:
        before = grown.variance.copy()
        grown.add(place, 0.3, 0.01)
        assert (grown.variance <= before + 1e-9).all()


def test_a_copy_goes_its_own_way() -> None:
    grown = GrowingGaussian(prior(1))
    grown.add(0, 1.0)
    twin, mean, variance = grown.copy(), grown.mean.copy(), grown.variance.copy()
    twin.add(1, 2.0)
    grown_again = grown.copy()
    grown_again.add(1, 2.0)
    np.testing.assert_array_equal(grown.mean, mean)
    np.testing.assert_array_equal(grown.variance, variance)
    np.testing.assert_array_equal(twin.mean, grown_again.mean)


def test_what_is_certain_stays_certain() -> None:
    grown = GrowingGaussian(FiniteGaussian(np.array([1.0, 0.0]), np.diag([0.0, 1.0])))
    grown.add(0, 5.0)
    assert grown.mean.tolist() == [1.0, 0.0]
    assert grown.count == 0


def test_surprise_is_the_squared_distance_in_standard_deviations() -> None:
    grown = GrowingGaussian(FiniteGaussian(np.zeros(2), np.diag([4.0, 1.0])))
    grown.add(0, 4.0)
    grown.add(1, 3.0)
    np.testing.assert_allclose(grown.surprise, 4.0 + 9.0)


def test_blocks_are_those_of_the_whole_covariance() -> None:
    grown = GrowingGaussian(prior(2))
    for place in (0, 4, 4):
        grown.add(place, 0.5, 0.1)
    for groups in (1, 2, 3, 6):
        np.testing.assert_allclose(grown.blocks(groups), blocks(grown.covariance(), groups))
    assert grown.blocks(2).shape == (3, 2, 2) and (len(grown), grown.count) == (6, 3)


def test_a_copy_keeps_the_surprise_and_the_count_until_it_learns_more() -> None:
    grown = GrowingGaussian(FiniteGaussian(np.zeros(2), np.diag([4.0, 1.0])))
    grown.add(0, 4.0)
    twin = grown.copy()
    twin.add(1, 3.0)
    assert (grown.surprise, grown.count, twin.surprise, twin.count) == (4.0, 1, 13.0, 2)
    np.testing.assert_allclose(twin.marginals.std, [0.0, 0.0])


def test_many_measurements_are_kept_though_room_was_made_for_few() -> None:
    start, grown = prior(3, 20), GrowingGaussian(prior(3, 20))
    at = np.arange(20)
    for place in at:
        grown.add(int(place), 1.0, 0.5)
    np.testing.assert_allclose(grown.mean, start.given(at, np.ones(20), 0.5).mean, atol=1e-8)
