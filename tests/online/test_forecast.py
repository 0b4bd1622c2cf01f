"""Forecasts of the time left learn from those before."""

import numpy as np
import pytest

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
    assert off <= 0.7 * abs(np.log(factor)) + 1e-9
    if factor == 1.0:
        assert float(found.std) < 0.3


def test_forecasts_that_scatter_make_a_wide_range() -> None:
    belief = Normal(float(np.log(60.0)), 0.1)
    calm = calibrated(belief, 140.0, said(200.0, 1.0, 135.0))
    wild = calibrated(belief, 140.0, said(200.0, 1.0, 135.0, noise=1.0))
    assert float(wild.std) > 0.3 > float(calm.std)


def test_the_newest_forecasts_are_put_together() -> None:
    belief = Normal(float(np.log(600.0)), 0.5)
    found = calibrated(belief, 140.0, said(200.0, 1.0, 135.0))
    assert float(found.mean) < np.log(120.0)
