"""Axes, marks and units of charts."""

import math

import pytest

from tests.report.test_markup import Seen
from tunewise.problem import KNOWN, Metric
from tunewise.report.layout import theme
from tunewise.report.layout.markup import tag
from tunewise.report.layout.parts import plot, section, tabs
from tunewise.report.standing import Standing


@pytest.mark.parametrize(
    ("largest", "unit"),
    [(0.0, "s"), (119.0, "s"), (120.0, "min"), (7199.0, "min"), (7200.0, "h"), (172800.0, "days")],
)
def test_time_is_shown_in_the_largest_unit_of_which_there_are_two(
    largest: float, unit: str
) -> None:
    assert theme.clock([1.0, largest])[0] == unit
    assert theme.clock([]) == ("s", 1.0)


def test_values_that_spread_wide_are_shown_on_a_log_axis() -> None:
    assert theme.spreads([1.0, 20.0]) and not theme.spreads([1.0, 19.9])
    assert not theme.spreads([0.0, 20.0]) and not theme.spreads([-1.0, 1.0])
    assert not theme.spreads([])
    assert theme.axis_of(KNOWN["cost"], [0.01, 1.0]).log
    assert not theme.axis_of(Metric("loss"), [0.01, 1.0]).log


def test_an_axis_has_room_around_its_values_in_its_own_unit() -> None:
    axis = theme.axis_of(KNOWN["time"], [600.0, 1200.0])
    assert (axis.title, axis.unit, axis.per) == ("time", "min", 60.0)
    assert axis.range == pytest.approx((10 - 0.6, 20 + 0.6))


@pytest.mark.parametrize(
    ("values", "log", "ends"),
    [
        ([0.0, 10.0], False, (-0.6, 10.6)),
        ([5.0], False, (4.5, 5.5)),
        ([-5.0], False, (-5.5, -4.5)),
        ([0.0], False, (-1.0, 1.0)),
        ([1.0, 100.0], True, (1 / 100**0.05, 100 * 100**0.05)),
        ([1.0, 2.0], True, (1 / 1.1, 2.2)),
    ],
)
def test_room_is_a_share_of_what_is_shown(
    values: list[float], log: bool, ends: tuple[float, float]
) -> None:
    assert theme.ends(values, log) == pytest.approx(ends)
    assert theme.ends([], log) is None


def test_less_data_and_a_crowd_make_smaller_marks() -> None:
    assert theme.size(1.0) == pytest.approx(9.5) and theme.size(0.25) == pytest.approx(7.0)
    assert [theme.crowded(n) for n in (0, 1, 150)] == [1.0, 1.0, 1.0]
    assert theme.crowded(2400) == pytest.approx(0.5) and theme.crowded(10**6) == 0.5
    assert 0.5 < theme.crowded(600) < 1.0
    alone, crowd = (theme.marker(Standing.KEEPS, [1.0, 0.25], count) for count in (1, 2400))
    assert crowd["size"] == pytest.approx([s / 2 for s in alone["size"]])
    assert crowd["opacity"] == pytest.approx(alone["opacity"] / 2)
    assert theme.marker(Standing.FAILED)["size"] == pytest.approx(8.0)


def test_only_filled_marks_have_an_edge_of_the_surface() -> None:
    surface = theme.colour("surface")
    edges = {s: theme.marker(s)["line"]["color"] == surface for s in Standing if s != "pending"}
    filled = {s for s, edge in edges.items() if edge}
    assert filled == {Standing.KEEPS, Standing.BREAKS}


def test_an_axis_as_plotly_takes_it() -> None:
    drawn = theme.figure(
        [],
        theme.Axis("<b>", "USD", log=True, range=(0.1, 100.0)),
        theme.Axis("", ticks=("a", "b & c"), share=True),
        legend=False,
    ).layout
    assert drawn.xaxis.title.text == "&lt;b&gt; (USD)"
    assert drawn.xaxis.type == "log" and list(drawn.xaxis.range) == pytest.approx([-1.0, 2.0])
    assert (drawn.xaxis.nticks, drawn.xaxis.tickformat) == (5, "~g")
    assert drawn.yaxis.type == "linear" and drawn.yaxis.tickformat == ".0%"
    assert list(drawn.yaxis.tickvals) == [0, 1]
    assert list(drawn.yaxis.ticktext) == ["a", "b &amp; c"]
    assert list(drawn.yaxis.range) == pytest.approx([-0.6, 1.6])
    assert drawn.margin.t == 12 and not drawn.showlegend


@pytest.mark.parametrize(("high", "ticks"), [(1.5, 1), (10.0, 3), (1e6, 5)])
def test_a_short_log_axis_has_few_ticks(high: float, ticks: int) -> None:
    drawn = theme.figure([], theme.Axis("", log=True, range=(1.0, high)), theme.Axis(""))
    assert drawn.layout.xaxis.nticks == ticks
    assert math.isclose(drawn.layout.xaxis.range[0], 0.0, abs_tol=1e-12)


def test_one_chart_needs_no_tabs_and_of_several_the_first_is_shown() -> None:
    one, two = tag("p", "one"), tag("p", "two")
    assert tabs([("a", one)]) == one
    both = tabs([("a", one), ("b", two)])
    seen = Seen(both)
    assert [v for name, v in seen.attributes if name == "aria-selected"] == ["true", "false"]
    assert sum(name == "hidden" for name, _ in seen.attributes) == 1
    assert seen.text.index("one") < seen.text.index("two")


def test_a_section_has_its_note_only_where_there_is_one() -> None:
    assert Seen(section("k", "Title")).text == "Title"
    assert Seen(section("k", "Title", note="why")).text == "Titlewhy"


def test_a_chart_cannot_end_the_script_that_holds_it() -> None:
    drawn = theme.figure([], theme.Axis("x"), theme.Axis("y")).update_layout(title="</script>")
    box = plot("k", drawn, "about", "tall", height=300)
    assert box.count("</script>") == 1
    assert "300px" in box and "px" not in plot("k", drawn, "about").partition("<script")[0]
