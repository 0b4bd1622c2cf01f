"""Trainings as they lie in a storage: listed, shown and deleted."""

import math
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tunewise.cli.options import console
from tunewise.errors import StorageError, StudyError, TunewiseError

if TYPE_CHECKING:
    from pathlib import Path

    from tunewise.online.record.course import Course
    from tunewise.study import Store


def has_training(store: "Store", name: str, asked: bool) -> bool:
    """Whether a name means a training: where it is asked for, or where no study has it."""
    if asked:
        return True
    with suppress(StudyError):
        store.load(name)
        return False
    return name in training_names(store)


def training_names(store: "Store") -> list[str]:
    """The trainings of a store, the newest first; none where it keeps none."""
    try:
        return list(reversed(store.runs().names()))
    except StorageError:
        return []


def training_row(store: "Store", name: str) -> dict[str, Any]:
    """A training in a line of a list."""
    from tunewise.online.record.stored import stored_course

    try:
        return _head(name, stored_course(store.runs(), name))
    except TunewiseError as error:
        # One training that cannot be understood must not hide the others.
        return {"name": name, "error": str(error)}


def training_data(store: "Store", name: str, folder: "Path") -> dict[str, Any]:
    """All about a training: its state, what it cost and what it tried; `folder` is its own."""
    from dataclasses import asdict

    from tunewise.cli.training.price import kept_price
    from tunewise.online.outlook import cost
    from tunewise.online.record.stored import stored_course
    from tunewise.online.segment import Tried

    course = stored_course(store.runs(), name)
    tried = [asdict(Tried.of(each)) for each in course.segments if each.iterations]
    price = kept_price(folder, course)
    spent = None if price is None else cost(course.segments, price)
    failed = [each.why for each in course.believed if " failed: " in each.why]
    return {**_head(name, course), "cost": spent, "switches": tried, "failed": failed}


def training_page(store: "Store", name: str, folder: "Path") -> Callable[["Path", bool], None]:
    """What writes the page of a training to a file; the training itself is left as it is."""
    from tunewise.cli.training.price import kept_price
    from tunewise.online import Tuner, Until
    from tunewise.online.record.events import decoded
    from tunewise.online.record.stored import stored_course
    from tunewise.report.training import write

    runs = store.runs()
    course = stored_course(runs, name)
    # One that keeps nothing: a training that goes on elsewhere is not disturbed, and it has not
    # gone back to its checkpoint.
    first = course.segments[0].setting
    tuner = Tuner(course.space, Until.of(course.until), default=first)
    tuner.watch(map(decoded, runs.events(name)))

    def page(path: "Path", self_contained: bool) -> None:
        price = kept_price(folder, course)
        write(path, name, tuner, price, course.deadline, self_contained)

    return page


def _head(name: str, course: "Course") -> dict[str, Any]:
    return {
        "name": name,
        "until": str(course.until),
        "done": course.done,
        "iterations": course.iterations,
        "seconds": course.seconds,
        "loss": None if math.isnan(course.watch.loss) else course.watch.loss,
        "samples": course.watch.samples,
        "setting": dict(course.setting),
        "deadline": course.deadline,
        "missed": course.deadline is not None and course.seconds > course.deadline,
    }


def print_trainings(rows: list[dict[str, Any]]) -> None:
    """Trainings as a table."""
    from rich.table import Table

    from tunewise.format import MISSING, config, duration, number

    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in ("training", "state", "iterations", "time", "loss", "setting"):
        text = head in ("training", "state", "setting")
        table.add_column(head, justify="left" if text else "right")
    for row in rows:
        if "error" in row:
            table.add_row(row["name"], "damaged", MISSING, MISSING, MISSING, row["error"])
            continue
        table.add_row(
            row["name"],
            _state(row),
            f"{row['iterations']:,}",
            duration(row["seconds"]),
            MISSING if row["loss"] is None else number(row["loss"]),
            config(row["setting"]),
        )
    console().print(table)


def print_training(data: dict[str, Any], last: int | None) -> None:
    """A training with the settings that it tried, all or the last ones."""
    from rich.table import Table
    from rich.text import Text

    from tunewise.format import config, duration, money, number
    from tunewise.online.deadline import missed

    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in ("from", "iterations", "each", "switch took", "loss at its end", "setting"):
        table.add_column(head, justify="left" if head == "setting" else "right")
    for each in data["switches"][-last:] if last else data["switches"]:
        table.add_row(
            f"#{each['first']:,}",
            f"{each['iterations']:,}",
            duration(each["seconds"]),
            duration(each["reconfiguration"]),
            number(each["loss"]),
            config(each["setting"]),
        )
    out = console()
    out.print(table)
    for why in data["failed"]:
        out.print(Text(why), soft_wrap=True)
    loss = "" if data["loss"] is None else f", loss {number(data['loss'])}"
    spent = "" if data["cost"] is None else f", {money(data['cost'])}"
    late = f"; {missed(data['deadline'])}" if data["missed"] else ""
    out.print(
        Text(
            f"{data['name']}: {_state(data)}, until {data['until']}; {data['iterations']:,}"
            f" iterations in {duration(data['seconds'])}{spent}{loss},"
            f" under {config(data['setting'])}{late}"
        ),
        soft_wrap=True,
    )


def _state(row: dict[str, Any]) -> str:
    return "done" if row["done"] else "not done yet"
