"""The ten figures of docs/benchmarks.md, read from the tables of RESULTS.md.

They are read, not measured: so the short page can never say another thing than the long one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One figure of a table.

    Attributes:
        place: Between the comments `begin: PLACE` and `end: PLACE`.
        row: How the row begins, its cells joined by ` | `.
        column: The heading above the figure.
    """

    place: str
    row: str
    column: str

    def read(self, page: str) -> str:
        """What the table of the page says."""
        for heads, rows in _tables(_between(page, self.place)):
            for row in rows if self.column in heads else ():
                if " | ".join(row).startswith(f"{self.row} | "):
                    return row[heads.index(self.column)]
        raise ValueError(f"{self.place} has no row {self.row!r} with a column {self.column!r}")


@dataclass(frozen=True)
class Figure:
    """A question of a reader, what we measured, and what it is compared with."""

    question: str
    ours: Cell
    beside: str
    theirs: Cell
    unit: str = " USD"

    def line(self, page: str) -> str:
        """The row of the short page."""
        ours, theirs = (self._said(cell.read(page)) for cell in (self.ours, self.theirs))
        return f"| {self.question} | {ours} | {theirs} | {self.beside} |"

    def _said(self, figure: str) -> str:
        figure = figure.split(" (")[0].split(" / ")[0]
        if figure in ("–", "never"):
            return "not reached"
        return figure + ("" if figure.endswith("%") else self.unit)


def _slices(row: str, column: str) -> Cell:
    return Cell("slices", row, column)


FIGURES = (
    Figure(
        "Slices of the data, limit on cost, 288 configs on AWS: to reach 90 % of the optimum",
        _slices("`trimtuner`", "USD to 90%"),
        "our own search at the full data (`eic`)",
        _slices("`eic`", "USD to 90%"),
    ),
    Figure(
        "The same, to reach 99 %",
        _slices("`trimtuner`", "USD to 99%"),
        "our own search at the full data (`eic`)",
        _slices("`eic`", "USD to 99%"),
    ),
    Figure(
        "The same table beside Optuna's default sampler, to reach 95 %",
        Cell("peers", "`trimtuner`", "USD to 95%"),
        "Optuna 5, TPE with the limit as a constraint",
        Cell("peers", "`optuna_tpe`", "USD to 95%"),
    ),
    Figure(
        "The same beside Optuna with Hyperband, to reach 99 %",
        Cell("peers", "`trimtuner`", "USD to 99%"),
        "Optuna 5, TPE and Hyperband over the fractions",
        Cell("peers", "`optuna_hyperband`", "USD to 99%"),
    ),
    Figure(
        "Our own trainings on Fashion-MNIST, where slices save little: to reach 99 %",
        Cell("own-cnn", "`trimtuner`", "USD to 99%"),
        "random search at the full data",
        Cell("own-cnn", "`random`", "USD to 99%"),
    ),
    Figure(
        "17 to 20 learners on 26 data sets: regret after the time of eight full trainings",
        Cell("lcdb", "trimtuner", "8"),
        "successive halving",
        Cell("lcdb", "halving", "8"),
        "",
    ),
    Figure(
        "The cheapest training that is good enough, at any fraction: 90 % of seeds near it",
        Cell("any-fraction", "nephele", "USD to CNO 1.5, 90 %"),
        "Lynceus at the full data",
        Cell("any-fraction", "lynceus, full data", "USD to CNO 1.5, 90 %"),
    ),
    Figure(
        "The cheapest machines, 14 tables: money of `lynceus` over that of the other",
        Cell("cheapest", "cherrypick", "ratio of medians over tables"),
        "left: `cherrypick`; right: Optuna 5",
        Cell("cheapest", "optuna tpe", "ratio of medians over tables"),
        " ×",
    ),
    Figure(
        "A warm start: money saved to 90 %",
        Cell("warm-start", "multilayer to CNN | `cherrypick` | as it was", "saved to 90%"),
        "right: what a misleading study saves (below zero: it costs)",
        Cell("warm-start", "multilayer to CNN | `cherrypick` | turned round", "saved to 90%"),
    ),
    Figure(
        "Seconds to choose a trial among 1,440 candidates",
        Cell("ask-speed", "1,440 candidates, 48 trials: default", "seconds"),
        "right: eight reals after 1,000 trials",
        Cell("ask-speed", "8 reals, 1,000 trials", "seconds"),
        " s",
    ),
)


FEW = (FIGURES[0], FIGURES[2], FIGURES[4], FIGURES[6], FIGURES[7])
"""Those of the README: each of another kind, and not only the best ones."""


def table(page: str, shown: Sequence[Figure] = FIGURES) -> str:
    """Figures of the long page, as a short one shows them."""
    head = "| what | Tunewise | beside it | which is |\n|---|---|---|---|"
    return "\n".join([head, *(figure.line(page) for figure in shown)])


def _between(page: str, place: str) -> str:
    found = re.search(rf"<!-- begin: {place} -->(.*?)<!-- end: {place} -->", page, re.S)
    if found is None:
        raise ValueError(f"the page has no place {place!r}")
    return found[1]


def _tables(text: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The heads and the rows of each table."""
    for block in re.findall(r"(?:^\|.*\n)+", text + "\n", re.M):
        heads, _, *rows = [
            [cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines()
        ]
        yield heads, rows
