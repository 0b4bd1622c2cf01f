"""Whether what was said came true, for terminals."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tunewise.benchmark.measures.reliability import Reliability
from tunewise.report.race.reliability import HEADS, cells
from tunewise.report.terminal.lines import listed

if TYPE_CHECKING:
    from rich.console import RenderableType


def reliability_table(
    about: str, rows: Mapping[str, Sequence[Reliability]]
) -> "Iterator[RenderableType]":
    """A line for each strategy and largest fraction seen; nothing where nothing was said."""
    if not any(rows.values()):
        return
    yield f"\n{about}"
    lines = (
        ["" if place else strategy, *cells(row)]
        for strategy, each in rows.items()
        for place, row in enumerate(each)
    )
    yield listed(("strategy", *HEADS), lines, ("strategy",))
