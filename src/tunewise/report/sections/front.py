"""The section with the Pareto front."""

from tunewise.report.front import FrontTrial, cells, front
from tunewise.report.layout.markup import Markup, tag
from tunewise.report.layout.parts import empty, section
from tunewise.report.sections.subject import Subject


def pareto(subject: Subject) -> Markup | None:
    """The front, where there are several objectives."""
    problem = subject.problem
    if len(problem.objectives) < 2:
        return None
    found = front(problem, subject.history)
    body = _rows(subject, found) if found else empty("No trial keeps all limits yet.")
    note = "No measured trial is better than one of these in one objective and as good in all."
    return section("front", "Pareto front", body, note=note)


def _rows(subject: Subject, data: tuple[FrontTrial, ...]) -> Markup:
    head, rows = cells(subject.problem, data)
    table = tag(
        "table",
        tag("thead", tag("tr", [tag("th", name, scope="col") for name in head])),
        tag("tbody", [tag("tr", [tag("td", cell) for cell in row]) for row in rows]),
    )
    return tag("div", table, class_="scroll", tabindex="0")
