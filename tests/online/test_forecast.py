"""Forecasts of the time left learn from those before."""

import numpy as np
import pytest

from tunewise.online.belief.extrapolation import extrapolated
from tunewise.online.belief.forecast import Forecast, calibrated
from tunewise.surrogate import Normal


def said(end: float, factor: float, until: float, noise: float = 0.0) -> list[Forecast]:
    """What a training that ends at `end` would have said if it were always wrong by a factor."""
    rng = np.random.default_rng(0)
    return [
        Forecast(at, (end - at) * factor * float(np.exp(noise * rng.standard_normal())))
        for at in np.linspace(10.0, until, 25).tolist()
    ]


def test_without_a_past_the_belief_stands() -> None:
    belief = Normal(3.0, 0.5)
    assert calibrated(belief, 10.0, []) is belief


@pytest.mark.parametrize("factor", [0.3, 1.0, 2.0])
def test_a_factor_that_forecasts_are_wrong_by_is_taken_off(factor: float) -> None:
    belief = Normal(float(np.log(60.0 * factor)), 0.5)
    found = calibrated(belief, 140.0, said(200.0, factor, 135.0))
    off = abs(float(found.mean) - np.log(60.0))
    assert off <= 0.95 * abs(np.log(factor)) + 1e-9


def test_forecasts_that_scatter_make_a_wide_range() -> None:
    belief = Normal(float(np.log(60.0)), 0.1)
    calm = calibrated(belief, 140.0, said(200.0, 1.0, 135.0))
    wild = calibrated(belief, 140.0, said(200.0, 1.0, 135.0, noise=1.0))
    assert float(wild.std) > float(calm.std) + 0.05


def test_no_more_than_a_part_of_what_earlier_forecasts_were_wrong_by_is_taken_off() -> None:
    """They knew less: most of what they were wrong by, the present one is not."""
    right = Normal(float(np.log(60.0)), 0.5)
    found = calibrated(right, 140.0, said(200.0, 0.2, 135.0))
    assert np.log(60.0) < float(found.mean) <= np.log(60.0) + 0.5


@pytest.mark.parametrize("power", [-1.0, 0.5, 1.0, 2.0])
def test_a_course_that_follows_a_power_of_time_is_foreseen(power: float) -> None:
    at = np.arange(1.0, 101.0)
    sign = 1 if power > 0 else -1
    loss = 1.0 + sign * (at / 100) ** -power + 1e-4 * np.random.default_rng(0).standard_normal(100)
    target = float(1.0 + sign * 1.5**-power)
    found = extrapolated(at, loss, target)
    assert found is not None
    assert float(found.mean) == pytest.approx(np.log(50.0), abs=0.5)


def test_a_course_of_a_few_losses_tells_nothing() -> None:
    assert extrapolated(np.arange(5.0), np.ones(5), 0.5) is None


def test_a_loss_that_stands_still_says_that_as_much_again_is_left() -> None:
    found = extrapolated(np.arange(1.0, 101.0), np.ones(100), 0.5)
    assert found is not None and float(found.mean) == pytest.approx(np.log(100.0))


def test_a_loss_that_falls_straight_after_a_plateau_is_foreseen() -> None:
    """Laws over all of the course would be slow to see that it fell at all."""
    at = np.arange(1.0, 401.0)
    loss = np.where(at < 150, 0.7, 0.7 - 0.001 * (at - 150))
    found = extrapolated(at, loss, 0.3)
    assert found is not None
    assert float(found.mean) == pytest.approx(np.log(150.0), abs=0.35)


def test_the_range_of_a_noisy_course_is_wider() -> None:
    at = np.arange(1.0, 401.0)
    loss, noise = 0.2 + at**-0.5, np.random.default_rng(1).standard_normal(400)
    calm, wild = extrapolated(at, loss, 0.23), extrapolated(at, loss + 0.02 * noise, 0.23)
    assert calm is not None and wild is not None
    assert float(wild.std) > float(calm.std)
