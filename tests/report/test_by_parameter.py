import pytest

from tests.report.studies import SPACE, maximising, measured, mixed, recommended
from tunewise.history import History
from tunewise.report.charts.by_parameter import ByParameter, by_parameter, draw_parameter, scale_of
from tunewise.space import Choice, Ordinal, Parameter, Real


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
