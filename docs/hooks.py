"""Pages of the reference that mkdocs makes from the source when it builds: they are never behind.

`reference/commands.md` has the help of every command, `reference/job-file.md` every field of a job
file, and `job.schema.json` and `training.schema.json` the same for editors.
"""

import json
from collections.abc import Iterator
from typing import Any

HOW = "This page is made from the source each time that the documentation is built.\n"


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to those that mkdocs found."""
    from mkdocs.structure.files import File

    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def pages() -> dict[str, str]:
    """The text of each page by its path."""
    from tunewise.job.templates.schema import schema

    return {
        "reference/commands.md": commands(),
        "reference/job-file.md": job_file(),
        "job.schema.json": json.dumps(schema("tune"), indent=1),
        "training.schema.json": json.dumps(schema("train"), indent=1),
    }


def commands() -> str:
    """The help of every command, as a terminal shows it."""
    parts = [f"# Every --help\n\n{HOW}"]
    for name, command, context in _every_command():
        parts.append(f"## {name}\n\n```text\n{command.get_help(context).strip()}\n```\n")
    return "\n".join(parts)


def _every_command() -> Iterator[tuple[str, Any, Any]]:
    from typer.main import get_command

    from tunewise.cli import app

    waiting: list[tuple[str, Any, Any]] = [("tunewise", get_command(app), None)]
    while waiting:
        name, command, parent = waiting.pop(0)
        context = command.make_context(
            name.rsplit(" ")[-1], [], parent=parent, resilient_parsing=True, max_content_width=88
        )
        yield name, command, context
        below = getattr(command, "commands", {})
        waiting[:0] = [(f"{name} {each}", found, context) for each, found in below.items()]


def job_file() -> str:
    """Every field of both kinds of job files, with what it holds and what counts without it."""
    from tunewise.job import fields
    from tunewise.job.training import fields as training

    parts = [f"# Every field of a job file\n\n{HOW}"]
    for title, nested in (("tunewise tune", fields.NESTED), ("tunewise train", training.NESTED)):
        parts.append(f"## {title}\n")
        for place, model in nested.items():
            where = ".".join("NAME" if part == "*" else part for part in place)
            parts.append(f"### {title}: `{where}`\n" if where else "")
            parts += [_table(model)]
    return "\n".join(parts)


def _table(model: Any) -> str:
    lines = ["| field | what it holds | without it |", "|---|---|---|"]
    for name, field in model.model_fields.items():
        holds = _as_text(str(field.description))
        lines.append(f"| `{name}` | {holds} | {_default(field)} |")
    return "\n".join(lines) + "\n"


def _as_text(said: str) -> str:
    """As it is: a bar ends a cell, and mkdocs takes braces at the end of one for attributes."""
    return said.replace("|", "\\|").replace("{", "&#123;").replace("}", "&#125;")


def _default(field: Any) -> str:
    if field.is_required():
        return "needed"
    value = field.get_default(call_default_factory=True)
    return "–" if value in (None, [], {}) else f"`{json.dumps(value, default=str)}`"
