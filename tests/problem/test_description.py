"""A problem as plain data, and back."""

import json
from typing import Any

import pytest

import tunewise as tw
from tunewise.errors import ProblemError
from tunewise.problem import Problem

MINE = tw.Catalogue([tw.VM("m5.large", 2, 8, price=0.05)])
SPACE = tw.Space(tw.Choice("vm", ["m5.large", "m5.xlarge"]), tw.Integer("layers", 1, 4))


def described(**more: Any) -> tuple[Problem, dict[str, Any]]:
    problem = Problem(SPACE, **{"maximize": "accuracy", "catalogue": tw.Catalogue([]), **more})
    return problem, json.loads(json.dumps(problem.describe()))


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"subject_to": ["cost <= 0.1", "time <= 123456.789"], "budget": 5.0, "deploy": "any"},
        {"maximize": ["accuracy"], "minimize": ["cost", "time"], "fractions": (0.1, 1)},
        {"maximize": None, "minimize": "f1", "metrics": {"f1": "share", "memory": "positive"}},
        {"maximize": ["accuracy", "f1"], "billing": tw.Billing(tick=1.0, minimum=60.0)},
        {"catalogue": MINE},
    ],
)
def test_a_described_problem_comes_back_as_it_was(more: dict[str, Any]) -> None:
    problem, data = described(**more)
    back = Problem.from_description(data)
    assert back.describe() == data
    assert back.objectives == problem.objectives
    assert back.constraints == problem.constraints
    assert back.metrics == problem.metrics
    assert back.machines == problem.machines
    assert (back.billing.tick, back.billing.minimum) == (
        problem.billing.tick,
        problem.billing.minimum,
    )
    assert back.lost == ()


def test_a_description_says_only_what_is_ones_own() -> None:
    _, data = described()
    assert data["maximize"] == "accuracy" and "minimize" not in data
    assert data["metrics"] == {}
    assert "price" not in data and "machines" not in data
    _, data = described(maximize=["f1", "accuracy"])
    assert data["maximize"] == ["f1", "accuracy"] and "minimize" not in data
    assert data["metrics"] == {"f1": "real"}
    _, data = described(maximize=["accuracy"], minimize=["cost"])
    assert (data["maximize"], data["minimize"]) == (["accuracy"], ["cost"])
    _, data = described(catalogue=MINE)
    assert [vm["name"] for vm in data["machines"]] == ["m5.large"]


def test_functions_that_a_description_cannot_keep_are_named() -> None:
    space = tw.Space(tw.Real("rate", 0.0, 1.0), where=lambda config: config["rate"] > 0.5)
    problem = Problem(space, maximize="accuracy", price=lambda config: 1.0)
    data = json.loads(json.dumps(problem.describe()))
    assert data["price"] == "a function"
    assert Problem.from_description(data).lost == ("where", "price")
    only_price = Problem(SPACE, maximize="accuracy", price=lambda config: 1.0).describe()
    assert Problem.from_description(only_price).lost == ("price",)


def test_a_description_of_another_kind_gets_a_sentence() -> None:
    _, data = described()
    for wrong in ({}, {**data, "horizon": 3}, {**data, "space": 7}, {**data, "billing": {"x": 1}}):
        with pytest.raises(ProblemError, match="the described problem is not understood"):
            Problem.from_description(wrong)


def test_a_resumed_problem_knows_the_machines_of_its_beginning() -> None:
    today, data = described()
    _, then = described(catalogue=MINE)
    before = today.with_machines(then)
    assert before.machines.names == ["m5.large"]
    assert not len(today.machines)
    assert before.space is today.space
    assert today.with_machines(data) is today
