"""The sections that are charts."""

from typing import get_args

from tunewise.format import measured, percent
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.report.charts.by_parameter import by_parameter, draw_parameter
from tunewise.report.charts.curves import Effort, best_so_far, draw_best_so_far
from tunewise.report.charts.feasibility import draw_margin, draw_share, margins, share_feasible
from tunewise.report.charts.importance import FEWEST, draw_importance, importance
from tunewise.report.charts.trials import Against, draw_scatter, scatter
from tunewise.report.layout.markup import Markup, tag
from tunewise.report.layout.parts import empty, plot, section, tabs
from tunewise.report.sections.subject import Subject
from tunewise.report.standing import Standing, label, standing
from tunewise.strategy.strategy import Recommendation


def progress_and_plane(subject: Subject) -> Markup:
    """How far the search came, and all its trials, beside each other."""
    return tag("div", _progress(subject), _plane(subject), class_="pair")


def _progress(subject: Subject) -> Markup:
    """Best so far, against each effort that was booked."""
    problem, history = subject.problem, subject.history
    curves = [best_so_far(problem, history, effort) for effort in get_args(Effort)]
    panels = []
    for curve in (c for c in curves if c.points and c.end > 0):
        last = measured(curve.objective, curve.steps[-1].y) if curve.steps else "none keeps all"
        about = f"Best {curve.objective.name} so far against booked {curve.effort}: {last}"
        drawn = plot(f"best-{curve.effort}", draw_best_so_far(curve), about)
        panels.append((f"by {curve.effort}", drawn))
    nothing = empty("No trial on the full data has been measured yet.")
    body = tabs(panels) if panels else nothing
    which = "that keeps all limits" if problem.constraints else "so far"
    note = f"The best measured trial {which}, against what had been spent by then."
    return section("progress", "Best so far", body, note=note)


def _plane(subject: Subject) -> Markup:
    """All trials, by objective and what they took."""
    problem, history, given = subject.problem, subject.history, subject.recommendation
    panels = []
    for against in (a for a in get_args(Against) if a != problem.objective):
        data = scatter(problem, history, given, against)
        if data.marks:
            about = f"{len(data.marks)} trials by {data.objective.name} and {against}"
            drawn = draw_scatter(data).update_layout(showlegend=False, margin_t=12)
            panels.append((f"by {against}", plot(f"trials-{against}", drawn, about)))
    body = tabs(panels) if panels else empty("No trial has ended yet.")
    ended = history.ended
    note = "Every trial that ended. Smaller marks used less data; crosses gave no result."
    return section("plane", "All trials", _legend(problem, ended, given), body, note=note)


def parameters(subject: Subject) -> Markup:
    """The objective against each parameter."""
    problem, history, given = subject.problem, subject.history, subject.recommendation
    cut = by_parameter(problem, history, given)
    drawn = [
        plot(
            f"parameter-{i}",
            draw_parameter(s),
            f"{s.objective.name} against {s.parameter}",
            "small",
        )
        for i, s in enumerate(cut)
        if s.dots
    ]
    if not drawn:
        return section("parameters", "Parameters", empty("No trial has been measured yet."))
    body = [_legend(problem, history.complete), tag("div", drawn, class_="grid")]
    note = "Each mark is a measured trial"
    note += "; the dotted line is the recommended value." if given else "."
    return section("parameters", "Parameters", body, note=note)


_SIGNS = {
    Standing.KEEPS: ("keeps", "●"),
    Standing.BREAKS: ("breaks", "◆"),
    Standing.PARTIAL: ("partial", "○"),
    Standing.FAILED: ("failed", "×"),
    Standing.CANCELLED: ("partial", "+"),
}


def _legend(problem: Problem, history: History, given: Recommendation | None = None) -> Markup:
    """What the marks of trials mean."""
    seen = {standing(problem, t) for t in history}
    items = [
        tag("li", tag("i", sign, class_=role, aria_hidden="true"), label(problem, s))
        for s, (role, sign) in _SIGNS.items()
        if s in seen
    ]
    star = tag("li", tag("i", "★", class_="recommended", aria_hidden="true"), "recommended")
    return tag("ul", items, star if given else None, class_="chips legend")


def influence(subject: Subject) -> Markup:
    """What each parameter explains."""
    found = importance(subject.problem, subject.history)
    if not found:
        few = f"This needs at least {FEWEST} measured trials."
        return section("importance", "Which parameters matter", empty(few))
    first = f"{found[0].parameter} explains {percent(found[0].share)}"
    note = (
        f"The part of the differences in {subject.problem.objective} that each parameter explains"
        " on its own, beyond chance. A hint, not a proof: good regions were tried more often, and"
        " parameters may matter together."
    )
    drawn = plot("importance-bars", draw_importance(found), first, "bars", 80 + 36 * len(found))
    return section("importance", "Which parameters matter", drawn, note=note)


def limits(subject: Subject) -> Markup | None:
    """How the limits were kept; nothing where there are none."""
    problem, history = subject.problem, subject.history
    if not problem.constraints:
        return None
    share = share_feasible(problem, history)
    if not share.numbers:
        nothing = empty("No trial on the full data has been measured yet.")
        return section("limits", "Limits", nothing)
    drawn = [
        _titled(problem.limit(m.constraint), plot(f"margin-{i}", draw_margin(m), "", "small"))
        for i, m in enumerate(margins(problem, history))
        if m.numbers
    ]
    kept = f"{percent(share.shares[-1])} of {len(share.numbers)} trials kept all limits"
    drawn.append(_titled(kept, plot("share", draw_share(share), kept, "small")))
    note = "Measured trials on the data to deploy with; what lies beyond a limit is shaded."
    return section("limits", "Limits", tag("div", drawn, class_="grid"), note=note)


def _titled(title: str, drawn: Markup) -> Markup:
    return tag("div", tag("h3", title), drawn)
