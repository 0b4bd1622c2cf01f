import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tunewise.space
from tests.space.spaces import refused, scalars, spaces
from tests.tables import table_path
from tunewise.errors import SpaceError
from tunewise.space import Choice, Config, Integer, Ordinal, Real, Space

seeds = st.integers(0, 2**32 - 1)
rows = st.lists(
    st.fixed_dictionaries({"a": scalars, "b": st.integers(-5, 5)}), min_size=1, max_size=20
)


def clouds() -> Space:
    return Space(
        Choice("vm", ["small", "large"]),
        Ordinal("vms", [1, 2, 4, 8]),
        where=lambda c: c["vm"] != "small" or c["vms"] >= 4,
    )


def mixed() -> Space:
    return Space(
        Real("rate", 1e-5, 1e-1, log=True),
        Real("momentum", 0, 1),
        Integer("layers", 1, 64),
        Choice("mode", ["sync", "async"]),
        where=lambda c: c["momentum"] < 0.5 or c["mode"] == "sync",
    )


def keys(space: Space, configs: list[Config]) -> set[Any]:
    return {space.key(config) for config in configs}


@given(spaces(), seeds)
def test_decode_undoes_encode(space: Space, seed: int) -> None:
    configs = space.sample(16, np.random.default_rng(seed))
    encoded = space.encode(configs)
    assert encoded.shape == (len(configs), space.width)
    assert (encoded >= 0).all() and (encoded <= 1).all()
    assert space.decode(encoded) == configs


@given(spaces(), seeds)
def test_pools_samples_and_hypercubes_are_distinct_and_canonical(space: Space, seed: int) -> None:
    rng = np.random.default_rng(seed)
    centres = space.sample(2, rng)
    for configs in (space.pool(20, rng, centres), space.latin(5, rng), space.sample(5, rng)):
        assert len(keys(space, configs)) == len(configs)
        assert all(space.check(config) == config for config in configs)


@given(spaces())
def test_a_description_is_stable_json(space: Space) -> None:
    again = Space(*space.parameters)
    assert json.loads(json.dumps(space.describe())) == again.describe()


@given(rows)
def test_a_listed_space_has_exactly_its_configs_in_order(configs: list[Config]) -> None:
    space = Space.of(configs)
    assert space.configs == [c for i, c in enumerate(configs) if c not in configs[:i]]
    assert space.decode(space.grid) == space.configs
    assert all(config in space for config in configs)


def test_where_leaves_only_valid_configs() -> None:
    space = clouds()
    assert space.size == 6
    assert [space.key(c) for c in space.configs] == [
        ("small", 4),
        ("small", 8),
        ("large", 1),
        ("large", 2),
        ("large", 4),
        ("large", 8),
    ]
    assert {"vm": "small", "vms": 4} in space
    assert {"vm": "small", "vms": 2} not in space


def test_a_continuous_or_huge_space_has_no_size() -> None:
    assert mixed().size is None and not mixed().finite
    huge = Space(Integer("a", 1, 2000), Integer("b", 1, 2000))
    assert huge.size is None and not huge.finite
    with pytest.raises(SpaceError, match="ask for a pool"):
        _ = huge.configs


def test_kinds_are_inferred_from_listed_configs() -> None:
    space = Space.of(
        [{"vm": "b", "vms": 4, "spot": True}, {"vm": "a", "vms": np.int64(1), "spot": False}]
    )
    assert space.parameters == (
        Choice("vm", ["b", "a"]),
        Ordinal("vms", [1, 4]),
        Choice("spot", [True, False]),
    )
    assert {"vm": "a", "vms": 4, "spot": True} not in space


def test_a_config_is_made_canonical() -> None:
    config = mixed().check(
        {"mode": "sync", "layers": np.int32(4), "momentum": 1, "rate": 0.1 + 1e-17}
    )
    assert list(config.items()) == [
        ("rate", 0.1),
        ("momentum", 1.0),
        ("layers", 4),
        ("mode", "sync"),
    ]
    assert type(config["layers"]) is int


def test_columns_say_which_parameter_they_encode() -> None:
    space = clouds()
    assert space.columns == {"vm": slice(0, 2), "vms": slice(2, 3)}
    assert space.encode([{"vm": "large", "vms": 8}]).tolist() == [[0, 1, 1]]
    assert space.encode([]).shape == (0, 3)


def test_the_grid_is_the_encoding_of_all_configs() -> None:
    space = clouds()
    assert (space.grid == space.encode(list(space.configs))).all()
    with pytest.raises(ValueError, match="read-only"):
        space.grid[0, 0] = 1


def test_a_pool_of_a_small_space_is_all_of_it() -> None:
    assert clouds().pool(6, np.random.default_rng(0)) == clouds().configs


@pytest.mark.parametrize("count", [1, 7, 100, 3000])
@pytest.mark.parametrize("space", [mixed(), Space(Integer("a", 1, 3001), Integer("b", 1, 2))])
def test_a_pool_has_any_asked_size(space: Space, count: int) -> None:
    assert len(space.pool(count, np.random.default_rng(0))) == count


def test_a_pool_holds_good_configs_and_their_neighbours() -> None:
    space = mixed()
    centre = space.check({"rate": 1e-3, "momentum": 0.2, "layers": 9, "mode": "sync"})
    pool = space.pool(200, np.random.default_rng(0), [centre])
    assert pool[0] == centre
    assert {**centre, "mode": "async"} in pool
    assert {**centre, "layers": 10} in pool
    distances = np.abs(space.encode(pool) - space.encode([centre])).max(axis=1)
    assert 10 < (distances < 0.1).sum() <= 100


def test_a_pool_around_invalid_configs_is_refused() -> None:
    wrong = {"rate": 1e-3, "momentum": 0.9, "layers": 9, "mode": "async"}
    with pytest.raises(SpaceError, match="where refuses"):
        mixed().pool(200, np.random.default_rng(0), [wrong])


def test_a_pool_covers_the_space_evenly() -> None:
    space = Space(Real("a", 0, 1), Real("b", 0, 1))
    encoded = space.encode(space.pool(1024, np.random.default_rng(0)))
    cells = np.unique((encoded * 16).astype(int).clip(0, 15), axis=0, return_counts=True)[1]
    assert len(cells) == 256 and (cells == 4).all()


def test_a_pool_of_a_listed_space_is_of_its_configs() -> None:
    every = [{"a": a, "b": a**2 % 101} for a in range(101)]
    space = Space.of(every)
    pool = space.pool(30, np.random.default_rng(0), every[:3])
    assert len(keys(space, pool)) == 30
    assert all(config in every for config in pool)


def test_the_same_generator_gives_the_same_configs() -> None:
    draws: list[Callable[[np.random.Generator], list[Config]]] = [
        lambda rng: mixed().pool(50, rng, mixed().sample(2, rng)),
        lambda rng: mixed().latin(9, rng),
        lambda rng: clouds().latin(3, rng),
        lambda rng: clouds().sample(3, rng),
    ]
    for draw in draws:
        assert draw(np.random.default_rng(5)) == draw(np.random.default_rng(5))


def test_a_tight_where_gives_what_was_found() -> None:
    tight = Space(Real("a", 0, 1), Real("b", 0, 1), where=lambda c: c["a"] * c["b"] < 1e-4)
    found = tight.pool(5000, np.random.default_rng(0))
    assert 0 < len(found) < 5000
    assert all(c["a"] * c["b"] < 1e-4 for c in found)


def test_a_tight_where_on_a_listable_space_still_finds_all_it_needs() -> None:
    tight = Space(
        Integer("a", 1, 500), Integer("b", 1, 500), where=lambda c: c["a"] == c["b"] > 100
    )
    assert tight.size == 400
    for configs in (
        tight.pool(300, np.random.default_rng(0)),
        tight.latin(10, np.random.default_rng(0)),
    ):
        assert all(config in tight for config in configs)
    assert len(tight.pool(300, np.random.default_rng(0))) == 300


def test_a_continuous_space_without_valid_configs_is_refused_when_drawn() -> None:
    empty = Space(Real("a", 0, 1), where=lambda c: False)
    for draw in (empty.sample, empty.latin, empty.pool):
        with pytest.raises(SpaceError, match="where refused all"):
            draw(3, np.random.default_rng(0))


def test_a_latin_hypercube_has_one_config_in_each_slice() -> None:
    space = Space(Real("a", 0, 1), Real("b", 1, 100, log=True))
    slices = (space.encode(space.latin(11, np.random.default_rng(0))) * 11).astype(int)
    assert sorted(slices[:, 0]) == sorted(slices[:, 1]) == list(range(11))


def test_a_latin_hypercube_of_a_listed_space_is_spread() -> None:
    space = Space.of([{"a": i} for i in range(1, 10)])
    for seed in range(20):
        drawn = sorted(c["a"] for c in space.latin(3, np.random.default_rng(seed)))
        assert drawn[0] <= 4 and drawn[2] >= 6 and len(set(drawn)) == 3


def test_asking_for_more_than_there_is_gives_all_in_some_order() -> None:
    space, rng = clouds(), np.random.default_rng(0)
    for configs in (space.latin(99, rng), space.sample(99, rng)):
        assert len(configs) == 6 and keys(space, configs) == keys(space, space.configs)


def test_samples_are_uniform_over_valid_configs() -> None:
    space, rng = clouds(), np.random.default_rng(0)
    drawn = [space.key(space.sample(1, rng)[0]) for _ in range(3000)]
    shares = [drawn.count(space.key(config)) / 3000 for config in space.configs]
    assert shares == pytest.approx([1 / 6] * 6, abs=0.03)


def test_another_set_of_valid_configs_is_another_description() -> None:
    parameters = [Choice("a", [1, 2, 3]), Real("x", 0, 1)]
    wheres: list[Callable[[Config], bool] | None] = [
        None,
        lambda c: c["a"] != 1,
        lambda c: c["a"] != 2,
    ]
    for some in (parameters[:1], parameters):
        described = [json.dumps(Space(*some, where=where).describe()) for where in wheres]
        assert len(set(described)) == 3
        assert described == [json.dumps(Space(*some, where=where).describe()) for where in wheres]


def test_the_order_of_listed_configs_is_part_of_the_description() -> None:
    configs = [{"a": "x", "b": 1}, {"a": "y", "b": 2}]
    assert Space.of(configs).describe() == Space.of(list(configs)).describe()
    assert Space.of(configs).describe() != Space.of(configs[::-1]).describe()


@pytest.mark.parametrize("limited", [False, True])
def test_a_hundred_thousand_configs_are_listed_and_encoded(limited: bool) -> None:
    space = Space(
        Choice("vm", [f"type{i}" for i in range(10)]),
        Ordinal("vms", [2**i for i in range(10)]),
        Integer("layers", 1, 10),
        Integer("width", 1, 101),
        where=(lambda c: c["vm"] != "type0" or c["vms"] >= 2) if limited else None,
    )
    assert space.encode(space.configs).shape == (space.size, space.width)
    assert space.size is not None and space.size >= 99_900


def test_a_hundred_thousand_configs_may_be_listed() -> None:
    configs = [{"a": i % 1000, "b": f"v{i // 1000}"} for i in range(100_000)]
    space = Space.of(configs)
    assert len(space.encode(space.configs)) == 100_000


def test_a_measured_table_is_a_space() -> None:
    lines = table_path("trimtuner/cnn.csv").read_text().splitlines()
    configs = [
        {"vm": vm, "vms": int(vms), "rate": float(rate), "batch": int(batch), "mode": mode}
        for vm, vms, rate, batch, mode, *_ in (line.split(",") for line in lines[1:])
    ]
    space = Space.of(configs)
    assert space.size == 288
    assert space.decode(space.grid) == space.configs


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Space(), "at least one parameter"),
        (lambda: Space(Choice("a", [1]), Real("a", 0, 1)), "two parameters are named 'a'"),
        (lambda: Space([Real("x", 0, 1)]), "one by one"),  # type: ignore[arg-type] # the mistake
        (lambda: Space({"a": 1}), "is not a parameter"),  # type: ignore[arg-type] # the mistake
        (lambda: Space(Choice("a", [1]), where=3), "where is 3"),  # type: ignore[arg-type] # the mistake
        (lambda: Space(Choice("a", [1, 2]), where=lambda c: False), "refuses all 2 configs"),
        (lambda: Space(Choice("vms", [1]), where=lambda c: c["vm"]), "did you mean 'vms'?"),
        (lambda: Space(Choice("a", [0]), where=lambda c: 1 / c["a"] > 0), "ZeroDivisionError"),
        (lambda: Space(Choice("a", [0]), where=lambda c: dict[str, bool]()["x"]), "KeyError('x')"),
        (lambda: Space.of([]), "empty"),
        (lambda: Space.of([3]), "config 3: expected a dict"),  # type: ignore[list-item] # the mistake
        (lambda: Space.of([{"a": 1}, {"a": 1, "b": 2}]), "differ in 'b'"),
        (lambda: Space.of([{"a": [1]}]), "expected scalars"),
        (lambda: clouds().check({"vm": "small"}), "has no 'vms'"),
        (lambda: clouds().check({"vm": "small", "vm5": 4}), "unknown parameter 'vm5'"),
        (lambda: clouds().check({"vm": "small", "vms": 3}), "the nearest is 2"),
        (lambda: clouds().check({"vm": "small", "vms": 1}), "where refuses this combination"),
        (lambda: clouds().check(["small", 1]), "expected a dict"),  # type: ignore[arg-type] # the mistake
        (
            lambda: Space.of([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]).check({"a": 1, "b": "y"}),
            "not one of the 2 listed; the nearest is {'a': 2, 'b': 'y'}",
        ),
        (lambda: clouds().sample(0, np.random.default_rng(0)), "0 configs were asked for"),
    ],
)
def test_a_wrong_space_or_config_is_refused_with_a_sentence(
    build: Callable[[], object], says: str
) -> None:
    refused(build, says)


def test_the_public_names_are_sorted_and_there() -> None:
    assert tunewise.space.__all__ == sorted(tunewise.space.__all__)
    assert all(hasattr(tunewise.space, name) for name in tunewise.space.__all__)


def test_near_configs_are_the_same_to_three_digits() -> None:
    space = Space(
        Real("rate", 1e-4, 1.0, log=True), Real("x", 0, 10), Choice("vm", ["a", "b"]),
        Ordinal("width", list(range(5000))),
    )  # fmt: skip
    base = {"rate": 0.01, "x": 5.0, "vm": "a", "width": 7}
    others = [
        (base, True),
        ({**base, "x": 5.009}, True),
        ({**base, "x": 5.011}, False),
        ({**base, "rate": 0.01005}, True),
        ({**base, "rate": 0.0102}, False),
        ({**base, "vm": "b"}, False),
        ({**base, "width": 8}, False),
    ]
    assert space.near([c for c, _ in others], [base]).tolist() == [near for _, near in others]
    assert space.near([base], []).tolist() == [False]


def test_configs_of_a_list_are_near_only_to_themselves() -> None:
    space = Space(Integer("n", 1, 50_000))
    assert space.near([{"n": 7}, {"n": 8}], [{"n": 7}]).tolist() == [True, False]


def test_the_config_that_differs_is_the_one_that_is_named() -> None:
    configs = [{"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 3}]
    with pytest.raises(SpaceError, match=r"config {'a': 3} and the first one differ in 'b'"):
        Space.of(configs)


def test_a_parameter_shows_its_first_eight_values() -> None:
    assert Ordinal("n", range(1, 9)).range == "1, 2, 3, 4, 5, 6, 7, 8"
    assert Ordinal("n", range(1, 10)).range == "1, 2, 3, 4, 5, 6, 7, 8, … (9 values)"
