"""What differs between two problems is said one thing at a time."""

from typing import Any

import pytest

import tunewise as tw
from tunewise.problem.changes import changes, differences

RATE = tw.Real("rate", 1e-5, 1e-1, log=True)
LAYERS = tw.Integer("layers", 1, 4)
SGD = tw.Choice("optimizer", ["sgd", "adam"])


def described(*parameters: tw.Parameter, where: Any = None, **wanted: Any) -> dict[str, Any]:
    space = tw.Space(*parameters or (RATE,), where=where)
    return tw.Problem(space, **{"maximize": "accuracy", **wanted}).describe()


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ([RATE], [RATE, LAYERS], ["the parameter layers is new"]),
        ([RATE, LAYERS], [LAYERS], ["the parameter rate is gone"]),
        (
            [RATE, LAYERS],
            [tw.Real("rate", 1e-5, 1.0, log=True), LAYERS],
            ["rate went from 1e-5 to 0.1, log and goes from 1e-5 to 1, log"],
        ),
        (
            [LAYERS],
            [tw.Ordinal("layers", [1, 2])],
            ["layers was an integer from 1 to 4 and is an ordinal of 1 and 2"],
        ),
        (
            [SGD],
            [tw.Choice("optimizer", ["adam", "lion", "rmsprop"])],
            ["optimizer has no sgd any more and has lion and rmsprop too"],
        ),
        (
            [tw.Ordinal("batch", [1, 2])],
            [tw.Ordinal("batch", list(range(1, 20)))],
            ["batch has 3, 4, 5, 6, 7, 8 and 11 more too"],
        ),
        (
            [SGD, tw.Real("momentum", 0, 1)],
            [SGD, tw.Real("momentum", 0, 1, when={"optimizer": "sgd"})],
            ["momentum counted always and counts when optimizer is sgd"],
        ),
    ],
)
def test_a_space_differs_parameter_by_parameter(
    before: list[tw.Parameter], after: list[tw.Parameter], said: list[str]
) -> None:
    assert changes(described(*before), described(*after)) == said


def test_other_valid_combinations_are_a_difference() -> None:
    one = described(LAYERS, where=lambda c: c["layers"] > 1)
    assert changes(one, described(LAYERS)) == ["other combinations of values are valid (where)"]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            {},
            {"maximize": None, "minimize": "loss"},
            "the goal was to maximize accuracy and is to minimize loss",
        ),
        (
            {"subject_to": "cost <= 0.02"},
            {"subject_to": "cost <= 0.05"},
            "the limit cost <= 0.02 became cost <= 0.05",
        ),
        ({"subject_to": "cost <= 0.02"}, {}, "the limit cost <= 0.02 is gone"),
        ({}, {"subject_to": "time <= 60"}, "the limit time <= 60 is new"),
        ({}, {"fractions": (0.5, 1)}, "fractions was 1 and is 0.5 and 1"),
    ],
)
def test_goals_limits_and_fractions_are_said_as_they_are_written(
    before: dict[str, Any], after: dict[str, Any], said: str
) -> None:
    assert changes(described(**before), described(**after)) == [said]


def test_what_cannot_be_read_still_differs() -> None:
    assert changes({"space": 1}, {"space": 2}) == ["what is wanted"]
    assert changes({"space": 1}, {"space": 1}) == []


def test_a_budget_is_no_difference_and_old_descriptions_have_no_price() -> None:
    before = {"maximize": "accuracy", "budget": 1.0}
    assert differences(before, {"maximize": "accuracy", "budget": 2.0, "price": "a function"}) == {}
    assert differences(before, {"minimize": "cost"}) == {
        "minimize": (None, "cost"),
        "maximize": ("accuracy", None),
    }
