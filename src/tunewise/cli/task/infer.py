"""`tunewise task infer`: ask the best model so far."""

import json as jsons
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunewise.cli.options import JsonLines, Namespace, Server, Storage, print_json
from tunewise.cli.task.opened import TaskName, given, reached, standard_input
from tunewise.errors import TaskError

if TYPE_CHECKING:
    from tunewise.declarative.serving import Answer
    from tunewise.declarative.task import Task
    from tunewise.service.client import RemoteTask


def infer(
    task: TaskName,
    data: Annotated[
        str,
        typer.Argument(
            metavar="INPUT", help="A file, a text, a line of JSON, or - for some of a pipe."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="Write answers to this file; images to this folder.",
            show_default=False,
        ),
    ] = None,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: JsonLines = False,
) -> None:
    """Ask the best model so far, with one input or a file of many."""
    found = reached(task, storage, namespace, server)
    answers = _answers(found, data)
    names = _names(data)
    if output is not None:
        _written(answers, names, output, data)
    elif json:
        for answer, name in zip(answers, _files(names), strict=False):
            print_json(_plain(answer) | name, indent=None)
    else:
        for place, answer in enumerate(answers):
            typer.echo(f"{names[place]}\t{answer.line()}" if names else answer.line())
    refused = [answer.refused for answer in answers if answer.refused]
    for one in refused:
        typer.echo(f"refused {one}", err=True)
    if refused:
        raise typer.Exit(1)


def _answers(task: "Task | RemoteTask", data: str) -> list["Answer"]:
    path, single = given(data), task.program.input.single
    text = single is not None and single.text
    literal = not text and data.startswith(("[", "{")) and not os.path.exists(data)
    lines = standard_input() if path is None else data if literal else None
    if literal and "\n" not in data.strip():
        answers = task.infer(_value_of(data))
    elif lines is not None:
        with TemporaryDirectory() as folder:
            piped = Path(folder, "pipe.jsonl")
            piped.write_text(lines, encoding="utf-8")
            answers = task.infer(piped)
    else:
        assert path is not None
        answers = task.infer(data if text and not os.path.exists(path) else path)
    return answers if isinstance(answers, list) else [answers]


def _value_of(line: str) -> Any:
    """What a line of JSON says; of a pair its input."""
    try:
        value = jsons.loads(line)
    except ValueError as error:
        raise TaskError(f"{line!r:.80} is no JSON ({error!s:.80})") from None
    return value["input"] if isinstance(value, dict) and "input" in value else value


def _names(data: str) -> list[str]:
    """The files of a folder in the order of their answers; none where no folder was given.

    The folder may be a zipped one.
    """
    from tunewise.declarative.examples.loading.paths import files_below, opened

    path = given(data)
    zipped = data.lower().endswith(".zip") and os.path.isfile(data)
    if path is None or not (zipped or os.path.isdir(path)):  # of a long text pathlib's would fail
        return []
    if not os.path.isdir(path):
        with opened(path) as packed:
            return [str(member.name) for member in packed]
    return [str(file.relative_to(path)) for file in files_below(path)]


def _files(names: list[str]) -> Iterable[dict[str, str]]:
    return ({"file": name} for name in names) if names else repeat({})


def _value(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _plain(answer: "Answer") -> dict[str, Any]:
    quality = None if answer.quality is None else asdict(answer.quality)
    told = {"low": answer.low, "high": answer.high, "quality": quality}
    named = {"model": answer.model, "data": answer.data}
    why = {"refused": answer.refused} if answer.refused else {}
    return {"value": _value(answer.value), "scores": answer.scores, **told, **named, **why}


def _written(answers: list["Answer"], names: list[str], output: Path, data: str) -> None:
    if any(getattr(answer.value, "ndim", 0) == 3 for answer in answers):
        from tunewise.declarative.task.exporting import write_images

        images = {place: a.value for place, a in enumerate(answers) if not a.refused}
        write_images({names[k] if names else str(k): image for k, image in images.items()}, output)
    elif output.suffix == ".csv":
        _write_table(answers, names, output, data)
    elif output.suffix in (".jsonl", ".json"):
        import json

        told = [_plain(a) | n for a, n in zip(answers, _files(names), strict=False)]
        lines = [json.dumps(each, ensure_ascii=False) for each in told]
        output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        raise TaskError(f"{output.name!r}; expected a .csv or .jsonl file")
    count = sum(not answer.refused for answer in answers)
    typer.echo(f"{count} answers are in {output}", err=True)


def _write_table(answers: list["Answer"], names: list[str], output: Path, data: str) -> None:
    """A row for each answer: what was asked, the answer, and how sure it is."""
    import csv

    asked = _rows(data, len(answers)) or [{"file": name} for name in names] or [{} for _ in answers]
    told = [row | _told(answer) for row, answer in zip(asked, answers, strict=True)]
    columns = list(dict.fromkeys(name for row in told for name in row))
    order = ("value", "score", "low", "high")
    first = [name for name in columns if name in asked[0]]
    rest = [name for name in columns if name not in asked[0]]
    rest.sort(key=lambda name: order.index(name) if name in order else len(order))
    with output.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, first + rest, restval="")
        writer.writeheader()
        writer.writerows(told)


def _told(answer: "Answer") -> dict[str, Any]:
    if answer.refused:
        return {"value": "", "refused": answer.refused}
    told = {"value": _value(answer.value)}
    if answer.low is not None:
        return told | {"low": _value(answer.low), "high": _value(answer.high)}
    each = {f"score of {label}": score for label, score in answer.scores.items()}
    likeliest = next(iter(answer.scores.values()), "")
    return told | {"score": likeliest} | dict(sorted(each.items()))


def _rows(data: str, count: int) -> list[dict[str, Any]]:
    """The rows of a table with their lines, as they were asked; none where it is no table."""
    from tunewise.declarative.examples.loading.paths import TABLES

    read = TABLES.get(os.path.splitext(data)[1].lower())
    if read is None or not os.path.isfile(data):
        return []
    table = read(Path(data))
    found: list[dict[str, Any]] = []
    for row in table.rows:
        if isinstance(row, tuple):
            found.append({"row": row[0]} | dict(zip(_free(table.names), row[1], strict=True)))
        else:
            found.append({"row": row.where})
    return found if len(found) == count else []


def _free(names: Sequence[str]) -> list[str]:
    """The names of columns; one that an answer has too is told apart."""
    taken = ("row", "value", "score", "low", "high", "refused")
    return [f"{name} (given)" if name in taken else name for name in names]
