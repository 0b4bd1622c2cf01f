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
