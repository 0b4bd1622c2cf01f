"""The head of the page: the question, the answer, what was spent."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from tunewise.format import (
    duration,
    money,
    percent,
    share_of_data,
    value,
)
from tunewise.history import TrialState
from tunewise.report.layout.markup import Child, Markup, tag
from tunewise.report.overview import Advice, Overview
from tunewise.report.sections.subject import Subject


def header(subject: Subject) -> Markup:
    """Whose report this is, and the question it answers."""
    record = subject.record
    started = record.created_at
    when = f"{datetime.fromtimestamp(started, UTC):%Y-%m-%d %H:%M} UTC" if started else ""
    facts = [
        ("strategy", record.strategy.get("name", "")),
        ("seed", str(record.seed)),
        ("started", when),
        ("stopped", str(record.noted.stopped or "")),
        *(("another problem", f"from trial {p.since} on") for p in record.noted.problems),
    ]
    return tag(
        "header",
        tag("p", "Tunewise report", class_="eyebrow"),
        tag("h1", record.name),
        tag("p", _question(subject.seen), class_="lead"),
        tag("p", [tag("span", f"{k} ", tag("b", v)) for k, v in facts if v], class_="facts"),
    )


def _question(seen: Overview) -> list[Child]:
    limits = [tag("b", text) for text in seen.limits]
    budget = [", for at most ", tag("b", money(seen.budget))] if seen.budget is not None else []
    return [tag("b", seen.goal), " with " if limits else "", _listed(limits), *budget, "."]


def _listed(parts: Sequence[Child]) -> list[Child]:
    """Parts with commas, and "and" before the last."""
    signs = ["", *[", "] * (len(parts) - 2), " and "][: len(parts)]
    return [[sign, part] for sign, part in zip(signs, parts, strict=True)]


def summary(subject: Subject) -> Markup:
    """The answer, what the search has used up, and what was asked, beside each other."""
    seen = subject.seen
    answer = _recommended(seen.advice, seen.infeasible)
    return tag("div", answer, _spent(seen), _asked(subject), class_="summary")


def _recommended(advice: Advice | None, infeasible: str | None = None) -> Markup:
    """The answer: a config, what to expect of it, and how sure that is."""
    missed = tag("p", infeasible, class_="warning", role="alert") if infeasible else None
    if advice is None:
        nothing = "Nothing to recommend yet."
        return tag("section", tag("h2", "Recommended"), missed,
                   tag("p", nothing, class_="empty"), class_="card answer")  # fmt: skip
    config = json.dumps(advice.config, default=str)
    copy = tag("button", "Copy as JSON", type="button", class_="copy", data_copy=config)
    part = f" on {share_of_data(advice.fraction)} of the data" if advice.fraction != 1 else ""
    return tag(
        "section",
        tag("div", tag("h2", f"Recommended{part}"), copy, class_="title"),
        missed,
        *_answer(advice),
        *_beside(advice.predicted_best),
        class_="card answer",
    )


def _answer(advice: Advice) -> list[Markup | None]:
    config = [tag("div", tag("dt", k), tag("dd", value(v))) for k, v in advice.config.items()]
    shown = tag("dl", config, class_="config")
    if not advice.predictions:
        return [shown, tag("p", advice.note, class_="empty")]
    warned = tag("p", advice.warning, class_="warning", role="alert") if advice.warning else None
    return [shown, _sureness(advice.feasible), warned, _predictions(advice)]


def _beside(predicted: Advice | None) -> list[Markup | None]:
    """What the models hold to be better than the best measured."""
    if predicted is None:
        return []
    part = (
        f", on {share_of_data(predicted.fraction)} of the data" if predicted.fraction != 1 else ""
    )
    return [tag("h3", f"Expected to be better, but not measured{part}"), *_answer(predicted)]


def _sureness(feasible: float | None) -> Markup | None:
    if feasible is None:
        return None
    level = "good" if feasible >= 0.9 else "fair" if feasible >= 0.5 else "poor"
    return tag(
        "div",
        tag("p", tag("b", percent(feasible)), " probability of keeping all limits"),
        tag("div", tag("i", style=f"width:{100 * feasible:.1f}%"), class_="meter"),
        class_=f"sure {level}",
    )


def _predictions(advice: Advice) -> Markup:
    limited = any(p.limits for p in advice.predictions)
    known = advice.trial is not None
    head = ["", "predicted", *["limit"] * limited, *[f"measured (trial {advice.trial})"] * known]
    rows = [
        tag(
            "tr",
            tag("th", p.metric, scope="row"),
            tag("td", p.expected),
            tag("td", " and ".join(p.limits)) if limited else None,
            tag("td", p.measured) if known else None,
        )
        for p in advice.predictions
    ]
    table = tag("table", tag("thead", tag("tr", [tag("th", h) for h in head])), tag("tbody", rows))
    note = " ".join(["± is one standard deviation.", *[advice.note] * bool(advice.note)])
    return tag("div", table, tag("p", note, class_="note"), class_="predicted")


_STATE_ROLES = {
    TrialState.COMPLETE: "keeps",
    TrialState.FAILED: "failed",
    TrialState.PREEMPTED: "breaks",
    TrialState.CANCELLED: "partial",
    TrialState.RUNNING: "recommended",
    TrialState.WAITING: "line",
}


def _spent(seen: Overview) -> Markup:
    """What the search has used up, and on what."""
    cost, time = seen.spent["cost"], seen.spent["time"]
    of = [" of ", money(seen.budget)] if seen.budget is not None else []
    over = seen.budget is not None and cost > seen.budget
    whole = max(cost, seen.budget or 0.0) or 1.0
    parts = [
        tag("i", class_=_STATE_ROLES[s], style=f"width:{100 * c / whole:.2f}%",
            title=f"{money(c)} on {s} trials")
        for s, c in seen.spent_on.items()
    ]  # fmt: skip
    used = percent(cost / seen.budget) + " of the budget used" if seen.budget else "no budget set"
    return tag(
        "section",
        tag("h2", "Spent"),
        tag("p", tag("b", money(cost) if cost or of else duration(time)), *of, class_="big"),
        tag("div", parts, class_="bar over" if over else "bar"),
        tag("p", f"{used} · {duration(time)} of training time booked", class_="note"),
        _counts(seen),
        class_="card",
    )


def _counts(seen: Overview) -> Markup:
    total = sum(seen.counts.values())
    chips = [
        tag("li", tag("i", class_=f"dot {_role(s)}"), tag("b", n), f" {s}")
        for s, n in seen.counts.items()
    ]
    heading = f"{total:,} trial{'' if total == 1 else 's'}"
    return tag("div", tag("h3", heading), tag("ul", chips, class_="chips"))


def _role(status: str) -> str:
    """The colour of a status; what waits for another attempt has that of a preempted trial."""
    return {state.value: role for state, role in _STATE_ROLES.items()}.get(status, "breaks")


def _asked(subject: Subject) -> Markup:
    """What was asked, in full."""
    seen = subject.seen
    facts: list[tuple[str, Child]] = [("objective", seen.goal)]
    facts.append(("limits", [tag("div", text) for text in seen.limits] or "none"))
    facts.append(("budget", "none" if seen.budget is None else money(seen.budget)))
    if seen.fractions:
        facts.append((f"{subject.problem.resource} used", ", ".join(seen.fractions)))
    facts += [(p.name, p.range) for p in subject.problem.space.parameters]
    rows = [tag("div", tag("dt", k), tag("dd", v)) for k, v in facts]
    return tag("section", tag("h2", "Asked"), tag("dl", rows, class_="asked"), class_="card")
