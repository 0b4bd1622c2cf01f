import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tunewise as tw
from tunewise.errors import MeasurementError, ProblemError
from tunewise.history import completed
from tunewise.problem import KNOWN, parse_constraint, quantity
from tunewise.problem.listed import listed

SPACE_OF_VMS = tw.Space(tw.Ordinal("vms", [1, 2]))

SPACE = tw.Space(tw.Ordinal("vms", [1, 2, 4]))


@pytest.mark.parametrize(
    ("text", "metric", "sign", "bound"),
    [
        ("time <= 5 min", "time", "<=", 300.0),
        ("time<=1h", "time", "<=", 3600.0),
        ("time <= 1h30m", "time", "<=", 5400.0),
        ("time <= 1 h 30 min", "time", "<=", 5400.0),
        ("time <= 500 ms", "time", "<=", 0.5),
        ("cost <= 2 USD", "cost", "<=", 2.0),
        ("cost <= $2.5", "cost", "<=", 2.5),
        ("cost < 10 cents", "cost", "<=", 0.1),
        ("accuracy >= 85 %", "accuracy", ">=", 0.85),
        ("accuracy ≥ 0.85", "accuracy", ">=", 0.85),
        ("cost <= 1e-3", "cost", "<=", 0.001),
        ("cost <= 1_000", "cost", "<=", 1000.0),
    ],
)
def test_constraints_are_read_with_their_units(
    text: str, metric: str, sign: str, bound: float
) -> None:
    read = parse_constraint(text, KNOWN)
    assert (read.metric, read.sign) == (metric, sign)
    assert read.bound == pytest.approx(bound)


@given(
    st.sampled_from(["time", "cost"]),
    st.sampled_from(["<=", ">="]),
    st.floats(1e-6, 1e6, allow_nan=False),
)
def test_a_constraint_survives_being_written_and_read(metric: str, sign: str, bound: float) -> None:
    as_triple = parse_constraint((metric, sign, bound), KNOWN)
    as_text = parse_constraint(f"{metric} {sign} {bound!r}", KNOWN)
    assert as_triple == as_text == parse_constraint(as_text, KNOWN)
    assert as_text.bound == bound
    assert as_text.holds(bound) and as_text.violation(bound) == 0


@given(st.text(max_size=30))
def test_any_text_is_a_constraint_or_a_sentence(text: str) -> None:
    try:
        parse_constraint(text, KNOWN)
    except ProblemError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"maximize": "acuracy"}, "did you mean 'accuracy'"),
        ({"maximize": "accuracy", "subject_to": ["latency <= 3"]}, "unknown metric 'latency'"),
        ({"maximize": "accuracy", "subject_to": ["csot <= 3"]}, "did you mean 'cost'"),
        ({"maximize": "accuracy", "subject_to": ["cost <= -1"]}, "can never hold"),
        ({"maximize": "accuracy", "subject_to": ["cost <= 0"]}, "can never hold: cost is above 0"),
        ({"maximize": "accuracy", "subject_to": ["accuracy >= 1.5"]}, "can never hold"),
        ({"maximize": "accuracy", "subject_to": ["accuracy >= 80"]}, "and 1; write 80 %"),
        ({"maximize": "accuracy", "subject_to": ["cost <= 1", "cost >= 2"]}, "cannot both hold"),
        ({"maximize": "accuracy", "subject_to": ["cost <= nan"]}, "finite"),
        ({"maximize": "accuracy", "subject_to": ["time <= 5 parsec"]}, "unknown unit 'parsec'"),
        ({"maximize": "accuracy", "subject_to": ["cost == 5"]}, "expected <= or >="),
        ({"maximize": "accuracy", "subject_to": ["cheap please"]}, "not understood"),
        ({"maximize": "accuracy", "subject_to": [7]}, "not understood"),
        ({"maximize": "accuracy", "minimize": "cost"}, "exactly one"),
        ({}, "exactly one"),
        ({"maximize": "accuracy", "fractions": (0.5,)}, "must include 1"),
        ({"maximize": "accuracy", "fractions": (0, 1)}, "fraction 0"),
        ({"maximize": "accuracy", "fractions": "0.5"}, "fractions is '0.5'; expected a list of"),
        ({"maximize": "accuracy", "fractions": (1.5, 1)}, "fraction 1.5"),
        ({"maximize": "accuracy", "deploy": "ful"}, "did you mean 'full'"),
        ({"maximize": "accuracy", "budget": -3}, "budget is -3"),
        ({"maximize": "accuracy", "budget": "much"}, "not a number"),
        ({"maximize": "accuracy", "price": "cheap"}, "price is 'cheap'"),
        ({"maximize": "accuracy", "price": "-1 USD/h"}, "price is '-1 USD/h'"),
        ({"maximize": "accuracy", "price": "0.3 EUR/h"}, "unknown unit 'eur'"),
        ({"maximize": "accuracy", "price": "3 USD/week"}, "unknown unit 'week'"),
        ({"maximize": "accuracy", "price": True}, "price is True"),
        ({"maximize": "accuracy", "subject_to": None}, "subject_to is None"),
        ({"maximize": "accuracy", "subject_to": 5}, "subject_to is 5"),
        ({"maximize": "accuracy", "billing": 5}, "billing is 5"),
        ({"maximize": "f1", "metrics": {"f1": "sharp"}}, "did you mean 'share'"),
    ],
)
def test_a_wrong_problem_gets_a_sentence(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(ProblemError, match=sentence):
        tw.Problem(SPACE, **arguments)  # type: ignore[arg-type] # wrong on purpose


@pytest.mark.parametrize(
    "written", [0.36, "0.36", "0.36 USD/h", "$0.36 / hr", "36 cents an hour", "0.006 USD per min"]
)
def test_a_price_may_be_an_amount_by_the_hour(written: float | str) -> None:
    problem = tw.Problem(SPACE, maximize="accuracy", price=written)
    assert problem.hourly({"x": 1}) == pytest.approx(0.36)
    assert tw.Problem.from_description(problem.describe()).price is not None


def test_own_metrics_are_declared_by_name_or_as_the_objective() -> None:
    assert tw.Problem(SPACE, maximize="f1").objective == "f1"
    problem = tw.Problem(SPACE, maximize="f1", subject_to="latency <= 3", metrics=["latency"])
    assert problem.needed == ("f1", "latency")


def test_a_single_string_or_triple_is_a_constraint_too() -> None:
    written: list[Any] = ["cost <= 0.1", ("cost", "<=", 0.1), [("cost", "<=", "0.1 USD")]]
    for one in written:
        problem = tw.Problem(SPACE, maximize="accuracy", subject_to=one)
        assert [str(c) for c in problem.constraints] == ["cost <= 0.1"]


def test_the_cost_is_filled_in_from_price_and_time() -> None:
    problem = tw.Problem(
        SPACE, maximize="accuracy", subject_to="cost <= 1", price=lambda c: 3.6 * c["vms"]
    )
    told = completed(
        problem, {"vms": 2}, tw.Measurement({"accuracy": 0.5, "time": 10.0}, {0.5: {"time": 5.0}})
    )
    assert told.metrics["cost"] == pytest.approx(0.02)
    assert isinstance(told, tw.Measurement)
    assert told.snapshots[0.5]["cost"] == pytest.approx(0.01)
    failed = completed(problem, {"vms": 1}, tw.Failure("crash", {"time": 100.0}))
    assert isinstance(failed, tw.Failure) and failed.metrics["cost"] == pytest.approx(0.1)


def test_a_measurement_without_a_needed_metric_is_refused() -> None:
    problem = tw.Problem(SPACE, maximize="accuracy", subject_to="cost <= 1")
    with pytest.raises(MeasurementError, match="no 'cost'"):
        completed(problem, {"vms": 1}, tw.Measurement({"accuracy": 0.5}))


def test_the_best_trial_is_feasible_and_at_the_full_data_unless_any_may_be_deployed() -> None:
    def history() -> tw.History:
        rows = [(0.9, 2.0, 1.0), (0.8, 0.5, 1.0), (0.85, 0.5, 0.5), (0.7, 0.1, 1.0)]
        return tw.History(
            tw.Trial(i, {"vms": 1}, fraction=s).told(tw.Measurement({"accuracy": a, "cost": c}))
            for i, (a, c, s) in enumerate(rows)
        )

    full = tw.Problem(SPACE, maximize="accuracy", subject_to="cost <= 1", fractions=(0.5, 1))
    every = tw.Problem(
        SPACE, maximize="accuracy", subject_to="cost <= 1", fractions=(0.5, 1), deploy="any"
    )
    best_full, best_any = history().best(full), history().best(every)
    assert best_full is not None and best_full.number == 1
    assert best_any is not None and best_any.number == 2


def test_quantities_refuse_what_is_no_number() -> None:
    assert quantity(3, "time") == 3.0
    with pytest.raises(ProblemError, match="not a number"):
        quantity("soon", "time")
    assert math.isinf(quantity("inf", "time"))


@pytest.mark.parametrize(
    ("limit", "value", "missed"),
    [("cost <= 2", 3.0, 0.5), ("cost <= 2", 1.0, 0.0), ("accuracy >= 0.8", 0.6, 0.25)],
)
def test_a_limit_is_missed_by_a_share_of_its_bound(limit: str, value: float, missed: float) -> None:
    (constraint,) = tw.Problem(SPACE_OF_VMS, minimize="time", subject_to=[limit]).constraints
    assert constraint.violation(value) == pytest.approx(missed)
    assert constraint.holds(value) == (missed == 0)


def test_bounds_are_written_short_where_that_is_exact() -> None:
    limits = ["cost <= 0.1", "time <= 123456.789"]
    first, second = tw.Problem(SPACE_OF_VMS, maximize="accuracy", subject_to=limits).constraints
    assert str(first) == "cost <= 0.1"
    assert str(second) == "time <= 123456.789"


def test_a_machine_of_ones_own_may_cost_nothing_but_not_less() -> None:
    free = tw.Problem(SPACE_OF_VMS, maximize="accuracy", price=lambda config: 0.0)
    assert free.cost({"vms": 1}, 60.0) == 0.0
    with pytest.raises(ProblemError, match="price gave -1"):
        tw.Problem(SPACE_OF_VMS, maximize="accuracy", price=lambda config: -1.0).hourly({"vms": 1})


def test_prices_of_ones_own_count_for_the_families_that_a_space_names() -> None:
    mine = tw.Catalogue([tw.VM("m5.large", 2, 8, price=0.05), tw.VM("c5.large", 2, 4, price=0.04)])
    space = tw.Space(tw.Choice("vm", ["m5.large", "m5.xlarge"]))
    assert listed(space, mine).names == ["m5.large"]
    assert not len(listed(space, tw.Catalogue.shipped()))
    assert not len(listed(tw.Space(tw.Choice("optimizer", ["adam", "sgd"])), mine))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("val_accuracy", "share"),
        ("test/accuracy", "share"),
        ("top1-accuracy", "share"),
        ("neg_accuracy", "real"),
        ("val_loss", "real"),
        ("mean_time", "real"),
        ("roc_auc", "real"),
    ],
)
def test_an_objective_has_whatever_name_people_give_it(name: str, kind: str) -> None:
    problem = tw.Problem(SPACE, maximize=name)
    assert problem.objective == name and problem.metrics[name].kind == kind


@pytest.mark.parametrize("name", ["acuracy", "Accuracy", "accuray", "acurcy", "tim", "costs"])
def test_a_name_that_is_all_but_a_known_one_is_asked_about(name: str) -> None:
    with pytest.raises(ProblemError, match="did you mean"):
        tw.Problem(SPACE, minimize=name)
