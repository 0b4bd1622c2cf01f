"""The Pareto front, as data and as people see it."""

from io import StringIO

from rich.console import Console

import tunewise as tw
from tests.strategy.test_scalarised import problem, trials
from tunewise.report import page, text
from tunewise.report.charts.front import draw_plane, planes
from tunewise.report.front import front
from tunewise.study.store import StudyRecord

HISTORY = trials((0.9, 2.0), (0.8, 1.0), (0.7, 1.5))


def test_the_front_as_data() -> None:
    found = front(problem(), HISTORY)
    assert [row.number for row in found] == [0, 1]
    assert found[1].describe() == {
        "number": 1,
        "config": {"x": 0.1, "y": 0.0},
        "fraction": 1.0,
        "objectives": {"accuracy": 0.8, "cost": 1.0},
    }


def test_a_single_objective_has_no_front_to_show() -> None:
    assert front(problem(minimize=None), HISTORY) == ()


def test_the_front_is_shown_on_the_terminal() -> None:
    out = StringIO()
    Console(file=out, width=100).print(text.summary(problem(), HISTORY))
    assert "Maximise accuracy and minimise cost" in out.getvalue()
    assert "Pareto front" in out.getvalue()


def test_the_front_is_a_section_of_the_page() -> None:
    record = StudyRecord("s", problem().describe(), {"name": "random"}, 0)
    shown = page.render(record, problem(), HISTORY)
    start = shown.index('data-part="front"')
    assert shown[start : shown.index("</section>", start)].count("<tr>") == 3
    assert "Pareto front" in shown
    single = tw.Problem(problem().space, minimize="cost")
    assert "Pareto front" not in page.render(record, single, HISTORY)


def test_the_front_is_drawn_among_all_trials_and_listed_like_them() -> None:
    record = StudyRecord("s", problem().describe(), {"name": "random"}, 0)
    shown = page.render(record, problem(), HISTORY)
    start = shown.index('data-part="front"')
    part = shown[start : shown.index("</section>", start)]
    assert 'data-plot="front-plane-0"' in part
    assert '<table class="trials">' in part
    [plane] = planes(problem(), HISTORY)
    assert [p.number for p in plane.front] == [1, 0]
    assert [p.number for p in plane.others] == [2]
    *_, line = draw_plane(plane).data
    assert (line.name, line.mode) == ("Pareto front", "lines+markers")
    assert (list(line.x), list(line.y)) == ([1.0, 2.0], [0.8, 0.9])


def test_three_objectives_have_a_plane_for_each_but_the_first_and_no_line() -> None:
    three = problem(minimize=["cost", "time"])
    drawn = [draw_plane(plane) for plane in planes(three, HISTORY)]
    assert [d.layout.xaxis.title.text.split()[0] for d in drawn] == ["cost", "time"]
    assert {d.data[-1].mode for d in drawn} == {"markers"}
    assert three.aim == "maximise accuracy, minimise cost and time"


def test_a_front_that_nothing_is_on_says_so() -> None:
    record = StudyRecord("s", problem().describe(), {"name": "random"}, 0)
    strict = problem(subject_to=["cost <= 0.1"])
    shown = page.render(record, strict, HISTORY, script="plotly.js")
    assert "No trial keeps all limits yet." in shown
    assert "front-plane-0" not in shown


def test_the_plane_of_the_front_says_how_many_trials_are_on_it() -> None:
    record = StudyRecord("s", problem().describe(), {"name": "random"}, 0)
    shown = page.render(record, problem(), HISTORY, script="plotly.js")
    assert "with 2 trials on the front" in shown
    start = shown.index('<table class="trials">')
    rows = shown[start : shown.index("</table>", start)]
    assert "0.9" in rows and "2.00 USD" in rows


def test_marks_of_the_front_are_named_and_tell_both_objectives() -> None:
    [plane] = planes(problem(), HISTORY)
    others, line = draw_plane(plane).data
    assert others.name == "complete" and list(others.customdata) == [2]
    assert list(line.hovertext) == [
        "trial 1: accuracy 0.8, cost 1.00 USD", "trial 0: accuracy 0.9, cost 2.00 USD"
    ]  # fmt: skip
    assert line.marker.size == 11


def test_a_trial_that_lacks_an_objective_is_in_no_plane() -> None:
    lacking = tw.Trial(9, {"x": 0.5, "y": 0.5}).told(tw.Measurement({"accuracy": 0.99}))
    [plane] = planes(problem(), tw.History([*HISTORY, lacking]))
    assert 9 not in [dot.number for dot in (*plane.front, *plane.others)]
    assert planes(problem(minimize=None), HISTORY) == ()
