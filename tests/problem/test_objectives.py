"""What is wanted, in words and in comparisons."""

from typing import Any

import pytest

import tunewise as tw
from tunewise.errors import ProblemError

SPACE = tw.Space(tw.Ordinal("vms", [1, 2, 4]))


def problem(**more: Any) -> tw.Problem:
    return tw.Problem(SPACE, **more)


@pytest.mark.parametrize(
    ("wanted", "aim"),
    [
        ({"maximize": "accuracy"}, "maximise accuracy"),
        ({"minimize": ["cost", "time"]}, "minimise cost and time"),
        ({"maximize": ["accuracy"], "minimize": ["cost"]}, "maximise accuracy and minimise cost"),
        (
            {"maximize": ["accuracy"], "minimize": ["cost", "time"]},
            "maximise accuracy, minimise cost and time",
        ),
        (
            {"minimize": ["cost", "time", "memory"], "maximize": "accuracy"},
            "maximise accuracy, minimise cost, time and memory",
        ),
    ],
)
def test_the_aim_is_a_phrase(wanted: dict[str, Any], aim: str) -> None:
    assert problem(**wanted).aim == aim
    assert problem(**wanted).goal == aim


def test_the_goal_has_the_limits_with_their_units() -> None:
    told = problem(minimize="cost", subject_to=["time <= 5 min", "accuracy >= 0.9"])
    assert told.limits == ("time ≤ 5 m", "accuracy ≥ 0.9")
    assert told.goal == "minimise cost with time ≤ 5 m and accuracy ≥ 0.9"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"maximize": 5}, "the objective is 5; expected the name of a metric"),
        ({"maximize": [5]}, "the objective is 5"),
        ({"maximize": ""}, "the objective is ''"),
        ({"maximize": []}, "or lists of metrics"),
        ({"maximize": ["accuracy", "accuracy"]}, "'accuracy' is given twice"),
        ({"maximize": ["cost"], "minimize": ["cost"]}, "'cost' is given twice"),
        ({"maximize": "Accuracy"}, "did you mean 'accuracy'"),
        ({"maximize": "accuracy", "directions": ["max"]}, "write what is wanted, as in"),
        ({"maximize": "accuracy", "catalogue": 5}, "catalogue is 5; expected a tunewise.Catalogue"),
        ({"maximize": "accuracy", "budget": 0}, "budget is 0; expected an amount of USD above 0"),
        ({"maximize": "accuracy", "budget": "inf"}, "budget is 'inf'"),
        ({"maximize": "accuracy", "fractions": (True, 1)}, "fraction True"),
        ({"maximize": "accuracy", "fractions": ()}, "must include 1"),
        ({"maximize": "accuracy", "fractions": ["a", 1]}, "fraction 'a'"),
        ({"maximize": "accuracy", "fractions": 0.5}, r"fractions \[0.5\] must include 1"),
    ],
)
def test_what_is_unclear_is_refused_with_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ProblemError, match=sentence):
        problem(**wrong)


def test_a_space_is_a_space() -> None:
    with pytest.raises(ProblemError, match=r"space is \[1\]; expected a tunewise.Space"):
        tw.Problem([1], maximize="accuracy")  # type: ignore[arg-type] # wrong on purpose


def test_a_metric_far_from_all_known_ones_is_ones_own() -> None:
    assert problem(maximize="f1").metric("f1").kind == "real"
    assert problem(maximize="f1", metrics={"f1": "share"}).metric("f1").kind == "share"
    assert problem(maximize="f1").metric("unasked").kind == "real"
    # What everybody knows stays what it is.
    assert problem(maximize="f1", metrics={"cost": "real"}).metric("cost").kind == "positive"


def test_better_is_more_or_less_and_never_the_same() -> None:
    more, less = problem(maximize="accuracy"), problem(minimize="cost")
    assert more.better(2.0, 1.0) and not more.better(1.0, 2.0) and not more.better(1.0, 1.0)
    assert less.better(1.0, 2.0) and not less.better(2.0, 1.0) and not less.better(1.0, 1.0)


def test_one_dominates_another_by_being_no_worse_and_somewhere_better() -> None:
    both = problem(maximize=["accuracy"], minimize=["cost"])

    def dominates(a: tuple[float, float], b: tuple[float, float]) -> bool:
        names = ("accuracy", "cost")
        return both.dominates(dict(zip(names, a, strict=True)), dict(zip(names, b, strict=True)))

    assert dominates((0.9, 1.0), (0.8, 2.0))
    assert dominates((0.9, 1.0), (0.9, 2.0)) and dominates((0.9, 1.0), (0.8, 1.0))
    assert not dominates((0.9, 1.0), (0.9, 1.0))
    assert not dominates((0.9, 2.0), (0.8, 1.0)) and not dominates((0.8, 1.0), (0.9, 2.0))


def test_needed_are_objectives_and_limits_in_order_and_once() -> None:
    told = problem(
        maximize=["accuracy"], minimize=["cost"], subject_to=["time <= 9", "cost <= 1", "time >= 1"]
    )
    assert told.needed == ("accuracy", "cost", "time")


def test_fractions_ascend_and_come_once() -> None:
    told = problem(maximize="accuracy", fractions=[1, 0.9, 0.1, 0.5, 1 / 60, 0.25, 0.5])
    assert told.fractions == (1 / 60, 0.1, 0.25, 0.5, 0.9, 1.0)


def test_a_slice_is_deployed_only_where_any_may_be() -> None:
    told = [problem(maximize="accuracy", deploy=how) for how in ("full", "any")]
    assert [[each.deployable(s) for s in (0.5, 1.0)] for each in told] == [
        [False, True],
        [True, True],
    ]


def test_a_problem_in_words_is_as_it_would_be_written() -> None:
    told = problem(maximize="accuracy", subject_to="cost <= 0.1", fractions=(1, 0.25), budget="2 $")
    said = repr(told)
    assert "maximize='accuracy', subject_to=['cost <= 0.1'], fractions=(1/4, 1), budget=2)" in said
    assert repr(problem(minimize="cost", deploy="any")).endswith(", minimize='cost', deploy='any')")
    assert repr(problem(minimize="cost")).endswith(", minimize='cost')")


def test_a_problem_in_a_notebook_names_goal_budget_and_data() -> None:
    shown = problem(maximize="accuracy", budget=2.0, fractions=(0.1, 1.0))._repr_html_()
    assert "goal <b>maximise accuracy</b>" in shown and "budget <b>2.00 USD</b>" in shown
    assert "data <b>1/10, all</b>" in shown
    plain = problem(maximize="accuracy")._repr_html_()
    assert "budget" not in plain and "data <b>" not in plain
    assert repr(problem(maximize="accuracy")).startswith("Problem(Space(")


def test_an_objective_in_words_names_its_direction() -> None:
    both = problem(maximize=["accuracy"], minimize=["cost"])
    assert [str(objective) for objective in both.objectives] == [
        "maximise accuracy", "minimise cost"
    ]  # fmt: skip


def test_only_a_name_close_to_a_known_one_is_taken_for_a_slip() -> None:
    with pytest.raises(ProblemError, match="did you mean 'accuracy'"):
        problem(maximize="acuracy")
    # Three letters of four are not close: this is a metric of one's own.
    assert problem(minimize="last").objective == "last"
