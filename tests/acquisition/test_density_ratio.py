"""BOHB's kernel densities, by hand."""

import numpy as np
import pytest

from tests.extras import late
from tunewise.acquisition.density_ratio import DensityRatio
from tunewise.surrogate.normal import SAMPLES

norm = late("scipy.stats", "norm")

RANKED = np.array([[0.2], [0.3], [0.7], [0.8], [0.9]])


def test_the_best_share_and_at_least_so_many_are_good() -> None:
    few = DensityRatio.of(RANKED, 0.15, 2)
    assert few.good.ravel().tolist() == [0.2, 0.3]
    assert few.other.ravel().tolist() == [0.3, 0.7, 0.8, 0.9]
    assert len(DensityRatio.of(RANKED, 0.6, 2).good) == 3


def test_the_score_is_the_log_ratio_of_two_mixtures_of_normals() -> None:
    ratio = DensityRatio.of(RANKED, 0.4, 2)
    good, other = RANKED[:2, 0], RANKED[-3:, 0]
    wide = [np.std(set_) * len(set_) ** (-1 / 5) for set_ in (good, other)]
    for x in (0.25, 0.5, 0.85):
        by_hand = np.log(norm.pdf(x, good, wide[0]).mean() / norm.pdf(x, other, wide[1]).mean())
        assert ratio.score(np.array([[x]]))[0] == pytest.approx(by_hand)
    good_one, bad_one = ratio.score(np.array([[0.25], [0.8]]))
    assert good_one > 0 > bad_one


def test_equal_configs_have_the_least_bandwidth() -> None:
    same = DensityRatio.of(np.full((4, 2), 0.5), 0.5, 2)
    assert same.good_width.tolist() == [1e-3, 1e-3]
    assert np.isfinite(same.score(np.array([[0.5, 0.5]])))


def test_only_samples_of_the_good_density_are_scored() -> None:
    ratio = DensityRatio.of(RANKED, 0.4, 2)
    x = np.linspace(0, 1, 2001)[:, None]
    scored = ratio.sampled(x, np.random.default_rng(0))
    drawn = np.flatnonzero(np.isfinite(scored))
    assert len(drawn) == SAMPLES
    assert abs(float(np.mean(x[drawn])) - 0.25) < 0.05
    assert scored[drawn] == pytest.approx(ratio.score(x[drawn]))
