import pytest

from tests.report.studies import SPACE, maximising, measured, mixed, recommended
from tunewise.history import History, Measurement, Trial
from tunewise.problem import Problem
from tunewise.report.charts.by_parameter import ByParameter, by_parameter, draw_parameter, scale_of
from tunewise.space import Choice, Integer, Ordinal, Parameter, Real, Space


def cut(name: str, history: History) -> ByParameter:
    return next(
        s for s in by_parameter(maximising(), history, recommended()) if s.parameter == name
    )


def test_there_is_a_slice_for_each_parameter_in_order() -> None:
    assert [s.parameter for s in by_parameter(maximising(), mixed())] == list(SPACE.names)


@pytest.mark.parametrize(
    ("parameter", "scale"),
    [
        (Choice("a", ["x", "y"]), "category"),
        (Choice("a", [True, False]), "category"),
        (Ordinal("a", [1, 2, 4]), "category"),
        (Ordinal("a", list(range(1, 200))), "log"),
        (Ordinal("a", list(range(100))), "linear"),
        (Real("a", 0.1, 1.0), "linear"),
        (Real("a", 1e-5, 1.0, log=True), "log"),
    ],
)
def test_the_scale_follows_the_parameter(parameter: Parameter, scale: str) -> None:
    assert scale_of(parameter) == scale


def test_only_measured_trials_are_dots() -> None:
    assert [d.number for d in cut("rate", mixed()).dots] == [0, 1, 2, 4, 5]


def test_categories_stand_in_the_order_of_the_space() -> None:
    data = cut("vms", mixed())
    assert data.names == ("1", "2", "4")
    assert [d.x for d in data.dots] == [1.0, 1.0, 1.0, 1.0, 2.0]


def test_a_value_that_the_space_no_longer_has_comes_last() -> None:
    data = cut("vm", History([measured(0, 0.9, 0.01, vm="huge"), measured(1, 0.8, 0.01)]))
    assert data.names == ("small", "large", "huge")
    assert [d.x for d in data.dots] == [2.0, 0.0]


def test_numbers_are_drawn_over_the_whole_range_of_the_parameter() -> None:
    data = cut("rate", mixed())
    assert data.bounds == (1e-5, 1e-1)
    low, high = draw_parameter(data).layout.xaxis.range
    assert low < -5
    assert high > -1


def test_the_recommended_value_is_a_line() -> None:
    data = cut("rate", mixed())
    assert data.recommended == 0.002
    assert [s.x0 for s in draw_parameter(data).layout.shapes] == [0.002]


def test_without_a_recommendation_there_is_no_line() -> None:
    for data in by_parameter(maximising(), mixed()):
        assert len(draw_parameter(data).layout.shapes) == 0


def test_names_of_categories_are_no_markup() -> None:
    data = cut("vm", History([measured(0, 0.9, 0.01, vm="<b>big</b>")]))
    assert "&lt;b&gt;big&lt;/b&gt;" in draw_parameter(data).layout.xaxis.ticktext


def test_numbers_are_drawn_where_they_are_and_names_side_by_side() -> None:
    """Else the recommended value would lie beside its line."""
    numbers, names = cut("vms", mixed()), cut("vm", mixed())
    assert numbers.names and names.names
    assert all(x == int(x) for trace in draw_parameter(numbers).data for x in trace.x)
    assert any(x != int(x) for trace in draw_parameter(names).data for x in trace.x)


@pytest.mark.parametrize(
    ("parameter", "scale"),
    [
        (Ordinal("a", list(range(1, 25))), "category"),
        (Ordinal("a", list(range(10, 35))), "linear"),
        (Choice("a", [f"v{i}" for i in range(40)]), "category"),
        (Integer("a", 1, 1000), "linear"),
        (Integer("a", 1, 1000, log=True), "log"),
    ],
)
def test_up_to_two_dozen_numbers_have_a_place_of_their_own(
    parameter: Parameter, scale: str
) -> None:
    assert scale_of(parameter) == scale


def test_many_listed_numbers_are_drawn_between_the_least_and_the_greatest() -> None:
    space = Space(Ordinal("a", [*range(30), 100]))
    problem = Problem(space, maximize="accuracy")
    trial = Trial(0, {"a": 7}).told(Measurement({"accuracy": 0.5}))
    [data] = by_parameter(problem, History([trial]))
    assert (data.scale, data.bounds, data.names) == ("linear", (0.0, 100.0), ())
    assert [d.x for d in data.dots] == [7.0] and not data.spread


def test_true_is_not_mistaken_for_one() -> None:
    """A study may have begun with yes and no, and have gone on with numbers."""
    problem = Problem(Space(Choice("a", [0, 1])), maximize="accuracy")
    trials = [
        Trial(i, {"a": v}).told(Measurement({"accuracy": 0.5})) for i, v in enumerate((True, 1, 0))
    ]
    [data] = by_parameter(problem, History(trials))
    assert data.names == ("0", "1", "True")
    assert [d.x for d in data.dots] == [2.0, 1.0, 0.0]
    assert not data.spread
    [yes] = by_parameter(Problem(Space(Choice("a", [True, False])), maximize="accuracy"), History())
    assert yes.spread


def test_a_parameter_that_does_not_apply_has_no_dot() -> None:
    space = Space(Choice("kind", ["a", "b"]), Real("momentum", 0.0, 1.0, when={"kind": "a"}))
    configs: list[dict[str, object]] = [{"kind": "a", "momentum": 0.5}, {"kind": "b"}]
    trials = [
        Trial(i, config).told(Measurement({"accuracy": 0.5})) for i, config in enumerate(configs)
    ]
    kind, momentum = by_parameter(Problem(space, maximize="accuracy"), History(trials))
    assert [d.number for d in kind.dots] == [0, 1]
    assert [d.number for d in momentum.dots] == [0]


def test_trials_of_one_name_stand_at_most_a_fifth_beside_it() -> None:
    names = cut("vm", History(measured(i, 0.9, 0.01) for i in range(8)))
    [trace] = draw_parameter(names).data
    # By the golden ratio: 0.4 * (0 - 0.5), then 0.4 * (0.618034 - 0.5), and so on.
    assert list(trace.x)[:3] == pytest.approx([-0.2, 0.0472136, 0.4 * (0.236068 - 0.5)])
    assert all(-0.2 <= x <= 0.2 for x in trace.x)
    assert list(trace.customdata) == list(range(8))


def test_hovering_tells_the_value_the_objective_and_the_share_of_the_data() -> None:
    texts = {
        number: text
        for trace in draw_parameter(cut("vm", mixed())).data
        for number, text in zip(trace.customdata, trace.hovertext, strict=True)
    }
    assert texts[0] == "trial 0: vm = small, accuracy 0.95, 1/2 of the data"
    assert texts[2] == "trial 2: vm = large, accuracy 0.99"
    [number] = draw_parameter(cut("rate", mixed()[4:5])).data
    assert list(number.hovertext) == ["trial 4: rate = 0.002, accuracy 0.9"]


def test_marks_are_drawn_by_standing_the_most_telling_last() -> None:
    drawn = draw_parameter(cut("rate", mixed())).data
    assert [trace.name for trace in drawn] == [
        "part of the data", "breaks a limit", "keeps the limits"
    ]  # fmt: skip
    assert [list(trace.y) for trace in drawn] == [[0.95], [0.99], [0.8, 0.9, 0.85]]


def test_an_objective_in_seconds_is_drawn_in_a_readable_unit() -> None:
    problem = Problem(Space(Real("rate", 0.0, 1.0)), minimize="time")
    trials = [
        Trial(i, {"rate": 0.5}).told(Measurement({"time": 3600.0 * (i + 2)})) for i in range(2)
    ]
    [data] = by_parameter(problem, History(trials))
    drawn = draw_parameter(data)
    assert list(drawn.data[0].y) == pytest.approx([2.0, 3.0])
    assert drawn.layout.yaxis.title.text == "time (h)"
