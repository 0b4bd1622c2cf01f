"""Forecasts of the time left learn from those before."""

import numpy as np
import pytest

from tunewise.online.belief.extrapolation import extrapolated, middle_of_laws
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


def test_what_an_earlier_forecast_was_wrong_by_widens_the_range_and_leaves_the_middle() -> None:
    """At 50 s it said 50 s; at 100 s as much is left: wrong by a factor of 2, and half as old."""
    found = calibrated(Normal(float(np.log(50.0)), 0.5), 100.0, [Forecast(50.0, 50.0)])
    variance = (2 * 0.5**2 + 0.5 * np.log(2) ** 2) / 2.5
    assert float(found.mean) == pytest.approx(np.log(50.0))
    assert float(found.std) == pytest.approx(np.sqrt(0.15**2 + variance))


def test_a_forecast_of_long_ago_counts_less_than_one_of_just_now() -> None:
    belief = Normal(float(np.log(50.0)), 0.2)
    # Both were wrong by a factor of 3, and their time is over.
    old = calibrated(belief, 100.0, [Forecast(20.0, 130 / 3)])
    new = calibrated(belief, 100.0, [Forecast(70.0, 80 / 3)])
    assert float(old.std) < 0.75 * float(new.std)


def test_forecasts_that_scatter_make_a_wide_range() -> None:
    belief = Normal(float(np.log(60.0)), 0.1)
    calm = calibrated(belief, 140.0, said(200.0, 1.0, 135.0))
    wild = calibrated(belief, 140.0, said(200.0, 1.0, 135.0, noise=1.0))
    assert float(wild.std) > float(calm.std) + 0.05


@pytest.mark.parametrize("power", [-1.0, 0.5, 1.0, 2.0])
def test_a_course_that_follows_a_power_of_time_is_foreseen(power: float) -> None:
    at = np.arange(1.0, 101.0)
    sign = 1 if power > 0 else -1
    loss = 1.0 + sign * (at / 100) ** -power + 1e-4 * np.random.default_rng(0).standard_normal(100)
    target = float(1.0 + sign * 1.5**-power)
    found = extrapolated(at, loss, target)
    assert found is not None
    assert float(found.mean) == pytest.approx(np.log(50.0), abs=0.5)


def test_laws_count_by_half_their_mean_and_half_their_median() -> None:
    said, weights = np.log([100.0, 1.0, 2.0]), np.array([0.2, 0.4, 0.4])
    mean = 0.2 * np.log(100.0) + 0.4 * np.log(2.0)
    assert middle_of_laws(said, weights) == pytest.approx((mean + np.log(2.0)) / 2)


def test_a_course_of_a_few_losses_tells_nothing() -> None:
    assert extrapolated(np.arange(5.0), np.ones(5), 0.5) is None


def test_a_loss_that_stands_still_says_that_as_much_again_is_left() -> None:
    """The variance is that of a moment of any course, pi^2 / 3: such a loss says nothing else."""
    found = extrapolated(np.arange(1.0, 101.0), np.ones(100), 0.5)
    assert found is not None and float(found.mean) == pytest.approx(np.log(100.0))
    assert float(found.std) == pytest.approx(np.pi / np.sqrt(3))


@pytest.mark.parametrize("end", [1500.0, 2000.0])
def test_a_loss_that_falls_fast_and_then_creeps_is_not_taken_to_fall_on(end: float) -> None:
    """Laws that foretold the fast part well say a third of what is left of the slow one."""

    def course(at: np.ndarray) -> np.ndarray:
        return np.asarray(0.44 + 0.2 * np.exp(-at / 150) + 2 / (at + 200))

    at = np.arange(1.0, 1001.0)
    noise = 0.002 * np.abs(np.random.default_rng(0).standard_normal(1000))
    found = extrapolated(at, course(at) + noise, float(course(np.array(end))))
    assert found is not None
    assert float(found.mean) == pytest.approx(np.log(end - 1000), abs=0.35)


@pytest.mark.parametrize("scale", [2.0**-10, 2.0**10])
def test_the_units_of_loss_and_time_do_not_matter(scale: float) -> None:
    at = np.arange(1.0, 401.0)
    loss = 0.2 + at**-0.5 + 0.01 * np.random.default_rng(2).standard_normal(400)
    plain, scaled = (
        extrapolated(at, loss, 0.23),
        extrapolated(scale * at, scale * loss, scale * 0.23),
    )
    assert plain is not None and scaled is not None
    assert float(scaled.mean) - np.log(scale) == pytest.approx(float(plain.mean))
    assert float(scaled.std) == pytest.approx(float(plain.std))


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


@pytest.mark.parametrize("size", [1e-170, 1e-30, 1.0, 1e160, 1e300])
def test_a_course_is_foretold_whatever_the_unit_of_its_losses(size: float) -> None:
    at = np.linspace(1, 100, 200)
    told = extrapolated(at, size * (1 + 5 / at), 1.01 * size)
    usual = extrapolated(at, 1 + 5 / at, 1.01)
    assert told is not None and usual is not None
    assert float(told.mean) == pytest.approx(float(usual.mean), rel=1e-9)
    assert float(told.std) == pytest.approx(float(usual.std), rel=1e-9)
