"""The report: one HTML file that needs nothing but a browser."""

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.report import gallery, sections
from tunewise.report.failures import failures
from tunewise.report.markup import Markup, embedded, joined, tag
from tunewise.report.overview import Overview, overview
from tunewise.report.rows import trials_table
from tunewise.report.table import table
from tunewise.report.theme import PALETTE
from tunewise.strategy.strategy import Recommendation
from tunewise.study.store import StudyRecord


def render(
    record: StudyRecord,
    problem: Problem,
    history: History,
    recommendation: Recommendation | None = None,
) -> str:
    """The report of a study as one self-contained page, light and dark, that works offline.

    Its security policy lets the browser run this page's own scripts alone and fetch nothing.
    """
    seen = overview(problem, history, recommendation)
    return document(record.name, _content(record, problem, history, recommendation, seen))


def document(name: str, content: Markup) -> str:
    """A page around its content, with the scripts that draw its charts."""
    from plotly.offline import get_plotlyjs

    scripts = [_unix(get_plotlyjs()), _asset("page.js")]
    body = tag(
        "body",
        tag("main", content),
        embedded("script", json.dumps(dict(PALETTE.values())), type="application/json", id="dark"),
        [embedded("script", script) for script in scripts],
    )
    return f"<!doctype html>\n{tag('html', _head(name, scripts), body, lang='en')}\n"


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
            gallery.parameters(problem, history, recommendation),
            gallery.influence(problem, history),
            gallery.limits(problem, history),
            _table(problem, history, seen),
            _failures(history),
        ]
    )  # fmt: skip


def _table(problem: Problem, history: History, seen: Overview) -> Markup:
    chosen = seen.advice.trial if seen.advice else None
    data = table(problem, history)
    body = trials_table(data, bool(problem.constraints), chosen) if data.rows else None
    return gallery.section("table", "Trials", body or gallery.empty("No trial has been asked yet."))


def _failures(history: History) -> Markup:
    groups = failures(history)
    body = sections.failed(groups) if groups else gallery.empty("No trial has failed.")
    return gallery.section("failures", "What failed, and why", body)


def _head(name: str, scripts: list[str]) -> Markup:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_policy(scripts)}">'),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{name} · Tunewise report"),
        embedded("style", _colours() + _asset("page.css")),
    )


def _policy(scripts: list[str]) -> str:
    """Only these very scripts may run, and nothing may be fetched."""
    digests = (b64encode(sha256(s.encode()).digest()).decode() for s in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline';"
        " img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _colours() -> str:
    sides = [
        "".join(f"--{role}:{pair[side]};" for role, pair in PALETTE.items()) for side in (0, 1)
    ]
    return f":root{{{sides[0]}}}@media (prefers-color-scheme:dark){{:root{{{sides[1]}}}}}\n"


def _asset(name: str) -> str:
    return _unix(files("tunewise.report").joinpath("assets", name).read_text(encoding="utf-8"))


def _unix(text: str) -> str:
    """Line ends as browsers see them, or the digests in the policy would not match."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
