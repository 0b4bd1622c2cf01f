"""CSV, TSV, Parquet and data frames: rows with a header, and which column is the answer."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from tunewise.declarative.examples.loading.ways import PLAIN, Way, ways_of
from tunewise.declarative.examples.raw import Found, Notes, Raw, Refused
from tunewise.declarative.schema.program import Program
from tunewise.declarative.schema.values import (
    GROUPED_BY_COMMAS,
    TEXTS,
    missing,
    number,
    pointed,
)
from tunewise.errors import TaskError, nearest, optional

LABELS = ("label", "class", "target", "output", "y", "kind", "category")
"""Names of the column with the answer, where nobody said which it is; else it is the last one."""

LONGEST_CELL = 1_000_000
"""Characters of one cell."""

_DELIMITERS = ",;\t|"
_SAMPLE = 64 * 1024
_ROWS = 1000
"""Rows by which columns are judged, where they do not come as text."""


_SAID = re.compile(r"sep=(.)\s*\n", re.IGNORECASE)
"""The first line of a file that tells a spreadsheet what separates the cells."""


Reader = Callable[[str, Any], Any]
"""Reads a cell of a column of such a kind as it would stand in any other table."""


def as_it_is(kind: str, cell: Any) -> Any:
    """A cell that is read the same everywhere."""
    return cell


@dataclass(frozen=True)
class Table:
    """Rows under a header.

    Attributes:
        names: Of the columns.
        rows: Cells of each row with its line, or why there is none.
        decimal: What stands before the decimals of its numbers.
        ways: How the cells of each column are read, where its cells tell.
    """

    names: tuple[str, ...]
    rows: Iterable[tuple[int, Sequence[Any]] | Refused]
    decimal: str = "."
    ways: tuple[Way, ...] = ()

    def way(self, place: int) -> Way:
        """Of a column."""
        return self.ways[place] if self.ways else PLAIN

    def read(self, place: int, kind: str, cell: Any) -> Any:
        """A cell of a column of such a kind, as it would stand in any other table."""
        if kind == "number" and self.decimal == "," and isinstance(cell, str):
            return pointed(cell)
        way = self.way(place)
        if kind == "number":
            return way.number(cell)
        return way.day(cell) if kind == "date" else cell


def read_csv(path: Path) -> Table:
    """A CSV file with whatever separates its cells; without a header columns get numbers."""
    encoding = _encoding(path)
    with path.open(encoding=encoding, errors="replace", newline="") as file:
        sample = file.read(_SAMPLE)
    if "\0" in sample:
        raise TaskError(f"{path.name} is no text; expected a CSV file")
    said = _SAID.match(sample)
    sample = sample[said.end() :] if said else sample
    delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(sample)
    delimiter = said[1] if said else delimiter
    first = next(csv.reader(sample.splitlines(True), delimiter=delimiter), None)
    if not first:
        raise TaskError(f"{path.name} is empty")
    header = _is_header(first)
    names = _unique(first) if header else tuple(f"c{i}" for i in range(1, len(first) + 1))
    rows = _rows(path, encoding, delimiter, len(names), bool(said) + header)
    decimal = "," if delimiter == ";" and _commas(sample) else "."
    lines = sample.splitlines(True)[: -1 if len(sample) >= _SAMPLE else None]
    ways = ways_of(names, islice(csv.reader(lines, delimiter=delimiter), int(header), None))
    if decimal == ",":
        ways = tuple(PLAIN if way.commas else way for way in ways)
    return Table(names, rows, decimal, ways)


def read_parquet(path: Path) -> Table:
    """A Parquet file."""
    parquet = optional("pyarrow.parquet", "parquet")
    try:
        file = parquet.ParquetFile(path)
        names = tuple(map(str, file.schema_arrow.names))
    except Exception as error:  # noqa: BLE001 - whatever a hostile file makes of the reader
        raise TaskError(f"{path.name} cannot be read as Parquet ({error!s:.80})") from error

    def rows() -> Iterator[tuple[int, Sequence[Any]]]:
        line = 0
        for batch in file.iter_batches(batch_size=1000):
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                line += 1
                yield line, row

    first = next(file.iter_batches(batch_size=_ROWS), None)
    columns = [] if first is None else [column.to_pylist() for column in first.columns]
    return Table(names, rows(), ways=ways_of(names, zip(*columns, strict=True)))


def of_frame(frame: Any) -> Table:
    """A data frame of pandas or its like."""
    names = tuple(str(name) for name in frame.columns)
    rows = ((i, row) for i, row in enumerate(frame.itertuples(index=False, name=None), 1))
    sample = islice(frame.itertuples(index=False, name=None), _ROWS)
    return Table(names, rows, ways=ways_of(names, sample))


def pairs(
    table: Table, program: Program, label: str | None, where: str, notes: Notes | None = None
) -> Iterator[Found]:
    """The rows as inputs and outputs of the program."""
    outputs = label_columns(table.names, program, label)
    inputs = _input_columns(table.names, program, outputs)
    if notes is not None:
        notes.sentences += _noted(table, program, inputs, outputs)
    for row in table.rows:
        if isinstance(row, Refused):
            yield Refused(f"{where}:{row.where}", row.reason)
            continue
        line, cells = row
        answer = [(place, cells[place]) for place in outputs]
        if any(missing(cell) for _, cell in answer):
            yield Refused(f"{where}:{line}", f"the label {table.names[outputs[0]]!r} is missing")
            continue
        yield _raw(f"{where}:{line}", table, program, cells, inputs, answer)


def unlabelled(table: Table, program: Program, label: str | None, where: str) -> Iterator[Found]:
    """The rows as inputs alone; a column with the answer is passed over."""
    try:
        skipped = label_columns(table.names, program, label)
    except TaskError:
        skipped = []
    if len(table.names) in (1, _width(program)):
        skipped = []
    inputs = _input_columns(table.names, program, skipped)
    # Nobody reads a note about an answer: a date that may be read either way is refused.
    table = replace(table, ways=tuple(PLAIN if way.unsure else way for way in table.ways))
    for row in table.rows:
        if isinstance(row, Refused):
            yield Refused(f"{where}:{row.where}", row.reason)
        else:
            yield _raw(f"{where}:{row[0]}", table, program, row[1], inputs, None)


def label_columns(names: Sequence[str], program: Program, label: str | None) -> list[int]:
    """Where the answer stands: as said, by a usual name, or last."""
    field = program.output.single
    count = field.shape[0] if field and field.says == "numbers" and field.shape else 1
    if label is not None:
        asked = [label] if label in names else [part.strip() for part in label.split(",")]
        for name in asked:
            if name not in names:
                raise TaskError(f"there is no column {name!r}{nearest(name, names)}")
        if len(asked) != count:
            raise TaskError(f"{len(asked)} columns are the answer; the program expects {count}")
        return [list(names).index(name) for name in asked]
    known = {column.name for f in program.input.fields for column in f.columns}
    if program.input.single is not None and program.input.single.text:
        known = {name for name in names if name.lower() in TEXTS}
    rest = [place for place, name in enumerate(names) if name not in known]
    if known and len(rest) == count:
        return rest
    usual = [place for place in rest if names[place].lower() in LABELS]
    if count == 1 and usual:
        return usual[-1:]
    return list(range(len(names)))[-count:]


def _width(program: Program) -> int | None:
    field = program.input.single
    if field is None or len(field.shape) != 1 or field.columns:
        return None
    return field.shape[0]


def _input_columns(names: Sequence[str], program: Program, outputs: Sequence[int]) -> list[int]:
    field = program.input.single
    if field is None or len(field.shape) > 1:
        raise TaskError(f"a table holds no {program.input!s:.60}; expected images, JSON or NPZ")
    rest = [place for place in range(len(names)) if place not in outputs]
    if field.columns:
        lost = [c.name for c in field.columns if c.name not in names]
        if lost:
            raise TaskError(f"the column {lost[0]!r} is missing{nearest(lost[0], names, 0.7)}")
        return [list(names).index(column.name) for column in field.columns]
    if field.text:
        text = [p for p in rest if names[p].lower() in TEXTS]
        if len(rest) != 1 and not text:
            raise TaskError(f"which of {', '.join(names)} is the text? Call it 'text'")
        return text[:1] or rest
    if len(rest) != field.shape[0]:
        raise TaskError(f"{len(rest)} columns beside the answer; the program says {field.shape[0]}")
    return rest


def _raw(
    where: str,
    table: Table,
    program: Program,
    cells: Sequence[Any],
    inputs: Sequence[int],
    answer: Sequence[tuple[int, Any]] | None,
) -> Found:
    field = program.input.single
    assert field is not None
    row = [
        table.read(place, kind, cells[place])
        for place, kind in zip(inputs, _kinds(program, len(inputs)), strict=True)
    ]
    value = str(row[0]) if field.text else row
    if answer is None:
        return Raw(where, value)
    told = program.output.single
    if told is not None and told.says == "numbers":
        try:
            return Raw(
                where, value, [number(table.read(at, "number", cell)) for at, cell in answer]
            )
        except TaskError as error:
            return Refused(where, f"the answer: {error}")
    return Raw(where, value, answer[0][1])


def _kinds(program: Program, count: int) -> Sequence[str]:
    field = program.input.single
    if field is None or field.text:
        return ["text"] * count
    return [column.kind for column in field.columns] or ["number"] * count


def _noted(
    table: Table, program: Program, inputs: Sequence[int], outputs: Sequence[int]
) -> Iterator[str]:
    """How columns were read that could be meant otherwise."""
    told = program.output.single
    kinds = dict(zip(inputs, _kinds(program, len(inputs)), strict=True))
    if told is not None and told.says == "numbers":
        kinds |= dict.fromkeys(outputs, "number")
    for place, kind in kinds.items():
        way = table.way(place)
        if way.note and kind == ("number" if way.commas else "date"):
            yield way.note


def _rows(
    path: Path, encoding: str, delimiter: str, width: int, skipped: int
) -> Iterator[tuple[int, Sequence[str]] | Refused]:
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open(encoding=encoding, errors="replace", newline="") as file:
            reader = csv.reader(file, delimiter=delimiter)
            while True:
                try:
                    cells = next(reader, None)
                except csv.Error as error:
                    yield Refused(str(reader.line_num), f"it is no row ({error})")
                    continue
                if cells is None:
                    return
                line = reader.line_num
                if skipped:
                    skipped -= 1
                elif not any(cell.strip() for cell in cells):
                    continue  # spreadsheets end so
                elif len(cells) == width:
                    yield line, cells
                else:
                    yield Refused(str(line), f"{len(cells)} cells; the header has {width}")
    finally:
        csv.field_size_limit(before)


def _encoding(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(_SAMPLE)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        start[: len(start) - 4 if len(start) == _SAMPLE else len(start)].decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"  # what spreadsheets write that do not write UTF-8
    return "utf-8-sig"


def _delimiter(sample: str) -> str:
    """What stands equally often, and most often, in the first lines."""
    lines = [line for line in sample.splitlines()[:20] if line.strip()]
    if len(lines) > 1 and len(sample) >= _SAMPLE:
        lines = lines[:-1]
    bare = [re.sub(r'"(?:[^"]|"")*"', "", line) for line in lines]
    counts = {mark: [line.count(mark) for line in bare] for mark in _DELIMITERS}
    alike = [mark for mark, found in counts.items() if found and min(found) == max(found) > 0]
    return max(alike or _DELIMITERS, key=lambda mark: (counts[mark] or [0])[0])


def _commas(sample: str) -> bool:
    """Whether numbers have decimal commas."""
    return len(re.findall(r"\d,\d", sample)) > len(
        re.findall(r"(?<![\d.])\d+\.\d+\s*(?:;|$)", sample, re.M)
    )


def _is_header(cells: Sequence[str]) -> bool:
    def is_number(cell: str) -> bool:
        try:
            number(cell, "," if GROUPED_BY_COMMAS.fullmatch(cell.strip()) else ".")
        except TaskError:
            return False
        return True

    return not any(is_number(cell) for cell in cells)


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for place, name in enumerate(names, 1):
        name = " ".join(name.split()) or f"c{place}"
        found.append(name if name not in found else f"{name} ({place})")
    return tuple(found)
