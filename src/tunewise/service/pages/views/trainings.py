"""Trainings that are tuned while they run: the list, and one with its loss and its settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tunewise.errors import TunewiseError
from tunewise.format import MISSING, config, duration, money, number, percent
from tunewise.job.listing import training_names
from tunewise.job.training.stored import StoredTraining, head
from tunewise.online import Tuner
from tunewise.online.deadline import missed
from tunewise.online.record.stored import stored_course
from tunewise.report.training.charts import draw_losses, draw_outcomes
from tunewise.report.training.course import expected_cost, losses, outcomes, stretches
from tunewise.service.pages.views.charts import light
from tunewise.storage.sql import SqlStore

ROWS = 50
_SWITCHES = 100


@dataclass(frozen=True)
class TrainingRow:
    """A training in the list.

    Attributes:
        name: Unique in its namespace.
        state: What it does, in a few words.
        role: The colour of its state.
        until: When it is done.
        loss: Its last loss.
        iterations: How many it has done.
        seconds: That it took until now.
        setting: What it runs under.
        error: Why it cannot be shown, or nothing.
    """

    name: str
    state: str
    role: str
    until: str = ""
    loss: str = MISSING
    iterations: int = 0
    seconds: float = 0.0
    setting: str = ""
    error: str = ""


@dataclass(frozen=True)
class TrainingsView:
    """A page of the list."""

    rows: Sequence[TrainingRow]
    total: int
    page: int
    pages: int


def trainings_view(store: SqlStore, page: int = 1) -> TrainingsView:
    """The trainings, the newest first."""
    names = training_names(store)
    pages = max(1, -(-len(names) // ROWS))
    at = min(max(page, 1), pages)
    shown = names[(at - 1) * ROWS : at * ROWS]
    return TrainingsView([training_row(store, name) for name in shown], len(names), at, pages)


def training_row(store: SqlStore, name: str) -> TrainingRow:
    """A training in a line; one that cannot be understood says so."""
    try:
        told = head(name, stored_course(store.runs(), name))
    except TunewiseError as error:
        return TrainingRow(name, "not understood", "bad", error=str(error))
    state, role = _state(told)
    loss = MISSING if told["loss"] is None else number(told["loss"])
    return TrainingRow(
        name,
        state,
        role,
        str(told["until"]),
        loss,
        told["iterations"],
        told["seconds"],
        config(told["setting"]),
    )


def _state(told: dict[str, Any]) -> tuple[str, str]:
    if told["done"]:
        return ("done, late", "fair") if told["missed"] else ("done", "good")
    return ("late", "bad") if told["missed"] else ("not done yet", "running")


@dataclass(frozen=True)
class Switch:
    """A stretch under one setting, and why it began."""

    at: str
    setting: str
    why: str
    iterations: int
    each: str
    took: str
    loss: str


@dataclass(frozen=True)
class TrainingView:
    """A training's page.

    Attributes:
        left: Expected time left, with its range; empty where it is done.
        cost: USD so far; None without prices.
        expected: USD in all, as expected.
        staying: What the first setting alone would have taken.
        switches: What ran when and why, the newest first.
        held: How often the truth lay in the stated range; empty while it is not known.
    """

    name: str
    state: str
    role: str
    until: str
    setting: str
    iterations: int
    settings: str
    deadline: str
    late: str
    seconds: str
    in_switches: str
    left: str
    cost: str | None
    expected: str
    staying: str
    switches: Sequence[Switch]
    more: int
    held: str
    has_loss: bool
    has_belief: bool


def training_view(stored: StoredTraining) -> TrainingView:
    """All of a training's page but the data of its charts."""
    tuner, course = stored.tuner(), stored.course
    state, role = _state(head(stored.name, course))
    ran, told = stretches(tuner), outcomes(tuner)
    cost = expected_cost(tuner, stored.price)
    deadline = course.deadline
    late = deadline is not None and tuner.seconds > deadline
    moved = sum(each.reconfiguration for each in ran)
    held = [each.held for each in told if each.held is not None]
    return TrainingView(
        name=stored.name,
        state=state,
        role=role,
        until=str(tuner.until),
        setting=config(tuner.setting),
        iterations=tuner.iterations,
        settings="many" if tuner.space.size is None else f"{tuner.space.size:,}",
        deadline="" if deadline is None else duration(deadline),
        late=missed(deadline) if deadline is not None and late else "",
        seconds=duration(tuner.seconds),
        in_switches=percent(moved / tuner.seconds if tuner.seconds else 0.0),
        left=_left(tuner),
        cost=None if cost is None else money(cost[0]),
        expected="" if cost is None or tuner.done else money(cost[1]),
        staying=duration(float(tuner.staying.mean)),
        switches=_switches(tuner)[:_SWITCHES],
        more=max(0, len(ran) - _SWITCHES),
        held=f"{percent(sum(held) / len(held))} of {len(held)}" if held else "",
        has_loss=bool(len(losses(tuner).at)),
        has_belief=bool(told),
    )


def _left(tuner: Tuner) -> str:
    if tuner.done:
        return ""
    told = outcomes(tuner)
    mean = duration(float(tuner.remaining.mean))
    if not told:
        return f"about {mean}"
    last = told[-1]
    since = tuner.seconds - last.believed.at
    low, high = max(last.low - since, 0.0), max(last.high - since, 0.0)
    return f"about {mean}, between {duration(low)} and {duration(high)} (10 to 90 %)"


def _switches(tuner: Tuner) -> list[Switch]:
    """What ran when; a stretch began for the reason that was believed last before it."""
    found = []
    for each in stretches(tuner):
        before = [b.why for b in tuner.believed if b.at <= each.begin + 1e-9 and b.why]
        found.append(
            Switch(
                duration(each.begin),
                config(each.setting),
                before[-1] if before else "the first setting",
                each.iterations,
                duration(each.per_iteration),
                duration(each.reconfiguration),
                number(each.loss),
            )
        )
    return found[::-1]


def training_chart(stored: StoredTraining, key: str) -> dict[str, Any]:
    """The data of one of its charts."""
    tuner = stored.tuner()
    if key == "outcomes":
        told = outcomes(tuner)
        return light(draw_outcomes(told)) if told else {"empty": "Nothing was predicted yet."}
    seen = losses(tuner)
    if not len(seen.at):
        return {"empty": "No loss was reported."}
    return light(draw_losses(seen, stretches(tuner), tuner.until.loss))
