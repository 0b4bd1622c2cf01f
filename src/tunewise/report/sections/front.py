"""The section with the Pareto front."""

from tunewise.report.charts.front import draw_plane, planes
from tunewise.report.front import FrontTrial, cells, front
from tunewise.report.layout.markup import Markup, tag
from tunewise.report.layout.parts import empty, plot, section, tabs
from tunewise.report.sections.subject import Subject


def pareto(subject: Subject) -> Markup | None:
    """The front, where there are several objectives."""
    problem = subject.problem
    if len(problem.objectives) < 2:
        return None
    found = front(problem, subject.history)
    if not found:
        return section("front", "Pareto front", empty("No trial keeps all limits yet."))
    note = "No measured trial is better than one of these in one objective and as good in all."
    body = [_charts(subject), _rows(subject, found)]
    return section("front", "Pareto front", body, note=note)


def _charts(subject: Subject) -> Markup:
    panels = []
    for i, plane in enumerate(planes(subject.problem, subject.history)):
        about = (
            f"{plane.y.name} against {plane.x.name}, with {len(plane.front)} trials on the front"
        )
        panels.append((f"by {plane.x.name}", plot(f"front-plane-{i}", draw_plane(plane), about)))
    return tabs(panels)


def _rows(subject: Subject, data: tuple[FrontTrial, ...]) -> Markup:
    head, rows = cells(subject.problem, data)
    table = tag(
        "table",
        tag("thead", tag("tr", [tag("th", name, scope="col") for name in head])),
        tag("tbody", [tag("tr", _cells(row)) for row in rows]),
        class_="trials",
    )
    return tag("div", table, class_="scroll", tabindex="0")


def _cells(row: list[str]) -> list[Markup]:
    number, *others = row
    return [tag("th", number, scope="row"), *(tag("td", cell) for cell in others)]
