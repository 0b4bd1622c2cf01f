import numpy as np
import pytest

from tunewise.surrogate.prior_ensemble import Hedged, Inputs, PriorEnsemble


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


def test_a_cliff_is_learned_from_one_measurement_on_each_side() -> None:
    numbers = np.linspace(-2, 2, 30)[:, None]
    choices = np.zeros((30, 0), np.intp)
    steep = np.where(np.arange(30) < 15, 3.0, 0.0)
    at = np.array([2, 8, 13, 16, 22, 28])
    with_cliffs, without = (
        PriorEnsemble(Inputs(numbers, choices, (0,), stepped), np.zeros(30), 1.0, 0)
        for stepped in ((0,), ())
    )
    told = with_cliffs.given(at, steep[at])
    assert told.evidence > without.given(at, steep[at]).evidence
    assert told.moments()[14].mean == pytest.approx(3.0, abs=1.0)
    assert told.moments()[15].mean == pytest.approx(0.0, abs=1.0)


def hedged() -> Hedged:
    """One that knows a number to matter, and one that sees twelve unlike things."""
    numbers, names = np.arange(12.0)[:, None] - 5.5, np.arange(12)[:, None]
    slope = PriorEnsemble(Inputs(numbers, np.zeros((12, 0), np.intp)), -0.5 * numbers[:, 0], 0.5, 0)
    plain = PriorEnsemble(Inputs(np.zeros((12, 0)), names), np.zeros(12), 0.5, 1)
    return Hedged([slope, plain], [0.8, 0.2])


def test_before_anything_is_measured_ensembles_count_as_much_as_they_are_trusted() -> None:
    weights = hedged().given(*NOTHING).weights
    assert weights.sum() == pytest.approx(1.0)
    assert weights[:64].sum() == pytest.approx(0.8)


def test_knowledge_that_foretells_well_is_believed_and_what_misleads_is_not() -> None:
    at, slope = np.array([0, 5, 10]), -0.5 * (np.arange(12.0) - 5.5)
    right, wrong = hedged().given(at, slope[at]), hedged().given(at, -slope[at])
    assert right.moments()[11].mean == pytest.approx(slope[11], abs=0.4)
    assert abs(float(wrong.moments()[11].mean) - slope[11]) > 1.0


def test_a_hedged_belief_says_how_well_it_foretold_as_a_mixture_does() -> None:
    at, values = np.array([1, 4]), np.array([0.3, -0.2])
    both = hedged()
    each = [one.given(at, values).evidence for one in both._ensembles]
    expected = np.log(0.8 * np.exp(each[0]) + 0.2 * np.exp(each[1]))
    assert both.given(at, values).evidence == pytest.approx(expected)
