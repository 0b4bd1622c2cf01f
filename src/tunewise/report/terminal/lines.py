"""Tables and lists of facts for terminals: words to the left, numbers to the right."""

from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from tunewise.format.printable import printable

if TYPE_CHECKING:
    from rich.table import Table


def listed(
    heads: Sequence[str], rows: Iterable[Sequence[str]], words: Container[str] = ()
) -> "Table":
    """A table whose columns of words may wrap; numbers stay whole."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in heads:
        said = head in words
        table.add_column(head, justify="left" if said else "right", no_wrap=not said)
    for row in rows:
        table.add_row(*map(printable, row))
    return table


def facts(told: Iterable[tuple[str, str]]) -> "Table":
    """Names and what is said of each, below each other."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for name, said in told:
        grid.add_row(Text(printable(name), "dim"), Text(printable(said)))
    return grid
