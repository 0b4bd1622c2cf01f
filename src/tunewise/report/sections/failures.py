"""The section that says what failed, and why."""

from tunewise.format import duration, money
from tunewise.report.failures import FailureGroup, failures
from tunewise.report.layout.markup import Markup, tag
from tunewise.report.layout.parts import empty, section
from tunewise.report.sections.subject import Subject


def failed(subject: Subject) -> Markup:
    """What failed, the most frequent reason first."""
    groups = failures(subject.history)
    listed = tag("div", [_failure(g) for g in groups], class_="failures")
    body = listed if groups else empty("No trial has failed.")
    return section("failures", "What failed, and why", body)


def _failure(group: FailureGroup) -> Markup:
    count = len(group.numbers)
    shown = ", ".join(map(str, group.numbers[:20])) + (" …" if count > 20 else "")
    lost = [text for amount, text in (
        (group.cost, money(group.cost)), (group.time, duration(group.time))) if amount]  # fmt: skip
    about = " · ".join([f"trial{'' if count == 1 else 's'} {shown}", *lost])
    more = group.reason.strip() != group.headline
    return tag(
        "article",
        tag("p", tag("b", f"{count} ×", class_="times"), " ", group.headline),
        tag("p", about, class_="note"),
        tag("details", tag("summary", "whole message"), tag("pre", group.reason)) if more else None,
    )
