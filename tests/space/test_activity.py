"""Conditional parameters: absent from a config unless another parameter has a certain value."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.errors import SpaceError
from tunewise.problem import Problem
from tunewise.space import Choice, Cluster, Config, Integer, Ordinal, Parameter, Real, Space

seeds = st.integers(0, 2**32 - 1)


def optimizers() -> Space:
    return Space(
        Real("momentum", 0.0, 0.99, when={"optimizer": ["sgd", "nesterov"]}),
        Choice("optimizer", ["adam", "sgd", "nesterov"]),
        Real("damping", 0.0, 1.0, when={"nested": True}),
        Choice("nested", [True, False], when={"optimizer": "nesterov"}),
        Real("rate", 1e-5, 1e-1, log=True),
    )


def listable(**more: Any) -> Space:
    return Space(
        Choice("kind", ["tree", "net"]),
        Ordinal("depth", [2, 4, 8], when={"kind": "tree"}),
        Integer("layers", 1, 3, when={"kind": "net"}),
        Choice("wide", [True, False], when={"layers": [2, 3]}),
        **more,
    )


@st.composite
def conditional_spaces(draw: st.DrawFn) -> Space:
    """Finite and continuous spaces with chains and several conditions, in any order."""
    made: list[Parameter] = []
    for i in range(draw(st.integers(2, 6))):
        deciders = [p for p in made if p.size is not None]
        chosen = draw(st.lists(st.sampled_from(deciders), max_size=2, unique=True)) if made else []
        when = {
            p.name: draw(st.lists(st.sampled_from(p.values()), min_size=1, max_size=2, unique=True))
            for p in chosen
        }
        kinds: list[Parameter] = [
            Choice(f"p{i}", ["a", "b", None], when or None),
            Ordinal(f"p{i}", [1, 2, 40], when or None),
            Integer(f"p{i}", 1, 4, when=when or None),
        ]
        if i:
            kinds.append(Real(f"p{i}", 0.0, 1.0, when=when or None))
            kinds.append(Cluster(f"p{i}", ["t2.small", "t2.medium"], [1, 2], when=when or None))
        made.append(draw(st.sampled_from(kinds)))
    return Space(*draw(st.permutations(made)))


def applies(space: Space, name: str, config: Config) -> bool:
    """By the words of `when` alone."""
    parameter = next(p for p in space.parameters if p.name == name)
    return all(
        applies(space, other, config) and config.get(other, "missing") in values
        for other, values in parameter.when.items()
    )


def as_said(space: Space, config: Config) -> bool:
    return all((name in config) == applies(space, name, config) for name in space.names)


@given(conditional_spaces(), seeds)
def test_all_that_is_drawn_has_exactly_the_parameters_that_apply(space: Space, seed: int) -> None:
    rng = np.random.default_rng(seed)
    centres = space.sample(2, rng)
    for configs in (space.pool(30, rng, centres), space.latin(8, rng), space.sample(8, rng)):
        assert all(as_said(space, config) for config in configs)
        assert all(space.check(config) == config for config in configs)
        assert len({space.key(config) for config in configs}) == len(configs)


@given(conditional_spaces(), seeds)
def test_decode_undoes_encode_and_inactive_places_are_neutral(space: Space, seed: int) -> None:
    configs = space.sample(16, np.random.default_rng(seed))
    encoded = space.encode(configs)
    assert (encoded >= 0).all() and (encoded <= 1).all()
    assert space.decode(encoded) == configs
    for parameter in space.parameters:
        lacking = [i for i, config in enumerate(configs) if parameter.name not in config]
        place = encoded[lacking][:, space.columns[parameter.name]]
        assert np.allclose(place, parameter.neutral)


@given(conditional_spaces())
def test_a_finite_space_lists_each_config_once_and_none_is_missing(space: Space) -> None:
    if not space.finite:
        return
    keys = [space.key(config) for config in space.configs]
    assert len(set(keys)) == len(keys) == space.size
    drawn = space.draw(np.random.default_rng(0).random((400, len(space.parameters))))
    assert {space.key(config) for config in drawn} <= set(keys)
    assert np.allclose(space.grid, space.encode(list(space.configs)))


@given(conditional_spaces())
def test_a_description_makes_the_space_again(space: Space) -> None:
    described = json.loads(json.dumps(space.describe()))
    again = Space.from_description(described)
    assert again.describe() == described
    assert again.size == space.size
    if space.finite:
        assert again.configs == space.configs


def test_a_listed_conditional_space_by_hand() -> None:
    assert listable().size == 3 + 1 + 2 * 2
    assert listable().configs[:2] == [
        {"kind": "tree", "depth": 2},
        {"kind": "tree", "depth": 4},
    ]
    assert {"kind": "net", "layers": 1} in listable().configs


def test_where_sees_only_what_applies_and_is_described() -> None:
    space = listable(where=lambda c: c.get("depth", 0) < 8 and c.get("wide") is not False)
    assert space.size == 2 + 1 + 2
    again = Space.from_description(json.loads(json.dumps(space.describe())))
    assert again.configs == space.configs
    with pytest.raises(SpaceError, match=r"'depth' does not apply to it: ask for config\.get"):
        assert listable(where=lambda c: c["depth"] < 8).size


def test_a_huge_product_with_few_configs_is_listed() -> None:
    branches = [Integer(f"x{i}", 1, 50, when={"branch": i}) for i in range(20)]
    space = Space(Ordinal("branch", list(range(20))), *branches)
    assert space.size == 20 * 50


def test_a_continuous_parameter_that_seldom_applies_makes_the_space_continuous() -> None:
    assert optimizers().size is None


@pytest.mark.parametrize(
    "config, said",
    [
        ({"optimizer": "adam", "rate": 0.1, "momentum": 0.5}, "'momentum', which applies only"),
        ({"optimizer": "sgd", "rate": 0.1}, "has no 'momentum', which applies when optimizer is"),
        ({"optimizer": "nesterov", "momentum": 0.1, "rate": 0.1}, "has no 'nested'"),
        (
            {"optimizer": "nesterov", "momentum": 0.1, "rate": 0.1, "nested": True},
            "no 'damping', which applies when nested is True",
        ),
    ],
)
def test_a_config_with_too_much_or_too_little_is_refused(config: Config, said: str) -> None:
    with pytest.raises(SpaceError, match=said):
        optimizers().check(config)


def test_none_stands_for_a_parameter_that_does_not_apply() -> None:
    config = {"optimizer": "adam", "rate": 0.1, "momentum": None}
    assert optimizers().check(config) == {"optimizer": "adam", "rate": 0.1}


@pytest.mark.parametrize(
    "parameters, said",
    [
        ([Real("a", 0, 1, when={"b": 1})], "there is no such parameter"),
        ([Real("a", 0, 1), Real("b", 0, 1, when={"a": 0.5})], "'a' is continuous"),
        ([Choice("a", ["x"]), Real("b", 0, 1, when={"a": "y"})], "a = 'y' is not valid"),
        (
            [Choice("a", [1, 2], when={"b": 1}), Choice("b", [1, 2], when={"a": 1})],
            "'a' and 'b' wait for each other",
        ),
    ],
)
def test_conditions_that_cannot_be_meant_are_refused(parameters: list[Any], said: str) -> None:
    with pytest.raises(SpaceError, match=said):
        Space(*parameters)


@pytest.mark.parametrize("when, said", [({}, "has when"), ("sgd", "has when"), ({"a": 1}, "itself"),
                                        ({"b": []}, "applies for no value")])  # fmt: skip
def test_a_condition_must_name_a_value_of_another_parameter(when: Any, said: str) -> None:
    with pytest.raises(SpaceError, match=said):
        Choice("a", [1, 2], when=when)


def test_conditions_are_inferred_from_listed_configs() -> None:
    configs = [
        {"optimizer": "adam", "rate": 0.1},
        {"optimizer": "sgd", "rate": 0.1, "momentum": 0.5},
        {"optimizer": "sgd", "rate": 0.2, "momentum": 0.9},
    ]
    space = Space.of(configs)
    assert space.configs == configs
    assert space.parameters[2].when == {"optimizer": ("sgd",)}
    again = Space.from_description(json.loads(json.dumps(space.describe())))
    assert again.configs == configs
    with pytest.raises(SpaceError, match="differ in 'momentum'"):
        Space.of([*configs, {"optimizer": "sgd", "rate": 0.3}])


def test_only_the_cluster_that_applies_is_paid_for() -> None:
    space = Space(
        Choice("cloud", ["small", "large"]),
        Cluster("a", ["t2.small"], [1, 2], when={"cloud": "small"}),
        Cluster("b", ["t2.xlarge"], [1, 2], when={"cloud": "large"}),
    )
    problem = Problem(space, minimize="cost")
    assert problem.hourly({"cloud": "small", "a": "t2.small:1"}) == pytest.approx(0.023)
