"""Trainings that are tuned while they run, for terminals."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tunewise.format import MISSING, config, duration, money, number
from tunewise.online.deadline import missed
from tunewise.report.terminal.lines import listed

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_WORDS = ("training", "state", "setting")


def trainings_table(rows: list[dict[str, Any]]) -> "Table":
    """A line for each training."""
    heads = ("training", "state", "iterations", "time", "loss", "setting")
    return listed(heads, map(_cells, rows), _WORDS)


def _cells(row: dict[str, Any]) -> list[str]:
    if "error" in row:
        return [row["name"], "damaged", MISSING, MISSING, MISSING, row["error"]]
    return [
        row["name"],
        _state(row),
        f"{row['iterations']:,}",
        duration(row["seconds"]),
        MISSING if row["loss"] is None else number(row["loss"]),
        config(row["setting"]),
    ]


def shown(data: dict[str, Any], last: int | None) -> "Iterator[RenderableType]":
    """A training with the settings that it tried, all or the last ones."""
    from rich.text import Text

    heads = ("from", "iterations", "each", "switch took", "loss at its end", "setting")
    tried = data["switches"][-last:] if last else data["switches"]
    yield listed(heads, map(_tried, tried), _WORDS)
    yield from map(Text, data["failed"])
    loss = "" if data["loss"] is None else f", loss {number(data['loss'])}"
    spent = "" if data["cost"] is None else f", {money(data['cost'])}"
    late = f"; {missed(data['deadline'])}" if data["missed"] else ""
    yield Text(
        f"{data['name']}: {_state(data)}, until {data['until']}; {data['iterations']:,}"
        f" iterations in {duration(data['seconds'])}{spent}{loss},"
        f" under {config(data['setting'])}{late}"
    )


def _tried(each: dict[str, Any]) -> list[str]:
    return [
        f"#{each['first']:,}",
        f"{each['iterations']:,}",
        duration(each["seconds"]),
        duration(each["reconfiguration"]),
        number(each["loss"]),
        config(each["setting"]),
    ]


def _state(row: dict[str, Any]) -> str:
    return "done" if row["done"] else "not done yet"


def beginning(plan: dict[str, Any]) -> str:
    """What a training is for, and how it begins."""
    size = "many" if plan["settings"] is None else f"{plan['settings']:,}"
    due = "" if plan["deadline"] is None else f", within {duration(plan['deadline'])}"
    return (
        f"{plan['name']}: until {plan['until']}, {size} settings, least {plan['minimize']}{due};"
        f" begins under {config(plan['first'])}"
    )


def ending(name: str, end: dict[str, Any]) -> str:
    """How a training ended."""
    cost = "" if end["cost"] is None else f", {money(end['cost'])}"
    late = f"\n{name}: {missed(end['deadline'])}." if end["missed"] else ""
    worth = ""
    if (seen := end["validation"]) is not None:
        right = f", accuracy {seen['accuracy']:.1%}" if "accuracy" in seen else ""
        worth = f"\n{name}: validation loss {seen['loss']:.4g}{right}."
    return (
        f"{name}: done after {duration(end['seconds'])}{cost}, {end['iterations']:,} iterations;"
        f" under {config(end['setting'])}. The first setting alone would have taken about"
        f" {duration(end['staying'])}.{worth}{late}"
    )
