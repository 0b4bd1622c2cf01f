"""How the cells of a column are read, decided by all of them together.

"68,013" holds thousands in one table and decimals in another, and 1/3/2024 is in January or in
March. One cell does not tell, but among its neighbours there is usually one that does.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tunewise.declarative.schema.values import GROUPED_BY_COMMAS, day, unknown
from tunewise.errors import TaskError

_WITH_COMMA = re.compile(r"[+-]?\d[\d,]*,\d+(\.\d*)?%?")
_SLASHED = re.compile(r"\s*(\d{1,2})[/-](\d{1,2})[/-]\d{2}(\d{2})?\b")


@dataclass(frozen=True)
class Way:
    """Of one column.

    Attributes:
        commas: What stands behind a comma in a number: "thousands", "decimals", or nothing.
        first: What stands first in a date such as 1/3/2024: "day", "month", or nothing.
        note: What a person should know who did not mean it so, or nothing.
        unsure: Whether no date of the column tells what stands first.
    """

    commas: str = ""
    first: str = ""
    note: str = ""
    unsure: bool = False

    def number(self, cell: Any) -> Any:
        """A cell with a number as one with a decimal point; any other as it is."""
        if not self.commas or not isinstance(cell, str):
            return cell
        return cell.replace(",", "" if self.commas == "thousands" else ".")

    def day(self, cell: Any) -> Any:
        """A cell with a date as ISO writes it; any other as it is."""
        try:
            return day(cell, self.first) if self.first and isinstance(cell, str) else cell
        except TaskError:
            return cell


PLAIN = Way()


def ways_of(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> tuple[Way, ...]:
    """The way of each column, by the first rows of a table."""
    whole = [row for row in rows if len(row) == len(names)]
    return tuple(_way(name, [row[at] for row in whole]) for at, name in enumerate(names))


def _way(name: str, cells: Sequence[Any]) -> Way:
    held = [cell.strip() for cell in cells if isinstance(cell, str) and not unknown(cell)]
    commas = [cell for cell in held if _WITH_COMMA.fullmatch(cell)]
    dates = [found for cell in held if (found := _SLASHED.match(cell))]
    if len(commas) > len(held) / 2 or commas and _are_numbers(held):
        return _of_commas(name, commas)
    return _of_days(name, dates) if len(dates) > len(held) / 2 else PLAIN


def _are_numbers(cells: Sequence[str]) -> bool:
    plain = sum(re.fullmatch(r"[+-]?[\d,.]+([eE][+-]?\d+)?%?", cell) is not None for cell in cells)
    return plain >= 0.95 * len(cells)


def _of_commas(name: str, cells: Sequence[str]) -> Way:
    grouped = [cell for cell in cells if GROUPED_BY_COMMAS.fullmatch(cell.removesuffix("%"))]
    if not grouped:
        return Way("decimals")
    certain = any("." in cell or cell.count(",") > 1 for cell in grouped)
    commas = "thousands" if certain or len(grouped) == len(cells) else "decimals"
    way, cell = Way(commas), grouped[0]
    note = f"the commas of the column {name!r} are for {commas}: {cell} is {way.number(cell)}"
    return Way(commas, note=note)


def _of_days(name: str, dates: Sequence[re.Match[str]]) -> Way:
    """By which number is above 12 more often."""
    day_first = sum(int(each[1]) > 12 >= int(each[2]) for each in dates)
    month_first = sum(int(each[2]) > 12 >= int(each[1]) for each in dates)
    if day_first == month_first:
        shown = f"dates such as {dates[0][0].strip()} in the column {name!r}"
        note = f"{shown} may be read either way: the day is taken to stand first"
        return Way(first="day", note=note, unsure=True)
    first = "day" if day_first > month_first else "month"
    note = f"the {first} stands first in the dates of the column {name!r}: {dates[0][0].strip()}"
    return Way(first=first, note=note if first == "month" else "")
