from collections import Counter

import numpy as np
import pytest

from tunewise.belief.machines.ensemble import Hedged, Inputs, PriorEnsemble, below_cliff, distinct
from tunewise.surrogate.normal import TIE


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
    # The edge is between 13 and 16: nobody can know on which side of it 14 and 15 are.
    assert told.moments()[12].mean == pytest.approx(3.0, abs=0.2)
    assert told.moments()[17].mean == pytest.approx(0.0, abs=0.2)
    assert 0 < float(told.moments()[15].mean) < float(told.moments()[14].mean) < 3


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


def small(level: float = 1.5) -> tuple[PriorEnsemble, Inputs]:
    numbers = np.array([[-1.0, 0.5], [0.0, -0.5], [1.0, 0.5], [0.0, -0.5], [2.0, 0.0]])
    choices = np.array([[0], [1], [0], [2], [1]])
    inputs = Inputs(numbers, choices, (0,))
    return PriorEnsemble(inputs, np.array([1.0, 2.0, 3.0, 4.0, 5.0]), level, 3), inputs


def covariance(ensemble: PriorEnsemble, inputs: Inputs, h: int, level: float) -> np.ndarray:
    """The prior of one draw, written out: lines, level, additive and joint parts, own deviation."""
    smooth, columns = ensemble._smooth, inputs.columns()

    def matern(x: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        scaled = x / np.exp(lengths)
        r = np.sqrt(5 * ((scaled[:, None] - scaled[None]) ** 2).sum(-1))
        return np.asarray((1 + r + r**2 / 3) * np.exp(-r))

    widths = [column.shape[1] for column in columns]
    joint = matern(np.hstack(columns) / np.sqrt(3), np.repeat(smooth._joint[h], widths))
    alone = sum(
        matern(column, np.full(column.shape[1], length)) / 3
        for column, length in zip(columns, smooth._own[h], strict=True)
    )
    share = smooth._share[h]
    prior = smooth._variance[h] * (share * alone + (1 - share) * joint)
    prior += 0.35**2 * np.outer(inputs.numbers[:, 0], inputs.numbers[:, 0]) + level**2
    return np.asarray(prior + smooth.nugget[h] * np.eye(5))


def test_each_draw_is_conditioned_as_the_normal_that_it_is() -> None:
    level = 1.5
    ensemble, inputs = small(level)
    at, values = np.array([0, 3]), np.array([2.0, 3.0])
    belief = ensemble.given(at, values)
    prior_mean, others = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), [1, 2, 4]
    density, means, variances = [], [], []
    for h in range(64):
        whole = covariance(ensemble, inputs, h, level)
        own, residual = whole[np.ix_(at, at)], values - prior_mean[at]
        gain = np.linalg.solve(own, whole[at])
        means.append(prior_mean + residual @ gain)
        variances.append(np.diag(whole - whole[at].T @ gain))
        determinant = np.linalg.slogdet(own)[1]
        density.append(-0.5 * (residual @ np.linalg.solve(own, residual) + determinant))
    likely = np.exp(np.array(density) - max(density))
    likely /= likely.sum()
    kept = likely > TIE
    assert belief.weights == pytest.approx(likely[kept] / likely[kept].sum(), rel=1e-4)
    assert belief.mean[:, others] == pytest.approx(np.array(means)[kept][:, others], rel=1e-4)
    expected = np.array(variances)[kept][:, others]
    assert belief.variance[:, others] == pytest.approx(expected, rel=1e-3, abs=1e-5)
    assert belief.mean[:, at] == pytest.approx(np.tile(values, (len(belief.weights), 1)))


def test_the_moments_are_those_of_the_mixture() -> None:
    belief = small()[0].given(np.array([0]), np.array([2.0]))
    mean = (belief.weights[:, None] * belief.mean).sum(0)
    second = (belief.weights[:, None] * (belief.variance + belief.mean**2)).sum(0)
    assert belief.moments().mean == pytest.approx(mean)
    assert belief.moments().std == pytest.approx(np.sqrt(second - mean**2), rel=1e-5, abs=1e-5)


def test_two_choices_are_a_little_less_than_a_length_apart_and_all_equally() -> None:
    columns = small()[1].columns()
    assert [column.shape[1] for column in columns] == [1, 1, 3]
    hot = columns[2]
    apart = [float(np.linalg.norm(hot[a] - hot[b])) for a, b in ((0, 1), (1, 3), (0, 3))]
    assert apart == pytest.approx([2.0 / 1.2] * 3)
    assert float(np.linalg.norm(hot[0] - hot[2])) == 0.0


def test_lines_share_their_variance_among_all_sloped_numbers() -> None:
    inputs = Inputs(np.array([[1.0, 2.0], [3.0, 4.0]]), np.zeros((2, 0), int), (0, 1))
    assert inputs.slopes() == pytest.approx(np.array([[5.0, 11.0], [11.0, 25.0]]) / 2)
    none = Inputs(np.array([[1.0], [2.0]]), np.zeros((2, 0), int))
    assert none.slopes() == pytest.approx(np.zeros((2, 2)))


def test_what_all_configs_share_is_as_unsure_as_it_is_said_to_be() -> None:
    nothing = NOTHING
    narrow, wide = (small(level)[0].given(*nothing).moments() for level in (0.5, 3.0))
    difference = np.asarray(wide.std) ** 2 - np.asarray(narrow.std) ** 2
    assert difference == pytest.approx(np.full(5, 3.0**2 - 0.5**2), rel=0.01)


def test_configs_that_are_the_same_to_the_model_still_differ_by_their_own() -> None:
    inputs = Inputs(np.array([[0.0], [0.0], [1.0]]), np.zeros((3, 0), int))
    ensemble = PriorEnsemble(inputs, np.zeros(3), 1.0, 0)
    twin = ensemble.given(np.array([0]), np.array([1.0])).moments()[1]
    assert 0.8 < float(twin.mean) <= 1.0
    assert 0.02 < float(twin.std) < 0.5


def test_every_draw_has_a_cliff_between_two_neighbours_and_each_cliff_as_many_draws() -> None:
    numbers = np.array([[0.0, 5.0], [1.0, 5.0], [3.0, 5.0], [1.0, 5.0]])
    inputs = Inputs(numbers, np.zeros((4, 0), int), stepped=(0,))
    # Half of the cliff to each side: below it or above it, and the twins on the same side.
    ways = Counter(map(tuple, below_cliff(inputs, 0).tolist()))
    assert ways == {(0.5, -0.5, -0.5, -0.5): 32, (0.5, 0.5, -0.5, 0.5): 32}


def test_below_a_cliff_a_job_is_expected_to_be_slower() -> None:
    inputs = Inputs(np.array([[-1.0], [1.0]]), np.zeros((2, 0), np.intp), stepped=(0,))
    expected = PriorEnsemble(inputs, np.zeros(2), 1.0, 0).given(*NOTHING).moments()
    assert expected.mean == pytest.approx([0.75, -0.75])


def test_there_is_no_cliff_in_a_number_that_never_differs_or_may_not_have_one() -> None:
    flat = Inputs(np.full((3, 1), 2.0), np.zeros((3, 0), int), stepped=(0,))
    assert not below_cliff(flat, 0).any()
    assert not below_cliff(Inputs(np.arange(3.0)[:, None], np.zeros((3, 0), int)), 0).any()


def test_equal_rows_are_found_once() -> None:
    values, place = distinct(np.array([[2.0], [1.0], [2.0]]))
    assert values.tolist() == [[1.0], [2.0]] and place.tolist() == [1, 0, 1]
    column = np.array([[2.0], [1.0]])
    assert distinct(column)[0] is column


def test_an_ensemble_that_has_foretold_nothing_is_left_out() -> None:
    numbers, names = np.arange(6.0)[:, None] - 2.5, np.arange(6)[:, None]
    near = PriorEnsemble(Inputs(numbers, np.zeros((6, 0), np.intp)), np.zeros(6), 0.5, 0)
    far = PriorEnsemble(Inputs(np.zeros((6, 0)), names), np.full(6, 60.0), 0.5, 1)
    at, values = np.array([1, 4]), np.array([0.1, -0.1])
    both, alone = Hedged([near, far], [0.5, 0.5]).given(at, values), near.given(at, values)
    assert both.weights == pytest.approx(alone.weights)
    assert both.mean == pytest.approx(alone.mean)
    assert both.evidence == pytest.approx(alone.evidence + np.log(0.5))
