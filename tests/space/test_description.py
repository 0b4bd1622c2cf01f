"""A space and a problem can be made again from their descriptions."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.space.spaces import spaces
from tunewise.errors import ProblemError, SpaceError
from tunewise.problem import Problem
from tunewise.space import Billing, Choice, Cluster, Integer, Ordinal, Real, Space
from tunewise.space.description import MOST_RUNS


def again(space: Space) -> Space:
    return Space.from_description(json.loads(json.dumps(space.describe())))


@given(spaces())
def test_a_space_without_functions_is_made_again(space: Space) -> None:
    rebuilt = again(space)
    assert rebuilt.parameters == space.parameters
    assert rebuilt.describe() == space.describe()
    configs = space.sample(5, np.random.default_rng(0))
    np.testing.assert_allclose(rebuilt.encode(configs), space.encode(configs), atol=1e-12)


def test_a_listed_space_keeps_its_configs_and_their_order() -> None:
    configs = [{"vm": "b", "vms": 2}, {"vm": "a", "vms": 4}, {"vm": "b", "vms": 1}]
    space = Space.of(configs)
    assert again(space).configs == configs
    assert again(space).describe() == space.describe()


def test_a_finite_space_keeps_its_valid_combinations() -> None:
    space = Space(
        Choice("vm", ["small", "large"]),
        Ordinal("vms", [1, 2, 4, 8]),
        Integer("layers", 1, 3),
        where=lambda c: c["vm"] != "small" or c["vms"] >= 4,
    )
    assert again(space).configs == space.configs
    assert again(space).describe() == space.describe()
    assert {"vm": "small", "vms": 1, "layers": 1} not in again(space)


def test_scattered_valid_combinations_are_only_recognised() -> None:
    space = Space(Integer("x", 1, 3 * MOST_RUNS), where=lambda c: c["x"] % 2 == 0)
    described = space.describe()
    assert "runs" not in described["valid"]
    assert len(json.dumps(described)) < 1000


def test_a_cluster_keeps_its_prices_and_features() -> None:
    cluster = Cluster("machines", ["t2.small", "t2.xlarge"], [1, 3], helpers=["same", "t2.2xlarge"])
    space = Space(cluster, Real("rate", 0, 1))
    rebuilt = again(space)
    config = {"machines": "t2.xlarge:3", "rate": 0.5}
    assert space.price is not None and rebuilt.price is not None
    assert rebuilt.price(config) == space.price(config)
    assert rebuilt.parameters[0].describe() == cluster.describe()


@pytest.mark.parametrize("wrong", [{"kind": "choise", "name": "x"}, {"name": "x"}])
def test_an_unknown_kind_of_parameter_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpaceError, match="unknown kind of parameter"):
        Space.from_description({"parameters": [wrong]})


def test_a_problem_is_made_again() -> None:
    problem = Problem(
        Space(Choice("vm", ["a", "b"])),
        minimize="latency",
        subject_to=["cost <= 0.123456789", "time <= 5 min", "recall >= 0.5"],
        fractions=(1 / 60, 1.0),
        deploy="any",
        budget=3.0,
        billing=Billing(1.0, 60.0),
        metrics={"latency": "positive", "recall": "share"},
    )
    described = json.loads(json.dumps(problem.describe()))
    rebuilt = Problem.from_description(described)
    assert rebuilt.describe() == problem.describe()
    assert rebuilt.metrics == problem.metrics
    assert rebuilt.constraints == problem.constraints


@pytest.mark.parametrize("wrong", [{}, {"space": {}}, {"space": 1}])
def test_what_describes_no_problem_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ProblemError, match="not understood"):
        Problem.from_description(wrong)
