"""What every filter promises, and what sets each apart."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.errors import StrategyError
from tunewise.filtering import FILTERS, Cheap, Filter, Index, Score, cea, how_many
from tunewise.surrogate import Array, Normal

NAMES = ["cea", "cmaes", "direct", "none", "random"]
CHOOSING = [name for name in NAMES if name != "none"]
SEARCHING = ["cmaes", "direct"]
each_filter = pytest.mark.parametrize("name", NAMES)
each_choosing = pytest.mark.parametrize("name", CHOOSING)
each_searching = pytest.mark.parametrize("name", SEARCHING)


@cache
def named(name: str) -> Filter:
    loaded: Filter = FILTERS.load(name)
    return loaded


def candidates(configs: int, dims: int, seed: int, levels: int = 5) -> Array:
    """A grid as strategies have it: few levels a column, every config at three fractions."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, levels, (configs, dims)) / (levels - 1)
    return np.column_stack([np.repeat(x, 3, axis=0), np.tile([0.1, 0.5, 1.0], configs)])


def hills(points: Array, seed: int) -> Array:
    """A smooth function with a few hills."""
    rng = np.random.default_rng(seed)
    width = 0.2 * np.sqrt(points.shape[1])
    away = ((points[:, None, :] - rng.random((4, points.shape[1]))) ** 2).sum(2)
    return np.asarray(np.exp(-away / (2 * width**2)) @ rng.uniform(0.3, 1.3, 4), float)


def chosen(name: str, points: Array, values: Array, share: float, seed: int = 0) -> Index:
    score: Score = values.__getitem__
    return named(name)(points, score, lambda: values, share, np.random.default_rng(seed))


def test_all_that_ship_are_tested() -> None:
    assert FILTERS.names() == NAMES


@each_choosing
@settings(deadline=None, max_examples=15)
@given(
    seed=st.integers(0, 10**6),
    configs=st.integers(1, 40),
    dims=st.integers(1, 6),
    share=st.floats(0.001, 1.0),
)
def test_a_share_of_the_candidates_is_chosen_each_once(
    name: str, seed: int, configs: int, dims: int, share: float
) -> None:
    points = candidates(configs, dims, seed)
    found = chosen(name, points, hills(points, seed), share, seed)
    assert len(found) == how_many(share, len(points))
    assert np.all(np.diff(found) > 0), "ascending, so each once"
    assert found[0] >= 0 and found[-1] < len(points)


@each_filter
def test_the_same_seed_chooses_the_same(name: str) -> None:
    points = candidates(60, 4, seed=1)
    first = chosen(name, points, hills(points, 1), 0.1, seed=5)
    np.random.seed(3)  # noqa: NPY002 - to show that nobody looks at the global state
    assert np.array_equal(first, chosen(name, points, hills(points, 1), 0.1, seed=5))


@each_filter
def test_the_whole_share_is_all_candidates(name: str) -> None:
    points = candidates(20, 3, seed=0)
    assert np.array_equal(chosen(name, points, hills(points, 0), 1.0), np.arange(60))


@each_filter
def test_one_candidate_is_chosen_from_one(name: str) -> None:
    assert chosen(name, np.array([[0.5, 1.0]]), np.array([1.0]), 0.01).tolist() == [0]


@each_choosing
def test_a_tiny_share_lets_one_through(name: str) -> None:
    points = candidates(20, 3, seed=0)
    assert len(chosen(name, points, hills(points, 0), 1e-9)) == 1


@each_searching
@pytest.mark.parametrize("worst", [-np.inf, np.nan])
def test_values_that_are_no_numbers_do_not_stop_a_search(name: str, worst: float) -> None:
    points = candidates(40, 3, seed=2)
    values = np.where(np.arange(120) % 3 == 0, worst, hills(points, 2))
    assert len(chosen(name, points, values, 0.25)) == 30
    assert len(chosen(name, points, np.full(120, worst), 0.25)) == 30


@each_searching
@pytest.mark.parametrize("dims", [1, 30])
def test_any_number_of_columns_can_be_searched(name: str, dims: int) -> None:
    points = np.random.default_rng(0).random((100, dims))
    assert len(chosen(name, points, points[:, 0], 0.2)) == 20


@each_searching
def test_equal_candidates_are_all_found(name: str) -> None:
    points = np.zeros((50, 2))
    assert len(chosen(name, points, np.zeros(50), 0.9)) == 45


@each_searching
def test_a_search_scores_no_more_than_its_share(name: str) -> None:
    points, asked = candidates(60, 4, seed=3), []
    values = hills(points, 3)

    def score(numbers: Index) -> Array:
        asked.extend(numbers.tolist())
        return np.asarray(values[numbers])

    found = named(name)(points, score, _never, 0.1, np.random.default_rng(0))
    assert sorted(asked) == found.tolist()


@pytest.mark.parametrize("name", ["cea", "none", "random"])
def test_a_filter_that_does_not_search_scores_nothing(name: str) -> None:
    points = candidates(60, 4, seed=3)
    cheap: Cheap = (lambda: hills(points, 3)) if name == "cea" else _never
    assert len(named(name)(points, _never, cheap, 0.1, np.random.default_rng(0)))


def _never(*_: object) -> Array:
    raise AssertionError("this is not needed")


@each_searching
@pytest.mark.parametrize("share", [0.05, 0.1, 0.2])
def test_a_search_finds_better_candidates_than_chance(name: str, share: float) -> None:
    points = candidates(200, 6, seed=0)
    searched, drawn = (_found(by, points, share) for by in (name, "random"))
    assert searched.mean() > drawn.mean() + 0.02
    assert np.mean(searched >= drawn) > 0.7


def _found(name: str, points: Array, share: float) -> Array:
    """The best value found, as a share of the best there is, on each of many functions."""
    functions = [hills(points, seed) for seed in range(30)]
    return np.array(
        [y[chosen(name, points, y, share, s)].max() / y.max() for s, y in enumerate(functions)]
    )


def test_random_chooses_all_equally_often() -> None:
    points = candidates(10, 2, seed=0)
    counts = np.zeros(30)
    for seed in range(2000):
        counts[chosen("random", points, counts, 0.2, seed)] += 1
    assert np.allclose(counts / 2000, 0.2, atol=0.04)


@settings(deadline=None, max_examples=50)
@given(values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), share=st.floats(0.01, 1.0))
def test_cea_chooses_the_highest(values: list[float], share: float) -> None:
    cheap = np.array(values)
    found = chosen("cea", np.zeros((len(values), 2)), cheap, share)
    others = np.delete(cheap, found)
    assert not len(others) or cheap[found].min() >= others.max()


def test_cea_lets_chance_decide_between_equals() -> None:
    found = [chosen("cea", np.zeros((100, 2)), np.zeros(100), 0.1, seed) for seed in range(3)]
    assert not np.array_equal(found[0], np.arange(10))
    assert len({tuple(f.tolist()) for f in found}) == 3


def test_cea_ranks_half_a_million_candidates_at_once() -> None:
    rng = np.random.default_rng(0)
    value, feasible = rng.random(500_000), rng.random(500_000)
    found = chosen("cea", np.zeros((500_000, 2)), cea(value, feasible), 0.01)
    assert len(found) == 5000
    assert (value * feasible)[found].min() > 0.8


def test_cea_is_the_predicted_value_times_the_probability_of_feasibility() -> None:
    accuracy, feasible = (
        Normal(np.array([0.9, 0.8, 0.0]), np.array([0.1, 0.0, 0.3])),
        [0.5, 1.0, 1.0],
    )
    assert np.allclose(cea(accuracy, feasible), [0.45, 0.8, 0.0])
    assert cea(accuracy, feasible) == pytest.approx(cea(accuracy.mean, feasible))


def test_cea_of_negative_values_prefers_what_is_better_and_what_is_feasible() -> None:
    better, safer = (
        cea([-3.0, -1.0, -5.0], [0.5, 0.5, 1.0]),
        cea([-1.0, -1.0, -5.0], [0.2, 0.9, 1.0]),
    )
    assert better.argmax() == 1
    assert safer.argmax() == 1
    assert np.all(better >= 0)


@pytest.mark.parametrize("share", [0.0, -0.1, 1.01, float("nan"), float("inf")])
@each_filter
def test_a_share_that_is_none_gets_a_sentence(name: str, share: float) -> None:
    points = candidates(10, 2, seed=0)
    with pytest.raises(StrategyError, match=f"share must be above 0 and at most 1, not {share}"):
        chosen(name, points, hills(points, 0), share)


@pytest.mark.parametrize(
    ("wrong", "meant"), [("ceaa", "cea"), ("CMA-ES", "cmaes"), ("DIRECT", "direct")]
)
def test_an_unknown_filter_gets_the_nearest(wrong: str, meant: str) -> None:
    with pytest.raises(StrategyError, match=f"unknown filter '{wrong}'; did you mean '{meant}'"):
        FILTERS.load(wrong)


@pytest.mark.parametrize(
    ("share", "count", "expected"), [(0.1, 1440, 144), (1e-6, 10, 1), (1.0, 7, 7), (0.5, 0, 0)]
)
def test_a_share_is_a_number_of_candidates(share: float, count: int, expected: int) -> None:
    assert how_many(share, count) == expected
