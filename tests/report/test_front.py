"""The Pareto front, as data and as people see it."""

from io import StringIO

from rich.console import Console

import tunewise as tw
from tests.strategy.test_scalarised import problem, trials
from tunewise.report import page, text
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
    start = shown.index('id="front"')
    assert shown[start : shown.index("</section>", start)].count("<tr>") == 3
    assert "Pareto front" in shown
    single = tw.Problem(problem().space, minimize="cost")
    assert "Pareto front" not in page.render(record, single, HISTORY)
