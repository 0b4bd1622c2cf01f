"""Feeds a task: loads, checks, keeps files first and rows after, so that a kill loses nothing."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tunewise.declarative.examples import Checked, Files, checked, numbered, pack
from tunewise.declarative.examples.chunks import SIZE
from tunewise.declarative.examples.loading import from_objects, from_path
from tunewise.declarative.examples.raw import Notes, Refused
from tunewise.declarative.schema import DataType, Program, parse
from tunewise.declarative.task.told import Fed
from tunewise.errors import TaskError
from tunewise.storage.tasks import ExampleRow, TaskRow, TaskStore


def feed(
    store: TaskStore,
    files: Files,
    task: TaskRow,
    inputs: Any,
    outputs: Any = None,
    *,
    label: str | None = None,
    by: Callable[[Any], Any] | None = None,
    dry_run: bool = False,
) -> Fed:
    """Keep what fits; the rest is said with its reasons."""
    program, notes = parse(task.program), Notes()
    label = label or task.settings.get("label")
    if isinstance(inputs, str | Path) and outputs is None:
        path = Path(inputs).expanduser()
        source, found = path.name, from_path(path, program, label, notes)
    else:
        source, found = "call", from_objects(inputs, outputs, program, label, by)
    pairs = iter(numbered(checked(program, found), call=source == "call"))
    if program.undecided:
        program, pairs = _decided(program, pairs, notes)
    labels = store.labels(task.id) if program.labels else set()
    rows, refused, twice = list[ExampleRow](), list[Refused](), 0
    seen: set[str] = set()
    for kept, lost, again in _batches(program, pairs, seen, labels):
        before = store.known(task.id, [pair.content for pair in kept])
        new = [pair for pair in kept if pair.content not in before]
        refused += lost
        twice += again + len(before)
        rows += _rows(files, new, source, by, dry_run)
    shape = program.input.fields[0].shape if program.input.fields else ()
    told = notes.lines(shape)
    if dry_run or not rows:
        return Fed(len(rows), twice, refused, told, task.version)
    if str(program) != task.program:
        store.settle(task.id, str(program), task.settings)
    change = {"kind": "feed", "source": source, "by": _name(by)}
    added, now = store.fed(task.id, rows, change)
    return Fed(len(added), twice + len(rows) - len(added), refused, told, now)


def feed_each(
    store: TaskStore, files: Files, task: TaskRow, requests: Sequence[Any], labels: set[str | None]
) -> list[Fed | TaskError]:
    """Keep the pairs of several requests as one version of the data: what became of each.

    The labels are those that are known so far; they are added to.
    """
    if parse(task.program).undecided:
        return [_fed(store, files, task.id, pairs) for pairs in requests]
    program, label = parse(task.program), task.settings.get("label")
    checks: list[list[Checked | Refused] | TaskError] = []
    for pairs in requests:
        try:
            objects = from_objects(pairs, None, program, label, None)
            checks.append(list(numbered(checked(program, objects), call=True)))
        except TaskError as error:
            checks.append(error)
    found = [one for some in checks if isinstance(some, list) for one in some]
    if program.labels and any(isinstance(p, Checked) and p.label not in labels for p in found):
        labels |= store.labels(task.id)
    seen: set[str] = set()
    read: list[tuple[list[Checked], list[Refused], int] | TaskError] = []
    for some in checks:
        if isinstance(some, TaskError):
            read.append(some)
            continue
        parts = list(_batches(program, some, seen, labels))
        kept = [pair for part in parts for pair in part[0]]
        refused = [one for part in parts for one in part[1]]
        read.append((kept, refused, sum(part[2] for part in parts)))
    every = [pair for one in read if not isinstance(one, TaskError) for pair in one[0]]
    before = store.known(task.id, [pair.content for pair in every])
    new = [pair for pair in every if pair.content not in before]
    rows = _rows(files, new, "call", None, False)
    version = task.version
    if rows:
        _, version = store.fed(task.id, rows, {"kind": "feed", "source": "call", "by": ""})
    told: list[Fed | TaskError] = []
    for one in read:
        if isinstance(one, TaskError):
            told.append(one)
            continue
        fresh = sum(pair.content not in before for pair in one[0])
        told.append(Fed(fresh, one[2] + len(one[0]) - fresh, one[1], [], version))
    return told


def _fed(store: TaskStore, files: Files, task: int, pairs: Any) -> Fed | TaskError:
    """One request alone: it may decide what the program is."""
    row = store.by_id(task)
    try:
        if row is None:
            raise TaskError("the task was deleted meanwhile")
        return feed(store, files, row, pairs)
    except TaskError as error:
        return error


def _decided(
    program: Program, pairs: Iterator[Checked | Refused], notes: Notes
) -> tuple[Program, Iterator[Checked | Refused]]:
    """The first example decides between classes and numbers, and it is told."""
    seen: list[Checked | Refused] = []
    for pair in pairs:
        seen.append(pair)
        if isinstance(pair, Checked):
            break
    first = seen[-1] if seen else None
    if isinstance(first, Checked):
        field = program.output.fields[0]
        if isinstance(first.output, str) and field.shape[0] > 1:
            told = replace(field, classes=field.shape[0])
        else:
            told = replace(field, says="numbers")
        program = replace(program, output=DataType((told,)))
        notes.sentences.append(f"the examples say that the program is: {program}")

    def again() -> Iterator[Checked | Refused]:
        yield from seen
        yield from pairs

    return program, again()


def _batches(
    program: Program,
    pairs: Iterable[Checked | Refused],
    seen: set[str],
    labels: set[str | None],
) -> Iterator[tuple[list[Checked], list[Refused], int]]:
    kept: list[Checked] = []
    refused: list[Refused] = []
    again = 0
    most = program.labels.width if program.labels else 0
    for pair in pairs:
        if isinstance(pair, Refused):
            refused.append(pair)
        elif pair.content in seen:
            again += 1
        elif most and pair.label not in labels and len(labels) >= most:
            reason = f"the label {pair.label!r} is one too many; the program says {most} classes"
            refused.append(Refused(pair.where, reason))
        else:
            seen.add(pair.content)
            labels.add(pair.label)
            kept.append(pair)
        if len(kept) >= SIZE:
            yield kept, refused, again
            kept, refused, again = [], [], 0
    yield kept, refused, again


def _rows(
    files: Files,
    kept: list[Checked],
    source: str,
    by: Callable[[Any], Any] | None,
    dry_run: bool,
) -> list[ExampleRow]:
    if not kept:
        return []
    packed = pack([pair.input for pair in kept], [pair.output for pair in kept])
    file = "0" * 64 if dry_run else files.put(packed)
    return [
        ExampleRow(
            0, pair.content, pair.key, file, place, pair.label, _source(source, pair), _name(by)
        )
        for place, pair in enumerate(kept)
    ]


def _source(source: str, pair: Checked) -> str:
    return (
        pair.where if source in ("call", pair.where.partition(":")[0]) else f"{source}/{pair.where}"
    )[:300]


def _name(by: Callable[[Any], Any] | None) -> str:
    return "" if by is None else str(getattr(by, "__name__", type(by).__name__))
