"""The report: one HTML file that needs nothing but a browser."""

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.report import gallery, sections
from tunewise.report.failures import failures
from tunewise.report.front import front, front_rows
from tunewise.report.layout.document import document
from tunewise.report.layout.markup import Markup, joined, tag
from tunewise.report.layout.parts import empty, section
from tunewise.report.overview import Overview, overview
from tunewise.report.rows import trials_table
from tunewise.report.table import table
from tunewise.strategy.strategy import Recommendation
from tunewise.study.store import StudyRecord


def render(
    record: StudyRecord,
    problem: Problem,
    history: History,
    recommendation: Recommendation | None = None,
    script: str | None = None,
) -> str:
    """The report of a study as a page, light and dark, that works offline.

    It is self-contained unless `script` says where the charts' library is.
    Its security policy lets the browser run this page's own scripts alone and fetch nothing.
    """
    seen = overview(problem, history, recommendation)
    content = _content(record, problem, history, recommendation, seen)
    return document(record.name, content, script)


def _content(
    record: StudyRecord,
    problem: Problem,
    history: History,
    recommendation: Recommendation | None,
    seen: Overview,
) -> Markup:
    return joined(
        [
            sections.header(record, seen),
            tag("noscript", tag("p", "The charts need JavaScript.", class_="empty")),
            tag("div", sections.recommended(seen.advice, seen.infeasible), sections.spent(seen),
                sections.asked(problem, seen), class_="summary"),
            tag("div", gallery.progress(problem, history),
                gallery.plane(problem, history, recommendation), class_="pair"),
            _front(problem, history),
            gallery.parameters(problem, history, recommendation),
            gallery.influence(problem, history),
            gallery.limits(problem, history),
            _table(problem, history, seen),
            _failures(history),
        ]
    )  # fmt: skip


def _front(problem: Problem, history: History) -> Markup | None:
    """The front, where there are several objectives."""
    if len(problem.objectives) < 2:
        return None
    found = front(problem, history)
    body = front_rows(problem, found) if found else empty("No trial keeps all limits yet.")
    note = "No measured trial is better than one of these in one objective and as good in all."
    return section("front", "Pareto front", body, note=note)


def _table(problem: Problem, history: History, seen: Overview) -> Markup:
    chosen = seen.advice.trial if seen.advice else None
    data = table(problem, history)
    body = trials_table(data, bool(problem.constraints), chosen) if data.rows else None
    return section("table", "Trials", body or empty("No trial has been asked yet."))


def _failures(history: History) -> Markup:
    groups = failures(history)
    body = sections.failed(groups) if groups else empty("No trial has failed.")
    return section("failures", "What failed, and why", body)
