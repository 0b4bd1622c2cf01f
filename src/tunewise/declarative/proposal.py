"""Proposes a program from data, so that nobody has to write one."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from tunewise.declarative.examples.loading import arrays, images, tables
from tunewise.declarative.examples.loading.paths import (
    SHEETS,
    SOUNDS,
    TABLES,
    TEXTS,
    Member,
    members,
    opened,
)
from tunewise.declarative.examples.raw import Found, Raw, Refused
from tunewise.declarative.schema import Column, DataType, Field, Program
from tunewise.declarative.schema.values import day, missing, number, unknown
from tunewise.errors import TaskError

LOOKED_AT = 5000
"""Rows that are looked at."""

MOST_CLASSES = 50
"""Different whole numbers in an answer that still are classes."""

LONG = 60
"""Characters above which words are text and no categories, if hardly any stands twice."""


FEW_ROWS = 20
"""Rows up to which categories may all differ; of more they are names of the rows."""


@dataclass(frozen=True)
class Proposal:
    """A program that fits the data.

    Attributes:
        program: To be shown, and to be agreed to.
        shown: The first pairs as text.
        notes: What was noticed, such as what a number of classes was taken from.
        columns: Of a table, any of which may be the answer.
        answer: The column that was taken for the answer.
    """

    program: Program
    shown: list[tuple[str, str]]
    notes: list[str]
    columns: tuple[str, ...] = ()
    answer: str = ""


def propose(data: Any, label: str | None = None) -> Proposal:
    """The program of a file, a folder or a data frame.

    Raises:
        TaskError: Where the data tell too little.
    """
    if not isinstance(data, str | Path):
        if hasattr(data, "itertuples") and hasattr(data, "columns"):
            return _of_table(tables.of_frame(data), label)
        raise TaskError(f"{type(data).__name__} tells no program; give a file, folder or frame")
    path = Path(data).expanduser()
    if path.is_dir():
        return _of_files(members(path), str(path))
    suffix = path.suffix.lower()
    if not path.exists():
        raise TaskError(f"there is no file or folder {str(path)!r}")
    if suffix in TABLES:
        return _of_table(TABLES[suffix](path), label)
    if suffix == ".npz":
        return _of_pairs(arrays.read_npz(path))
    if suffix in (".jsonl", ".ndjson", ".json"):
        return _of_pairs(arrays.read_lines(path, label))
    if suffix == ".zip":
        with opened(path) as packed:
            return _of_files(packed, path.name)
    if suffix in SHEETS:
        raise TaskError(f"{path.name!r} is a spreadsheet; save it as CSV")
    raise TaskError(
        f"{path.name!r} tells no program; give a table, a folder (also a zipped one), NPZ or JSON"
        " lines"
    )


def _of_table(table: tables.Table, label: str | None) -> Proposal:
    rows = [row[1] for row in islice(_rows(table), LOOKED_AT)]
    if not rows:
        raise TaskError("the table has no rows")
    answer = _answer_column(table.names, label)
    answers = [row[answer] for row in rows if not missing(row[answer])]
    output, note = _output(answers, partial(table.read, answer))
    notes = [f"the column {table.names[answer]!r} is the answer: {note}"]
    notes += _doubts(answers, output)
    columns = []
    for place, name in enumerate(table.names):
        cells = [row[place] for row in rows]
        if place == answer:
            continue
        way = table.way(place)
        kind = _kind(cells, partial(table.read, place))
        if kind is None:
            notes.append(f"the column {name!r} is empty and left out")
        elif kind == "category" and len(set(cells)) == len(cells) > FEW_ROWS:
            notes.append(f"the column {name!r} differs in every row and is left out")
        else:
            columns.append(Column(name, kind))
            if way.note and kind == ("number" if way.commas else "date"):
                notes.append(way.note)
    inside = _table_type(columns, rows, table)
    shown = [
        (", ".join(str(c) for i, c in enumerate(row) if i != answer)[:100], str(row[answer]))
        for row in rows[:10]
    ]
    names = tuple(table.names)
    return Proposal(Program(inside, output), shown, notes, names, names[answer])


def _table_type(
    columns: list[Column], rows: Sequence[Sequence[Any]], table: tables.Table
) -> DataType:
    if len(columns) == 1 and columns[0].kind == "text":
        return DataType((Field(None, (), says="text"),))
    if not columns:
        raise TaskError("the table has no column beside the answer")
    return DataType((Field(None, (len(columns),), columns=tuple(columns)),))


def _answer_column(names: Sequence[str], label: str | None) -> int:
    if label is not None:
        if label not in names:
            from tunewise.errors import nearest

            raise TaskError(f"there is no column {label!r}{nearest(label, names)}")
        return list(names).index(label)
    usual = [place for place, name in enumerate(names) if name.lower() in tables.LABELS]
    return usual[-1] if usual else len(names) - 1


def _rows(table: tables.Table) -> Iterator[tuple[int, Sequence[Any]]]:
    for row in table.rows:
        if not isinstance(row, Refused):
            yield row


def _kind(cells: Sequence[Any], read: tables.Reader = tables.as_it_is) -> str | None:
    """What most cells of a column are; None where all are missing."""
    held = [cell for cell in cells if not unknown(cell)]
    if not held:
        return None
    if _most(held, lambda cell: number(read("number", cell))):
        return "number"
    if _most(held, lambda cell: day(read("date", cell))):
        return "date"
    words = [str(cell) for cell in held]
    different = len(set(words)) / len(words)
    long = sum(map(len, words)) / len(words) > LONG or sum(" " in w for w in words) > 0.5 * len(
        words
    )
    return "text" if different > 0.5 and long else "category"


def _most(cells: Sequence[Any], read: Any) -> bool:
    """Whether nearly all cells can be read so: a slip of the pen is refused when it is fed."""
    failed = 0
    for cell in cells:
        try:
            read(cell)
        except TaskError:
            failed += 1
            if failed > 0.05 * len(cells):
                return False
    return True


def _output(answers: Sequence[Any], read: tables.Reader = tables.as_it_is) -> tuple[DataType, str]:
    """Classes or a number, and why."""
    labels = Counter(_label(answer) for answer in answers)
    if len(labels) < 2:
        raise TaskError("the answer is always the same; nothing can be learned from that")
    numeric = _most(answers, lambda cell: number(read("number", cell)))
    whole = numeric and all(_is_whole(read("number", answer)) for answer in answers[:1000])
    few = len(labels) <= MOST_CLASSES and len(labels) <= max(2, 0.2 * len(answers))
    if not numeric or (whole and few):
        names = tuple(sorted(labels, key=_order))
        if len(names) > 1000:
            raise TaskError(f"{len(names)} different labels; at most 1000")
        return DataType((Field(None, (len(names),), names),)), f"{len(names)} classes"
    return DataType((Field(None, (1,), says="numbers"),)), "a number"


def _is_whole(cell: Any) -> bool:
    """Whether a number is whole; a slip of the pen, which is none, may be."""
    try:
        return number(cell).is_integer()
    except TaskError:
        return True


def _doubts(answers: Sequence[Any], output: DataType) -> Iterator[str]:
    """What speaks against taking answers for the names of classes."""
    if not isinstance(output.fields[0].classes, tuple):
        return
    labels = Counter(_label(answer) for answer in answers)
    alike: dict[str, list[str]] = {}
    for label in sorted(labels):
        alike.setdefault(" ".join(label.casefold().split()), []).append(label)
    for names in alike.values():
        if len(names) > 1:
            told = " and ".join(map(repr, names))
            yield f"{told} differ only in how they are written; they are classes of their own"
    if sum(count == 1 for count in labels.values()) > len(labels) / 2:
        yield f"most of the {len(labels)} classes have one example: is this the answer?"
    elif len(labels) > 2 and all(label.lstrip("+-").isdigit() for label in labels):
        yield 'the answers are whole numbers; write a program with "-> number" to predict an amount'


def _order(label: str) -> tuple[int, float, str]:
    from tunewise.declarative.training.dataset import label_order

    return label_order(label)


def _label(answer: Any) -> str:
    if isinstance(answer, float | np.floating) and float(answer).is_integer():
        answer = int(answer)
    if isinstance(answer, bool | np.bool_):
        return "true" if answer else "false"
    return str(answer).strip()


def _of_files(found: Sequence[Member], called: str) -> Proposal:
    """A folder for each class, of images, texts or sounds."""
    files: dict[str, list[Member]] = {}
    for member in found:
        if member.is_inside and len(member.parts) > 1:
            files.setdefault(member.parts[0], []).append(member)
    classes = tuple(sorted(files))
    if {"input", "output"} == set(classes):
        kind = DataType((Field(None, _usual_size(files["output"])),))
        return Proposal(Program(kind, kind), [], ["input and output are images of the same names"])
    if len(classes) < 2:
        folders = "one folder" if classes else "no folder"
        raise TaskError(
            f"{called!r} has {folders} with files; expected one for each class, so two or more"
        )
    every = [member for name in classes for member in files[name]]
    usual = Counter(_ending(member) for member in every).most_common(1)[0][0]
    output = DataType((Field(None, (len(classes),), classes),))
    rows = islice(chain.from_iterable(zip_longest(*(files[name] for name in classes))), 200)
    fit = (m for m in rows if m is not None and (usual not in images.SUFFIXES or _opens(m)))
    some = list(islice(fit, 10))
    shown = [("/".join(member.parts), member.parts[0]) for member in some]
    notes = [f"{len(classes)} folders are the classes, {len(every)} files"]
    if usual in images.SUFFIXES:
        shape = _usual_size(every)
        notes.append(f"images of other sizes are resized to {shape[0]} x {shape[1]}")
        return Proposal(Program(DataType((Field(None, shape),)), output), shown, notes)
    if usual in TEXTS:
        return Proposal(Program(DataType((Field(None, (), says="text"),)), output), shown, notes)
    if usual in SOUNDS:
        return Proposal(Program(DataType((Field(None, (64,)),), ("next",)), output), shown, notes)
    raise TaskError(f"most files end in {usual!r}; expected images, texts or sounds")


def _ending(member: Member) -> str:
    return member.name.suffix.lower()


LARGEST_IMAGE = 64
"""Pixels of a side that is proposed: larger images are resized, which is said when they are fed."""


def _opens(member: Member) -> bool:
    """Whether a file can be read as an image."""
    try:
        images.size_of(member.read())
    except (TaskError, OSError):
        return False
    return True


def _usual_size(files: Sequence[Member]) -> tuple[int, ...]:
    pictures = [member for member in files if _ending(member) in images.SUFFIXES]
    sizes: Counter[tuple[int, int, int]] = Counter()
    for member in pictures[:: max(1, len(pictures) // 200)]:
        try:
            sizes[images.size_of(member.read())] += 1
        except (TaskError, OSError):
            continue
    if not sizes:
        raise TaskError("none of the files can be read as an image")
    (height, width, channels), count = sizes.most_common(1)[0]
    if count < 0.5 * sizes.total():  # no size is usual: a square of the usual side
        height = width = round(median([s for (h, w, _), n in sizes.items() for s in [h, w] * n]))
        channels = max(channels for _, _, channels in sizes)
    scale = min(1.0, LARGEST_IMAGE / max(height, width))
    return max(1, round(height * scale)), max(1, round(width * scale)), channels


def _of_pairs(found: Iterator[Found]) -> Proposal:
    """Arrays and JSON: by the shape of the first pairs."""
    pairs = [raw for raw in islice(found, LOOKED_AT) if isinstance(raw, Raw)]
    if not pairs:
        raise TaskError("there is no pair of input and output")
    answers = [pair.output for pair in pairs]
    if all(np.ndim(answer) == 0 for answer in answers):
        output, note = _output(answers)
    else:
        output, note = _value_type([pair.output for pair in pairs], output=True), "as its shape"
    shown = [(f"{pair.input!r:.100}", f"{pair.output!r:.60}") for pair in pairs[:10]]
    inside = _value_type([pair.input for pair in pairs], output=False)
    notes = [f"the answer is {note}", *_doubts(answers, output)]
    return Proposal(Program(inside, output), shown, notes)


def _value_type(values: Sequence[Any], *, output: bool) -> DataType:
    first = values[0]
    if isinstance(first, str):
        return DataType((Field(None, (), says="text"),))
    if isinstance(first, dict):
        if output:
            raise TaskError("the answer is an object; write the program yourself")
        names = list(first)
        kinds = [(n, _kind([v.get(n) for v in values if isinstance(v, dict)])) for n in names]
        columns = tuple(Column(name, kind) for name, kind in kinds if kind is not None)
        return DataType((Field(None, (len(columns),), columns=columns),))
    shapes = {np.shape(value) for value in values if _rectangular(value)}
    says = "numbers" if output else ""
    if len(shapes) == 1 and len(values) == sum(map(_rectangular, values)):
        shape = next(iter(shapes))
        if len(shape) == 1:
            return DataType((Field(None, shape, says=says),))
        image = (*shape, 1)[:3] if len(shape) in (2, 3) else shape
        return DataType((Field(None, image),))
    widths = {shape[1:] for shape in shapes}
    if len(widths) == 1 and len(width := next(iter(widths))) <= 1:
        return DataType((Field(None, width or (1,)),), ("next",))
    raise TaskError("inputs are of several shapes; write the program yourself")


def _rectangular(value: Any) -> bool:
    try:
        return np.asarray(value, float).ndim > 0
    except (TypeError, ValueError):
        return False
