import numpy as np
import pytest

from tunewise.surrogate.gaussian.noise import GROWTH, LEVEL, Noise
from tunewise.surrogate.gaussian_process import GaussianProcess
from tunewise.surrogate.normal import Array

GROWING = Noise(growth=GROWTH)
KERNEL = [0.3, -0.2, 1.1]


def theta(level: float, growth: float | None = None) -> Array:
    return np.array([*KERNEL, level, *([] if growth is None else [growth])])


def measured(small: float, full: float, seed: int = 0) -> tuple[Array, Array, Array]:
    """A smooth metric with noise that differs between the slice and the full data."""
    rng = np.random.default_rng(seed)
    x, s = rng.random((60, 1)), np.tile([0.01, 1.0], 30)
    noise = np.where(s < 1, small, full) * rng.standard_normal(60)
    return x, s, np.sin(5 * x[:, 0]) + noise


def test_a_tenth_of_the_data_adds_the_growth_to_the_log_variance() -> None:
    variance = GROWING.variance(theta(-3.0, 0.5), np.array([1.0, 0.1, 0.01]))
    assert np.log(variance) == pytest.approx([-3.0, -2.5, -2.0])


def test_without_growth_all_fractions_are_alike() -> None:
    assert Noise().variance(theta(-3.0), np.array([1.0, 0.1])) == pytest.approx([np.exp(-3.0)] * 2)


def test_noise_is_never_more_than_all_that_targets_differ_by() -> None:
    assert GROWING.variance(theta(-1.0, 2.0), np.array([0.001])) == pytest.approx([1.0])


def test_its_hyper_parameters_stand_after_those_of_the_kernel() -> None:
    assert list(GROWING.kernel(theta(-3.0, 0.5))) == KERNEL
    assert list(Noise().kernel(theta(-3.0))) == KERNEL
    assert len(GROWING.prior) == len(GROWING) == 2 and len(Noise().prior) == len(Noise()) == 1
    assert GROWING.prior.mean[0] == LEVEL.mean[0] and GROWING.prior.std[1] == GROWTH.std[0]


@pytest.mark.parametrize(("small", "full"), [(0.6, 0.05), (0.05, 0.6)])
def test_which_fractions_are_noisy_is_learned(small: float, full: float) -> None:
    fitted = GaussianProcess("log").fit(*measured(small, full))
    on_slice, on_all = fitted.noise_at([0.01, 1.0])
    assert on_all == pytest.approx(fitted.noise_)
    assert (on_slice > 2 * on_all) == (small > full) and (on_all > 2 * on_slice) == (full > small)


def test_what_is_equally_noisy_is_said_to_be_so() -> None:
    fitted = GaussianProcess("log").fit(*measured(0.2, 0.2))
    assert fitted.noise_at(0.01) == pytest.approx(fitted.noise_, rel=0.4)
    assert fitted.noise_ == pytest.approx(0.2, rel=0.4)


def test_a_noisy_slice_moves_the_belief_about_the_full_data_less() -> None:
    x, s, y = measured(0.6, 0.05)
    fantasy = (
        GaussianProcess("log")
        .fit(x, s, y)
        .fantasize(([[0.5], [0.5]], [0.01, 1.0]), ([[0.5]], [1.0]))
    )
    assert fantasy.noise[0] > 2 * fantasy.noise[1]
    assert fantasy.gain[0, 0] < fantasy.gain[1, 0]


def test_where_only_the_full_data_counts_nothing_is_learned_of_slices() -> None:
    x, _, y = measured(0.1, 0.1)
    fitted = GaussianProcess("none").fit(x, 1.0, y)
    assert fitted.noise_at(0.01) == pytest.approx(fitted.noise_)
