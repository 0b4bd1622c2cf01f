"""The same answers for terminals, as rich renderables.

What users wrote goes in as `Text`, never as markup: a config value such as "[red]" stays as it is.
"""

from typing import TYPE_CHECKING

from tunewise.format import (
    MISSING,
    duration,
    money,
    percent,
    share_of_data,
    value,
)
from tunewise.format.printable import printable
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.report.failures import failures
from tunewise.report.front import front, front_table
from tunewise.report.idle_slices import idle_slices
from tunewise.report.listing import METRICS, not_shown, trials_table
from tunewise.report.overview import Advice, Overview, overview
from tunewise.strategy.strategy import Recommendation

__all__ = [
    "failure_lines",
    "goal_line",
    "recommendation_panel",
    "spent_line",
    "summary",
    "trials_line",
    "trials_table",
]

if TYPE_CHECKING:
    from rich.console import Group
    from rich.panel import Panel
    from rich.table import Table as RichTable
    from rich.text import Text


def summary(
    problem: Problem, history: History, recommendation: Recommendation | None = None
) -> "Group":
    """What was asked, tried, spent and recommended."""
    from rich.console import Group
    from rich.text import Text

    seen = overview(problem, history, recommendation)
    lines = [goal_line(seen), trials_line(seen), spent_line(seen), *failure_lines(history)]
    lines += [Text(seen.infeasible, "yellow")] if seen.infeasible else []
    lines += [Text(said, "yellow")] if (said := idle_slices(problem, history)) else []
    found = front(problem, history)
    tables = [front_table(problem, found)] if found else []
    return Group(*lines, *tables, recommendation_panel(seen.advice))


def goal_line(seen: Overview) -> "Text":
    """The question in one line."""
    from rich.text import Text

    limits = f" with {' and '.join(seen.limits)}" if seen.limits else ""
    return Text(f"{seen.goal}{limits}", style="bold")


def trials_line(seen: Overview) -> "Text":
    """How many trials there are, by state."""
    from rich.text import Text

    total = sum(seen.counts.values())
    states = ", ".join(f"{n} {state}" for state, n in seen.counts.items())
    noun = "trial" if total == 1 else "trials"
    return Text(f"{total:,} {noun}: {states}" if total else "no trials yet")


def spent_line(seen: Overview) -> "Text":
    """What was spent, of what."""
    from rich.text import Text

    cost = seen.spent["cost"]
    of = f" of {money(seen.budget)} ({percent(cost / seen.budget)})" if seen.budget else ""
    over = seen.budget is not None and cost > seen.budget
    training = f"{duration(seen.spent['time'])} of training time"
    text = f"spent {money(cost)}{of} and {training}" if cost or of else f"spent {training}"
    return Text(text, style="red" if over else "")


def failure_lines(history: History) -> "list[Text]":
    """Why trials failed, a line for each reason."""
    from rich.text import Text

    return [
        Text(f"{len(group.numbers)} failed: {group.headline}", "red", overflow="ellipsis")
        for group in failures(history)
    ]


def recommendation_panel(advice: Advice | None) -> "Panel":
    """The recommended config, what to expect of it, and how sure that is."""
    from rich.console import Group
    from rich.panel import Panel
    from rich.text import Text

    if advice is None:
        return Panel(Text("nothing to recommend yet", "dim"), title="Recommended", expand=False)
    parts = _answer(advice)
    if advice.predicted_best is not None:
        heading = Text("The models expect this one to be better:", "italic")
        parts += [Text(), heading, Text(), *_answer(advice.predicted_best)]
    if any("±" in predicted.expected for predicted in advice.predictions):
        parts += [Text(), Text("± is one standard deviation of a new training.", "dim")]
    return Panel(Group(*parts), title="Recommended", expand=False, border_style="green")


def _answer(advice: Advice) -> "list[RichTable | Text]":
    from rich.text import Text

    if not advice.predictions:
        return [_config(advice), Text(), Text(advice.note, "italic")]
    parts: list[RichTable | Text] = [_config(advice), Text(), _predictions(advice)]
    if advice.feasible is not None:
        style = "green" if advice.feasible >= 0.9 else "yellow" if advice.feasible >= 0.5 else "red"
        sure = f"{percent(advice.feasible)} probability of keeping all limits"
        parts += [Text(), Text(sure, f"bold {style}")]
    if advice.warning:
        parts += [Text(), Text(advice.warning, "yellow")]
    if advice.note:
        parts += [Text(), Text(advice.note, "italic")]
    return parts


def _config(advice: Advice) -> "RichTable":
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable.grid(padding=(0, 2))
    for name, v in advice.config.items():
        grid.add_row(Text(printable(name), "dim"), Text(printable(value(v)), "bold"))
    if advice.fraction != 1:
        grid.add_row(Text("data", "dim"), Text(share_of_data(advice.fraction), "bold"))
    return grid


def _predictions(advice: Advice) -> "RichTable":
    from rich.table import Table as RichTable
    from rich.text import Text

    known = [f"measured (trial {advice.trial})"] if advice.trial is not None else []
    limited = any(p.limits for p in advice.predictions)
    head = ["metric", "predicted", *["limit"] * limited, *known]
    grid = RichTable(*head, box=None, pad_edge=False, header_style="dim")
    shown = [p for i, p in enumerate(advice.predictions) if i < METRICS or p.limits]
    for p in shown:
        cells = [p.metric, p.expected, *[" and ".join(p.limits)] * limited]
        cells += [p.measured or MISSING] if known else []
        grid.add_row(*(Text(printable(cell)) for cell in cells))
    grid.caption = not_shown({"further metric": len(advice.predictions) - len(shown)})
    return grid
