import numpy as np
import pytest

from tunewise.surrogate.gaussian_process import GaussianProcess
from tunewise.surrogate.normal import Array


def measured(small: float, full: float, seed: int = 0) -> tuple[Array, Array, Array]:
    """A smooth metric with noise that differs between the slice and the full data."""
    rng = np.random.default_rng(seed)
    x, s = rng.random((60, 1)), np.tile([0.01, 1.0], 30)
    noise = np.where(s < 1, small, full) * rng.standard_normal(60)
    return x, s, np.sin(5 * x[:, 0]) + noise


def test_the_noise_of_measurements_is_learned_from_configs_that_were_measured_again() -> None:
    x, s, _ = measured(0.2, 0.2)
    again = np.sin(5 * np.tile(x[:, 0], 2)) + 0.2 * np.random.default_rng(1).standard_normal(120)
    fitted = GaussianProcess("log").fit(np.tile(x, (2, 1)), np.tile(s, 2), again)
    assert fitted.noise_ == pytest.approx(0.2, rel=0.4)


def test_a_slice_whose_values_say_little_moves_the_belief_about_the_full_data_less() -> None:
    places = ([[0.5], [0.5]], [0.01, 1.0]), ([[0.5]], [1.0])
    fantasy = GaussianProcess("log").fit(*measured(0.6, 0.05)).fantasize(*places)
    assert fantasy.gain[0, 0] < 0.5 * fantasy.gain[1, 0]
