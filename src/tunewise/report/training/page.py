"""The page of a training: loss over time, settings, what was believed, and what it cost."""

from collections.abc import Callable, Sequence
from pathlib import Path

from tunewise.format import config, duration, money, number, percent
from tunewise.job.training.stored import StoredTraining
from tunewise.job.tuning.places import refuse_unwritable
from tunewise.online import Tuner
from tunewise.online.deadline import missed
from tunewise.report.file import library_beside, save
from tunewise.report.layout.document import document
from tunewise.report.layout.markup import Child, Markup, tag
from tunewise.report.layout.parts import empty, fragment, plot, section
from tunewise.report.training.charts import draw_losses, draw_outcomes
from tunewise.report.training.course import (
    Outcome,
    Stretch,
    expected_cost,
    losses,
    outcomes,
    stretches,
)
from tunewise.space import Config

_ROWS = 200
"""Stretches that the table shows, at most."""


def write(
    path: Path,
    name: str,
    tuner: Tuner,
    price: Callable[[Config], float] | None = None,
    deadline: float | None = None,
    self_contained: bool = False,
) -> None:
    """Write the page of a training."""
    path.parent.mkdir(parents=True, exist_ok=True)
    script = None if self_contained else library_beside(path)
    save(path, render(name, tuner, price, deadline, script))


def write_stored(path: Path, stored: StoredTraining, self_contained: bool = False) -> None:
    """Write the page of a training that was kept, which is left as it is."""
    refuse_unwritable(path)
    tuner, deadline = stored.tuner(), stored.course.deadline
    write(path, stored.name, tuner, stored.price, deadline, self_contained)


def render(
    name: str,
    tuner: Tuner,
    price: Callable[[Config], float] | None = None,
    deadline: float | None = None,
    script: str | None = None,
) -> str:
    """The page as HTML; `script` as for any document."""
    return document(name, content(name, tuner, price, deadline), script)


def content(
    name: str,
    tuner: Tuner,
    price: Callable[[Config], float] | None = None,
    deadline: float | None = None,
) -> Markup:
    """All that there is to see of a training, as one of the fragments of a page."""
    ran, told = stretches(tuner), outcomes(tuner)
    return fragment(
        _header(name, tuner, deadline),
        tag("noscript", tag("p", "The charts need JavaScript.", class_="empty")),
        tag("div", _summary(tuner, ran, price), class_="summary even"),
        _losses(tuner, ran),
        _believed(told),
        _settings(ran),
    )


def _header(name: str, tuner: Tuner, deadline: float | None) -> Markup:
    facts = [
        ("until", str(tuner.until)),
        ("iterations", f"{tuner.iterations:,}"),
        ("settings", "many" if tuner.space.size is None else f"{tuner.space.size:,}"),
        ("deadline", "" if deadline is None else duration(deadline)),
    ]
    state = "done" if tuner.done else "not done yet"
    is_late = deadline is not None and tuner.seconds > deadline
    late = f"; {missed(deadline)}" if deadline is not None and is_late else ""
    return tag(
        "header",
        tag("p", "Tunewise training", class_="eyebrow"),
        tag("h1", name),
        tag("p", f"{state.capitalize()}, under {config(tuner.setting)}{late}.", class_="lead"),
        tag("p", [tag("span", f"{k} ", tag("b", v)) for k, v in facts if v], class_="facts"),
    )


def _summary(
    tuner: Tuner, ran: Sequence[Stretch], price: Callable[[Config], float] | None
) -> list[Markup]:
    moved = sum(each.reconfiguration for each in ran)
    share = moved / tuner.seconds if tuner.seconds else 0.0
    left = "" if tuner.done else f", about {duration(float(tuner.remaining.mean))} left"
    cards = [
        _card("Time", duration(tuner.seconds), f"{percent(share)} of it in switches{left}"),
        _card(
            "First setting alone",
            duration(float(tuner.staying.mean)),
            "would have been spent by staying, as far as is known",
        ),
    ]
    cost = expected_cost(tuner, price)
    if cost is not None:
        note = "in all" if tuner.done else f"so far; {money(cost[1])} expected in all"
        cards.append(_card("Cost", money(cost[0]), note))
    else:
        cards.append(_card("Switches", str(max(len(ran) - 1, 0)), "from setting to setting"))
    return cards


def _card(title: str, big: str, note: str) -> Markup:
    return tag(
        "section",
        tag("h2", title),
        tag("p", tag("b", big), class_="big"),
        tag("p", note, class_="note"),
        class_="card",
    )


def _losses(tuner: Tuner, ran: Sequence[Stretch]) -> Markup:
    seen = losses(tuner)
    note = "Each triangle is a switch to another setting; the dotted line is the target."
    body: Child = empty("No loss was reported.")
    if len(seen.at):
        figure = draw_losses(seen, ran, tuner.until.loss)
        body = plot("losses", figure, "loss over time", height=380)
    return section("loss", "Loss over time", body, note=note)


def _believed(told: Sequence[Outcome]) -> Markup | None:
    if not told:
        return None
    held = [each.held for each in told if each.held is not None]
    note = "What was believed to be left at each decision, as a range from 10 to 90 %."
    if held:
        note += f" The truth lay inside in {percent(sum(held) / len(held))} of them."
    figure = draw_outcomes(told)
    return section(
        "believed",
        "What was believed, and what came true",
        plot("outcomes", figure, "time believed to be left against what came true", height=340),
        note=note,
    )


def _settings(ran: Sequence[Stretch]) -> Markup:
    heads = ("from", "setting", "iterations", "each", "switch took", "loss at its end")
    rows = [
        (
            duration(each.begin),
            config(each.setting),
            f"{each.iterations:,}",
            duration(each.per_iteration),
            duration(each.reconfiguration),
            number(each.loss),
        )
        for each in ran[-_ROWS:]
    ]
    table = tag(
        "table",
        tag("thead", tag("tr", [tag("th", head) for head in heads])),
        tag("tbody", [tag("tr", [tag("td", cell) for cell in row]) for row in rows]),
    )
    return section("settings", "Settings", tag("div", table, class_="scroll measures course"))
