import numpy as np
import pytest

from tunewise.surrogate.prior_ensemble import Inputs, PriorEnsemble


@pytest.fixture(scope="module")
def ensemble() -> PriorEnsemble:
    numbers = np.linspace(-2, 2, 30)[:, None]
    choices = (np.arange(30) % 2)[:, None]
    return PriorEnsemble(Inputs(numbers, choices, (0,)), np.zeros(30), 1.0, 0)


NOTHING = np.empty(0, np.intp), np.empty(0)


def test_before_anything_is_measured_all_draws_weigh_the_same(ensemble: PriorEnsemble) -> None:
    belief = ensemble.given(*NOTHING)
    assert belief.weights == pytest.approx(1 / len(belief.weights))
    assert belief.moments().mean == pytest.approx(0.0)
    assert np.all(belief.moments().std > 1.0)


def test_a_measured_config_is_known_and_its_neighbours_nearly(ensemble: PriorEnsemble) -> None:
    belief = ensemble.given(np.array([4, 20]), np.array([1.0, -1.0]))
    known = belief.moments()
    assert known[4].mean == pytest.approx(1.0)
    assert float(known[4].std) < 1e-5
    assert float(known[6].mean) > 0.5 > -0.5 > float(known[22].mean)
    assert float(known[6].std) < float(known[12].std) < 1.2


def test_samples_agree_with_the_moments(ensemble: PriorEnsemble) -> None:
    belief = ensemble.given(np.array([4, 20]), np.array([1.0, -1.0]))
    assert np.allclose(belief.samples[:, :, [4, 20]], [1.0, -1.0])
    mean = np.einsum("h,hsn->n", belief.weights, belief.samples) / belief.samples.shape[1]
    assert np.abs(mean - belief.moments().mean).max() < 0.25


def test_draws_that_foretell_badly_lose_their_weight(ensemble: PriorEnsemble) -> None:
    at = np.arange(0, 30, 2)
    smooth = ensemble.given(at, 0.3 * np.linspace(-2, 2, 30)[at])
    assert smooth.weights.max() > 5 / 64
    assert smooth.weights.sum() == pytest.approx(1.0)
    assert float(smooth.moments()[15].std) < 0.3


def test_the_same_seed_draws_the_same() -> None:
    inputs = Inputs(np.zeros((3, 0)), np.arange(3)[:, None])
    a, b, c = (PriorEnsemble(inputs, np.zeros(3), 1.0, seed) for seed in (1, 1, 2))
    first, again, other = (ensemble.given(*NOTHING).samples for ensemble in (a, b, c))
    assert np.allclose(first, again, rtol=1e-9)
    assert not np.allclose(first, other)
