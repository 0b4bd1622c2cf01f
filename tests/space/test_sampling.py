"""Which configs are drawn out of a space: counted, placed and compared by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.errors import SpaceError
from tunewise.space import Choice, Config, Integer, Ordinal, Real, Space
from tunewise.space.sampling import LEAST_DRAWS, fixed_points

TALL = Space(Integer("a", 1, 3001), Integer("b", 1, 2))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_fixed_points_in_one_dimension_step_by_the_golden_ratio() -> None:
    step = 2 / (1 + 5**0.5)  # 0.618…, one over the golden ratio
    expected = [(0.5 + step) % 1, (0.5 + 2 * step) % 1, (0.5 + 3 * step) % 1]
    assert fixed_points(3, 1)[:, 0] == pytest.approx(expected)
    assert expected[0] == pytest.approx(0.118033988)


def test_fixed_points_in_two_dimensions_step_by_powers_of_the_plastic_number() -> None:
    plastic = 1.3247179572447460  # plastic ** 3 == plastic + 1
    assert plastic**3 == pytest.approx(plastic + 1)
    assert fixed_points(1, 2)[0] == pytest.approx(
        [(0.5 + 1 / plastic) % 1, 0.5 + 1 / plastic**2 - 1]
    )


@given(st.integers(1, 60), st.integers(1, 5))
@settings(max_examples=20)
def test_fixed_points_are_in_the_unit_cube_and_distinct(count: int, dimension: int) -> None:
    points = fixed_points(count, dimension)
    assert points.shape == (count, dimension)
    assert (points >= 0).all() and (points < 1).all()
    assert len(np.unique(points, axis=0)) == count


@pytest.mark.parametrize("wrong", [0, -1, True, 2.0, "2", None])
def test_a_number_of_configs_is_whole_and_above_nothing(wrong: Any) -> None:
    for draw in (TALL.sample, TALL.latin, TALL.pool):
        with pytest.raises(SpaceError, match="expected a whole number above 0"):
            draw(wrong, rng())


def test_a_whole_number_of_numpy_is_a_number_of_configs() -> None:
    assert len(TALL.sample(np.int64(3), rng())) == 3  # type: ignore[arg-type] # as arrays give it


def test_a_pool_begins_with_its_centres_in_order_and_fills_half_with_neighbours() -> None:
    centres = [{"a": 1000, "b": 1}, {"a": 2000, "b": 2}]
    pool = TALL.pool(12, rng(), centres)
    assert pool[:2] == centres
    # One, thirty (1 % of 3000) and 150 (5 %) to both sides, or the other value of b.
    moves = {-150, -30, -1, 1, 30, 150}
    near = [{**c, "a": c["a"] + move} for c in centres for move in moves]
    near += [{"a": 1000, "b": 2}, {"a": 2000, "b": 1}]
    assert all(config in near for config in pool[2:6])
    assert len(pool) == 12
    assert not any(config in near for config in pool[6:])


def test_which_neighbours_are_in_a_pool_is_drawn() -> None:
    centre = {"a": 1000, "b": 1}
    seen = {tuple(c["a"] for c in TALL.pool(6, rng(seed), [centre])[1:3]) for seed in range(8)}
    assert len(seen) > 1


def test_more_centres_than_asked_for_are_cut_and_equal_ones_counted_once() -> None:
    centres: list[Config] = [{"a": n, "b": 1} for n in (10, 20, 30)]
    assert TALL.pool(2, rng(), centres) == centres[:2]
    twice = TALL.pool(3, rng(), [centres[0], dict(centres[0])])
    assert twice[0] == centres[0]
    assert len({TALL.key(config) for config in twice}) == len(twice) == 3


def test_centres_are_made_canonical() -> None:
    assert TALL.pool(2, rng(), [{"b": 1.0, "a": np.int64(7)}])[0] == {"a": 7, "b": 1}


def test_neighbours_that_where_refuses_are_left_out() -> None:
    odd = Space(Integer("a", 1, 3001), Integer("b", 1, 2), where=lambda c: c["a"] % 2 == 1)
    pool = odd.pool(400, rng(), [{"a": 1001, "b": 1}])
    assert all(config["a"] % 2 == 1 for config in pool)
    # Of all moves only 30, 150 and the other b lead to an odd number again.
    assert {(c["a"], c["b"]) for c in pool[1:6]} == {
        *((1001 + move, 1) for move in (-150, -30, 30, 150)),
        (1001, 2),
    }


def test_neighbours_of_a_deciding_value_get_middling_values_of_what_applies_then() -> None:
    space = Space(
        Choice("kind", ["tree", "net"]),
        Integer("depth", 1, 9, when={"kind": "tree"}),
        Real("rate", 0.0, 1.0, when={"kind": "net"}),
    )
    pool = space.pool(64, rng(), [{"kind": "tree", "depth": 3}])
    assert {"kind": "net", "rate": 0.5} in pool
    assert space.activity.completed({"kind": "tree", "rate": 0.2}) == {"kind": "tree", "depth": 5}


def test_steps_around_a_centre_have_all_sizes_in_all_directions() -> None:
    space = Space(Real("x", 0, 1), Real("y", 0, 1))
    pool = space.pool(60, rng(3), [{"x": 0.5, "y": 0.5}])
    # Half of the pool: the centre, eight moves along an axis, and sixteen in all directions.
    near = np.array([[c["x"], c["y"]] for c in pool[1:25]]) - 0.5
    both = near[(near != 0).all(axis=1)]
    assert len(both) == 16 and len(near) - len(both) == 8
    assert np.abs(both).max() > 0.1 and np.abs(both).min() < 0.02
    assert (both > 0).any() and (both < 0).any()


def test_a_pool_of_a_listed_space_has_its_centres_first() -> None:
    every = [{"a": a, "b": str(a % 7)} for a in range(60)]
    centres = [every[40], every[3]]
    assert Space.of(every).pool(10, rng(), centres)[:2] == centres


def test_a_latin_hypercube_of_few_listed_configs_takes_the_nearest_that_are_free() -> None:
    space = Space.of([{"a": value} for value in (1, 2, 3, 4)])
    for seed in range(10):
        drawn = [config["a"] for config in space.latin(3, rng(seed))]
        assert len(set(drawn)) == 3
        # Three points in thirds of [0, 1]; the configs are at 0, 1/3, 2/3 and 1.
        assert min(drawn) <= 2 and max(drawn) >= 3


def test_a_latin_hypercube_puts_one_whole_number_into_each_interval() -> None:
    space = Space(Integer("n", 1, 1000), Integer("m", 1, 1000))
    drawn = space.latin(10, rng(1))
    for name in space.names:
        assert sorted((config[name] - 1) // 100 for config in drawn) == list(range(10))


def test_columns_of_a_latin_hypercube_are_shuffled_apart() -> None:
    space = Space(Real("x", 0, 1), Real("y", 0, 1))
    drawn = space.latin(12, rng(0))
    assert [int(12 * c["x"]) for c in drawn] != [int(12 * c["y"]) for c in drawn]


def test_a_tight_continuous_space_is_tried_long_before_it_is_given_up() -> None:
    tried = 0

    def where(config: Config) -> bool:
        nonlocal tried
        tried += 1
        return False

    with pytest.raises(SpaceError, match=f"refused all of {LEAST_DRAWS} configs drawn"):
        Space(Real("x", 0, 1), where=where).sample(3, rng())
    assert LEAST_DRAWS <= tried < 3 * LEAST_DRAWS


def test_a_listable_space_is_topped_up_from_its_list_without_repeats() -> None:
    rare = Space(Integer("a", 1, 400), Integer("b", 1, 400), where=lambda c: c["a"] == c["b"])
    for seed in range(3):
        latin = rare.latin(40, rng(seed))
        assert len({c["a"] for c in latin}) == 40
        assert all(c["a"] == c["b"] for c in latin)


def test_samples_of_a_listed_space_are_of_its_configs_without_repeats() -> None:
    every = [{"a": a, "b": a**2} for a in range(30)]
    space = Space.of(every)
    drawn = space.sample(12, rng())
    assert len({c["a"] for c in drawn}) == 12
    assert all(c in every for c in drawn)
    assert [c["a"] for c in drawn] != sorted(c["a"] for c in drawn)


@given(st.integers(0, 10**6), st.integers(1, 30))
@settings(max_examples=20)
def test_a_sample_of_reals_has_as_many_distinct_configs_as_asked(seed: int, count: int) -> None:
    space = Space(Real("x", 0, 1), Ordinal("n", [1, 2, 4]))
    drawn = space.sample(count, rng(seed))
    assert len(drawn) == count == len({space.key(c) for c in drawn})
