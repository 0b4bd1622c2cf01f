"""Whether what was said came true, on the terminal."""

from collections.abc import Mapping, Sequence

from tunewise.benchmark.measures.reliability import Reliability
from tunewise.cli.options import console
from tunewise.report.race.reliability import HEADS, cells


def print_reliability(about: str, rows: Mapping[str, Sequence[Reliability]]) -> None:
    """A line for each strategy and largest fraction seen; nothing where nothing was said."""
    from rich.table import Table

    if not any(rows.values()):
        return
    out = console()
    out.print(f"\n{about}", soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("strategy")
    for head in HEADS:
        table.add_column(head, justify="right", no_wrap=True)
    for strategy, each in rows.items():
        for place, row in enumerate(each):
            table.add_row("" if place else strategy, *cells(row))
    out.print(table)
