import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.errors import TunewiseError
from tunewise.surrogate import Normal

numbers = st.floats(-1e3, 1e3)
spreads = st.floats(1e-3, 1e3)


@settings(deadline=None)
@given(numbers, spreads, st.floats(0.001, 0.999))
def test_quantile_undoes_the_distribution(mean: float, std: float, p: float) -> None:
    belief = Normal(mean, std)
    assert float(belief.cdf(belief.quantile(p))) == pytest.approx(p, abs=1e-9)


@settings(deadline=None)
@given(numbers, spreads, numbers)
def test_below_and_above_add_to_one(mean: float, std: float, limit: float) -> None:
    belief = Normal(mean, std)
    total = belief.probability_below(limit) + belief.probability_above(limit)
    assert float(total) == pytest.approx(1.0)


def test_a_certain_value_keeps_the_limit_it_equals() -> None:
    certain = Normal(np.array([1.0, 1.0, 1.0]), np.zeros(3))
    assert certain.probability_below([0.9, 1.0, 1.1]) == pytest.approx([0.0, 1.0, 1.0])
    assert certain.probability_above([0.9, 1.0, 1.1]) == pytest.approx([1.0, 1.0, 0.0])


def test_two_sigma_holds_95_percent() -> None:
    belief = Normal(np.array([0.0, 10.0]), np.array([1.0, 2.0]))
    low, high = belief.quantile(0.025), belief.quantile(0.975)
    assert np.allclose(high - low, 3.919928 * np.array([1.0, 2.0]))


@pytest.mark.parametrize("std", [-1.0, float("nan"), np.array([1.0, -0.1])])
def test_a_negative_or_missing_spread_is_refused(std: float) -> None:
    with pytest.raises(TunewiseError, match="standard deviation must be 0 or more"):
        Normal(0.0, std)


def test_equality_and_indexing_go_element_by_element() -> None:
    many = Normal(np.array([1.0, 2.0, 3.0]), 0.5)
    assert many[1] == Normal(2.0, 0.5)
    assert many[many.mean > 1.5] == Normal(np.array([2.0, 3.0]), np.array([0.5, 0.5]))
    assert many != Normal(np.array([1.0, 2.0, 4.0]), 0.5)
    assert many != "a normal"


@pytest.mark.parametrize("z", [-6.0, -1.0, 0.0, 0.5, 2.0, 5.0])
def test_what_is_known_to_be_above_has_the_moments_of_a_cut_normal(z: float) -> None:
    from scipy.stats import truncnorm

    cut = truncnorm(z, np.inf, loc=3.0, scale=2.0)
    normal = Normal(3.0, 2.0)
    assert float(normal.mean_above(3.0 + 2.0 * z)) == pytest.approx(cut.mean(), rel=1e-6)
    above = normal.above(3.0 + 2.0 * z)
    assert float(above.mean) == pytest.approx(cut.mean(), rel=1e-6)
    assert float(above.std) == pytest.approx(cut.std(), rel=1e-3)


@pytest.mark.parametrize("z", [50.0, 1e3, 1e5, 1e8])
def test_far_above_the_mean_the_tail_is_exponential(z: float) -> None:
    above = Normal(0.0, 1.0).above(z)
    assert z <= float(above.mean) <= z + 1.1 / z
    assert 0 < float(above.std) <= 1.1 / z


def test_a_certainty_that_was_passed_is_at_least_what_passed_it() -> None:
    normal = Normal(np.array([1.0, 5.0]), np.array([0.0, 0.0]))
    assert normal.mean_above(np.array([3.0, 3.0])) == pytest.approx([3.0, 5.0])
    assert np.asarray(normal.above(np.array([3.0, 3.0])).std) == pytest.approx([0.0, 0.0], abs=1e-6)


def test_probabilities_are_those_of_the_textbook() -> None:
    normal = Normal(np.array([0.0, 1.0]), np.array([1.0, 2.0]))
    assert normal.probability_below(np.array([1.0, 1.0])) == pytest.approx([0.8413, 0.5], abs=1e-4)
    assert normal.probability_above(np.array([1.0, 3.0])) == pytest.approx(
        [0.1587, 0.1587], abs=1e-4
    )
    assert normal.quantile(0.975) == pytest.approx([1.96, 1.0 + 2 * 1.96], abs=1e-3)


def test_a_belief_is_written_short_and_many_as_arrays() -> None:
    assert repr(Normal(0.123456, 0.00123)) == "Normal(0.1235 ± 0.0012)"
    assert repr(Normal(np.zeros(1), np.ones(1))).startswith("Normal(mean=array(")
