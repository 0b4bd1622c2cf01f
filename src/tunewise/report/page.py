"""The report: one HTML file that needs nothing but a browser."""

from collections.abc import Callable

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.report.layout.document import document
from tunewise.report.layout.markup import Markup, tag
from tunewise.report.layout.parts import fragment
from tunewise.report.overview import overview
from tunewise.report.sections.failures import failed
from tunewise.report.sections.front import pareto
from tunewise.report.sections.gallery import influence, limits, parameters, progress_and_plane
from tunewise.report.sections.subject import Subject
from tunewise.report.sections.summary import header, summary
from tunewise.report.sections.trials import trials
from tunewise.strategy.strategy import Recommendation
from tunewise.study.store import StudyRecord


def no_script(subject: Subject) -> Markup:
    """What a browser shows that runs no scripts."""
    return tag("noscript", tag("p", "The charts need JavaScript.", class_="empty"))


SECTIONS: tuple[Callable[[Subject], Markup | None], ...] = (
    header,
    no_script,
    summary,
    progress_and_plane,
    pareto,
    parameters,
    influence,
    limits,
    trials,
    failed,
)
"""The page from top to bottom. A section that has nothing to say of a study returns None."""


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
    return document(record.name, content(record, problem, history, recommendation), script)


def content(
    record: StudyRecord,
    problem: Problem,
    history: History,
    recommendation: Recommendation | None = None,
) -> Markup:
    """All that there is to see of a study, as one of the fragments of a page."""
    seen = overview(problem, history, recommendation)
    subject = Subject(record, problem, history, recommendation, seen)
    return fragment(*[section(subject) for section in SECTIONS])
