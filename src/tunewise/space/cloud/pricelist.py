"""Rows of a price list in CSV, with errors that say in which line the trouble is."""

import csv
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import StringIO
from typing import Any, TypeVar

from tunewise.errors import SpaceError

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """One line of a price list.

    Attributes:
        cells: Text by column.
        line: Its number in the file.
        source: What the file is called in errors.
    """

    cells: dict[str, str]
    line: int
    source: str

    def get(self, column: str) -> str:
        """The text of a cell, empty where there is none."""
        return self.cells.get(column, "")

    def number(self, column: str) -> float | None:
        """The number in a cell, None where it is empty."""
        text = self.get(column)
        if not text or text.lower() == "nan":  # pandas writes empty cells in either way
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value >= 0):
            raise refuse_row(self, f"{column} is {text!r}; expected a number of 0 or more")
        return value

    def build(self, make: Callable[[], T]) -> T:
        """What `make` returns, its errors with the line's number."""
        try:
            return make()
        except SpaceError as error:
            if str(error).startswith(self.source):
                raise
            raise refuse_row(self, str(error)) from error


def refuse_row(row: Row, reason: str) -> SpaceError:
    """The error for a bad row, as a sentence."""
    return SpaceError(f"{row.source}, line {row.line}: {reason}")


def read_rows(text: str | Iterable[str], source: str) -> tuple[list[str], list[Row]]:
    """The columns and the rows of CSV text or lines."""
    lines = text.splitlines(keepends=True) if isinstance(text, str) else text
    reader = csv.reader(lines, skipinitialspace=True)
    try:
        columns = [column.strip().lstrip("\ufeff") for column in next(reader, [])]
        if not any(columns):
            raise SpaceError(f"{source} is empty: expected a header line such as name,vcpus,price")
        rows = [_row(columns, cells, reader.line_num, source) for cells in reader if any(cells)]
    except csv.Error as error:
        raise SpaceError(f"{source}, line {reader.line_num}: not CSV ({error})") from error
    if not rows:
        raise SpaceError(f"{source} has a header and no rows: expected at least one VM type")
    return columns, rows


def write_rows(columns: list[str], rows: Iterable[list[Any]]) -> str:
    """CSV text that `read_rows` understands; None becomes an empty cell."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([columns, *rows])
    return text.getvalue()


def _row(columns: list[str], cells: list[str], line: int, source: str) -> Row:
    if len(cells) != len(columns):
        raise SpaceError(
            f"{source}, line {line}: {len(cells)} cells; expected {len(columns)}, as in the header"
        )
    return Row({c: v.strip() for c, v in zip(columns, cells, strict=True)}, line, source)
