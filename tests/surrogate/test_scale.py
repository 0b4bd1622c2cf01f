import math

import numpy as np
import pytest

from tunewise.surrogate import Normal
from tunewise.surrogate.scale import SCALES

VALUES = {
    "share": np.array([0.01, 0.3, 0.5, 0.99]),
    "logarithm": np.array([0.01, 0.3, 0.5, 0.99]),
    "positive": np.array([1e-3, 1.0, 40.0]),
    "real": np.array([-7.0, 0.0, 3.5]),
}


@pytest.mark.parametrize("kind", SCALES)
def test_the_way_back_undoes_the_way_there(kind: str) -> None:
    scale, values = SCALES[kind], VALUES[kind]
    assert scale.backward(scale.forward(values)) == pytest.approx(values)


@pytest.mark.parametrize("kind", SCALES)
def test_a_small_deviation_is_carried_over_by_the_slope(kind: str) -> None:
    scale, values, step = SCALES[kind], VALUES[kind], 1e-6
    moved = scale.forward(values + step) - scale.forward(values - step)
    assert scale.deviation(values, 2 * step) == pytest.approx(moved, rel=1e-4)


def test_shares_are_modelled_by_their_logit_and_positive_metrics_by_their_logarithm() -> None:
    assert SCALES["share"].forward(np.array([0.5, 0.9])) == pytest.approx([0.0, math.log(9)])
    assert SCALES["positive"].forward(np.array([1.0, math.e])) == pytest.approx([0.0, 1.0])


def test_shares_of_0_and_1_and_a_cost_of_0_stay_finite() -> None:
    at_ends = SCALES["share"].forward(np.array([0.0, 1.0]))
    assert at_ends == pytest.approx([-9.21, 9.21], abs=0.01)
    assert np.isfinite(SCALES["share"].deviation([0.0, 1.0], [0.1, 0.1])).all()
    assert SCALES["positive"].forward(np.array([0.0])) == pytest.approx([math.log(1e-12)])
    assert SCALES["positive"].deviation([0.0], [1e-12]) == pytest.approx([1.0])


def test_positive_metrics_keep_their_order_far_below_and_above_what_is_usual() -> None:
    values, scale = np.array([1e-40, 1e-15, 1e-13, 1e60]), SCALES["positive"]
    assert scale.forward(values) == pytest.approx(np.log(values))
    assert scale.backward(np.log(values)) == pytest.approx(values)
    assert scale.deviation([1e-15], [1e-16]) == pytest.approx([0.1])
    assert np.isnan(scale.forward(np.array([np.nan]))).all()


def test_values_beyond_all_measure_come_back_as_numbers() -> None:
    for kind in ("share", "positive"):
        back = SCALES[kind].backward(np.array([-1e4, 1e4]))
        assert np.isfinite(back).all() and back[0] < 1e-20 and back[1] > 0.99


def test_a_log_normal_belief_has_the_mean_and_deviation_of_the_textbook() -> None:
    natural = SCALES["positive"].natural(Normal(np.array([0.5, 2.0]), np.array([0.3, 0.5])))
    for i, (mean, std) in enumerate(((0.5, 0.3), (2.0, 0.5))):
        expected = math.exp(mean + std**2 / 2)
        assert natural[i].mean == pytest.approx(expected, rel=1e-6)
        assert natural[i].std == pytest.approx(expected * math.sqrt(math.exp(std**2) - 1), rel=1e-4)


def test_a_logit_normal_belief_has_the_mean_of_many_draws() -> None:
    drawn = 1 / (1 + np.exp(-(1.0 + 1.5 * np.random.default_rng(1).standard_normal(400_000))))
    natural = SCALES["share"].natural(Normal(1.0, 1.5))
    assert natural.mean == pytest.approx(drawn.mean(), abs=2e-3)
    assert natural.std == pytest.approx(drawn.std(), abs=2e-3)


def test_a_plain_belief_stays_as_it_is() -> None:
    natural = SCALES["real"].natural(Normal(np.array([[1.0], [-2.0]]), np.array([[0.5], [3.0]])))
    assert natural.mean == pytest.approx(np.array([[1.0], [-2.0]]))
    assert natural.std == pytest.approx(np.array([[0.5], [3.0]]))


def test_one_belief_gives_plain_numbers() -> None:
    natural = SCALES["positive"].natural(Normal(0.0, 0.0))
    assert isinstance(natural.mean, float) and isinstance(natural.std, float)
    assert (natural.mean, natural.std) == pytest.approx((1.0, 0.0))


def test_what_is_beyond_the_plausible_counts_as_the_most_that_is() -> None:
    free, cut = (
        SCALES["positive"].natural(Normal(np.zeros(2), np.full(2, 3.0)), most)
        for most in (np.inf, np.array([0.0, 1.0]))
    )
    assert np.asarray(free.mean).min() > 50
    assert float(cut[0].mean) < 1.0 < float(cut[1].mean) < math.e


FAR = 1.6448536269514722
"""Deviations within which 90 % of a normal distribution lie on both sides."""


@pytest.mark.parametrize("kind", ["real", "share"])
def test_an_interval_of_a_plain_metric_is_as_far_to_both_sides(kind: str) -> None:
    low, high = SCALES[kind].interval(Normal(0.5, 0.1), 0.9)
    assert (low, high) == pytest.approx((0.5 - 0.1 * FAR, 0.5 + 0.1 * FAR))


def test_an_interval_of_a_skewed_metric_is_that_of_the_log_normal_with_its_moments() -> None:
    # A width of 0.5 on the log scale: the mean is exp(0.125) and the variance follows.
    mean = 3.0 * math.exp(0.125)
    belief = Normal(mean, mean * math.sqrt(math.exp(0.25) - 1))
    low, high = SCALES["positive"].interval(belief, 0.9)
    assert (low, high) == pytest.approx((3.0 * math.exp(-0.5 * FAR), 3.0 * math.exp(0.5 * FAR)))
    assert low * high == pytest.approx(9.0)


def test_a_wider_interval_is_the_more_probable_one_and_a_certainty_has_none() -> None:
    scale, belief = SCALES["positive"], Normal(2.0, 0.5)
    narrow, wide = scale.interval(belief, 0.5), scale.interval(belief, 0.99)
    assert wide[0] < narrow[0] < 2.0 < narrow[1] < wide[1]
    assert scale.interval(Normal(2.0, 0.0), 0.9) == pytest.approx((2.0, 2.0))


def test_where_a_skewed_metric_is_expected_to_be_nothing_its_interval_is_plain() -> None:
    low, high = SCALES["positive"].interval(Normal(0.0, 1.0), 0.9)
    assert (low, high) == pytest.approx((-FAR, FAR))
