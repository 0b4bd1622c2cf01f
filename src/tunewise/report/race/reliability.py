"""Whether what strategies said came true, as a table of a race's page."""

from collections.abc import Sequence

from tunewise.benchmark.measures.reliability import INTERVAL, SURE, Reliability
from tunewise.benchmark.measures.score import Score
from tunewise.format import MISSING, percent
from tunewise.report.layout.markup import Markup, tag
from tunewise.report.layout.parts import section

ABOUT = (
    "After each trial: with which probability the recommended config was said to keep the limits,"
    f" and how often it did; and how often the truth lay within the {percent(INTERVAL)} intervals"
    " of its metrics; by the largest share of the data on which the config had been measured"
)

LOOKED_BACK = (
    "What would have been recommended after each trial, where it was measured as it would be"
    f" deployed by now: how often it keeps the limits, and lies within the {percent(INTERVAL)}"
    " intervals that were said"
)

HEADS = (
    *("largest seen", "recommendations", "said on average", "came true"),
    *(f"said {SURE:g} or more", "of these came true", f"{percent(INTERVAL)} intervals that held"),
)


def cells(row: Reliability) -> list[str]:
    """One row in words."""
    return [
        row.seen,
        str(row.claims),
        percent(row.said),
        percent(row.true),
        str(row.sure),
        MISSING if row.sure_true is None else percent(row.sure_true),
        MISSING if row.held is None else percent(row.held),
    ]


def reliability_section(scored: Sequence[Score]) -> Markup | None:
    """The table of all strategies that say anything; None where none does."""
    rows = [
        tag("tr", tag("th", "" if place else s.strategy, scope="row"),
            [tag("td", cell) for cell in cells(row)])
        for s in scored for place, row in enumerate(s.reliability)
    ]  # fmt: skip
    if not rows:
        return None
    head = tag("tr", [tag("th", text, scope="col") for text in ("strategy", *HEADS)])
    table = tag("table", tag("thead", head), tag("tbody", rows))
    body = tag("div", table, class_="measures", tabindex="0")
    return section("reliability", "Did it come true?", body, note=f"{ABOUT}.")
