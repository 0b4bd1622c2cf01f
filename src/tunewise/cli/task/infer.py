"""`tunewise task infer`: ask the best model so far."""

import os
from collections.abc import Iterable
from dataclasses import asdict
from itertools import repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunewise.cli.options import Json, Namespace, Server, Storage, print_json
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
    json: Json = False,
) -> None:
    """Ask the best model so far, with one input or a file of many."""
    found = reached(task, storage, namespace, server)
    answers = _answers(found, data)
    names = _names(data)
    if output is not None:
        _written(answers, names, output)
    elif json:
        print_json([_plain(a) | n for a, n in zip(answers, _files(names), strict=False)])
    else:
        for place, answer in enumerate(answers):
            typer.echo(f"{names[place]}\t{_line(answer)}" if names else _line(answer))
    refused = [answer.refused for answer in answers if answer.refused]
    for one in refused:
        typer.echo(f"refused {one}", err=True)
    if refused:
        raise typer.Exit(1)


def _answers(task: "Task | RemoteTask", data: str) -> list["Answer"]:
    path, single = given(data), task.program.input.single
    text = single is not None and single.text
    lines = None if text or not data.startswith(("[", "{")) else data
    if path is None or (lines and not os.path.exists(path)):
        with TemporaryDirectory() as folder:
            piped = Path(folder, "pipe.jsonl")
            piped.write_text(lines or standard_input(), encoding="utf-8")
            answers = task.infer(piped)
    else:
        answers = task.infer(data if text and not os.path.exists(path) else path)
    return answers if isinstance(answers, list) else [answers]


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


def _line(answer: "Answer") -> str:
    if answer.refused:
        return "refused"
    value = _value(answer.value)
    if answer.scores:
        return f"{value}\t{next(iter(answer.scores.values())):.3f}"
    if answer.low is not None:
        return f"{value}\t({answer.low} to {answer.high})"
    return str(value)


def _value(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _plain(answer: "Answer") -> dict[str, Any]:
    quality = None if answer.quality is None else asdict(answer.quality)
    told = {"low": answer.low, "high": answer.high, "quality": quality}
    named = {"model": answer.model, "data": answer.data}
    why = {"refused": answer.refused} if answer.refused else {}
    return {"value": _value(answer.value), "scores": answer.scores, **told, **named, **why}


def _written(answers: list["Answer"], names: list[str], output: Path) -> None:
    if any(getattr(answer.value, "ndim", 0) == 3 for answer in answers):
        from tunewise.declarative.task.exporting import write_images

        images = {place: a.value for place, a in enumerate(answers) if not a.refused}
        write_images({names[k] if names else str(k): image for k, image in images.items()}, output)
    elif output.suffix == ".csv":
        import csv

        with output.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            why = ["refused"] if any(answer.refused for answer in answers) else []
            sure = ["low", "high"] if any(a.low is not None for a in answers) else ["score"]
            writer.writerow([*(["file"] if names else []), "value", *sure, *why])
            for place, answer in enumerate(answers):
                told = [_value(answer.value), next(iter(answer.scores.values()), "")]
                if len(sure) > 1:
                    told = [_value(each) for each in (answer.value, answer.low, answer.high)]
                told = [""] * len(told) + [answer.refused] if answer.refused else told
                writer.writerow([*names[place : place + 1], *told])
    elif output.suffix in (".jsonl", ".json"):
        import json

        told = [_plain(a) | n for a, n in zip(answers, _files(names), strict=False)]
        lines = [json.dumps(each, ensure_ascii=False) for each in told]
        output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        raise TaskError(f"{output.name!r}; expected a .csv or .jsonl file")
    count = sum(not answer.refused for answer in answers)
    typer.echo(f"{count} answers are in {output}", err=True)
