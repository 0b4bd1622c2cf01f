"""The table of a race's measures, as HTML: every strategy, those that lost too."""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from tunewise.benchmark.measures.score import LEVELS, Interval, Score
from tunewise.format import MISSING, amount, duration, percent
from tunewise.report.layout.markup import Markup, tag

NEVER = "never"
Kind: TypeAlias = Literal["cost", "time"]
_SPENT: dict[Kind, tuple[str, Callable[[float], str]]] = {
    "cost": ("USD until the mean stays above", amount),
    "time": ("time until the mean stays above", duration),
}


def measures_table(scored: Sequence[Score], kind: Kind) -> Markup:
    """A row for each strategy; the best of each column is marked."""
    title, shown = _SPENT[kind]
    groups = [tag("th", colspan=9), tag("th", title, colspan=len(LEVELS))]
    head = ["strategy", "final", "strict", "worst", "at 99 %", "feasible", "per ask"]
    head += ["mean data", "USD per trial"]
    head += [f"{level:.0%}" for level in LEVELS]
    columns = [_column(scored, each) for each in _COLUMNS]
    columns += [_reached(scored, kind, level, shown) for level in LEVELS]
    rows = [
        tag("tr", tag("th", s.strategy, scope="row"), [column[i] for column in columns])
        for i, s in enumerate(scored)
    ]
    titles = tag("tr", [tag("th", text, scope="col") for text in head])
    table = tag("table", tag("thead", tag("tr", groups), titles), tag("tbody", rows))
    return tag("div", table, class_="measures", tabindex="0")


Reading = tuple[Callable[[Score], float], Callable[[Score], str], bool]

_COLUMNS: tuple[Reading, ...] = (
    (lambda s: s.final, lambda s: f"{s.final:.3f}", True),
    (lambda s: s.strict, lambda s: f"{s.strict:.3f}", True),
    (lambda s: s.worst, lambda s: f"{s.worst:.3f}", True),
    (lambda s: s.ended_at[0.99], lambda s: f"{s.ended_at[0.99]} of {s.seeds}", True),
    (lambda s: s.feasible, lambda s: percent(s.feasible), True),
    (lambda s: s.seconds_per_ask, lambda s: duration(s.seconds_per_ask), False),
    (lambda s: s.fraction, lambda s: percent(s.fraction), False),
    (lambda s: s.cost_per_trial, lambda s: amount(s.cost_per_trial), False),
)
"""Of each column its number, how it is written, and whether more is better."""


def _column(scored: Sequence[Score], reading: Reading) -> list[Markup]:
    value, text, more = reading
    best = text((max if more else min)(scored, key=value))
    return [cell(text(s), best=text(s) == best) for s in scored]


def _reached(
    scored: Sequence[Score], kind: Kind, level: float, shown: Callable[[float], str]
) -> list[Markup]:
    to: list[float | None] = [getattr(s, f"{kind}_to")[level] for s in scored]
    between: list[Interval] = [getattr(s, f"{kind}_interval")[level] for s in scored]
    best = min((v for v in to if v is not None), default=None)
    return [
        cell(NEVER if v is None else shown(v), span(ends, shown), v is not None and v == best)
        for v, ends in zip(to, between, strict=True)
    ]


def span(ends: Interval, shown: Callable[[float], str]) -> str:
    """An interval in words; one end where the other is the same."""
    low, high = (NEVER if end is None else shown(end) for end in ends)
    return low if low == high else f"{low} {MISSING} {high}"


def cell(text: str, below: str = "", best: bool = False) -> Markup:
    """A cell with what stands below it in small, and whether it is the best of its column."""
    small = tag("small", below) if below else None
    return tag("td", tag("b", text) if best else text, small, class_="never" if text == NEVER
               else None)  # fmt: skip
