"""What can be used is written down: commands, options, strategies, Makefile targets."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml

import tunewise
from tests.laws.source import ROOT
from tunewise.registry import Registry

DOCS = ROOT / "docs"


@cache
def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def commands() -> Iterator[tuple[str, Any]]:
    """Every command of the command line with its click object, groups included."""
    from typer.main import get_command

    from tunewise.cli import app

    waiting: list[tuple[str, Any]] = [("tunewise", get_command(app))]
    while waiting:
        name, command = waiting.pop()
        subcommands = getattr(command, "commands", {})
        waiting += [(f"{name} {sub}", found) for sub, found in subcommands.items()]
        yield name, command


def test_every_command_is_documented() -> None:
    missing = [name for name, _ in commands() if f"`{name}" not in command_line()]
    assert not missing


def test_every_option_is_documented_with_its_command() -> None:
    missing = []
    for name, command in commands():
        section = _section(command_line(), name)
        options = [o for p in command.params for o in p.opts if o.startswith("--")]
        missing += [f"{name} {option}" for option in options if option not in section]
    assert not missing


def command_line() -> str:
    """The reference of all commands."""
    return page("command-line.md") + page("command-line-tasks.md")


def _section(text: str, command: str) -> str:
    """The text from the command's heading to the next heading of that level."""
    found = re.search(rf"^## `{re.escape(command)}[ `].*?(?=^## |\Z)", text, re.M | re.S)
    return found[0] if found else ""


def test_every_field_of_a_job_file_is_documented() -> None:
    from tunewise.job.fields import NESTED

    fields = {name for model in NESTED.values() for name in model.model_fields}
    missing = [n for n in fields if not re.search(rf"`{n}`|\b{n}:", page("job-files.md"))]
    assert not missing


def test_everything_registered_is_documented() -> None:
    text = "\n".join(file.read_text(encoding="utf-8") for file in DOCS.rglob("*.md"))
    missing = []
    kinds = ("strategies", "surrogates", "filters", "executors", "stores", "schedulers")
    for kind in (*kinds, "models", "templates"):
        names = Registry(kind, f"tunewise.{kind}", tunewise.TunewiseError).names()
        assert names, kind
        missing += [f"{kind}: {name}" for name in names if f"`{name}`" not in text]
    assert not missing


def test_every_strategy_has_its_own_heading() -> None:
    registry = Registry("strategy", "tunewise.strategies", tunewise.TunewiseError)
    text = page("strategies.md") + page("as-published.md")
    headings = re.findall(r"^#+ `(\w+)`", text, re.M)
    assert sorted(headings) == registry.names()


def test_every_public_name_is_in_the_reference() -> None:
    named = set(re.findall(r"^::: tunewise\.(\w+)", page("reference.md"), re.M))
    functions_and_classes = {n for n in tunewise.__all__ if callable(getattr(tunewise, n))}
    assert functions_and_classes <= named | {"TunewiseError"}


def test_every_page_is_in_the_navigation() -> None:
    navigation = yaml.safe_dump(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])
    missing = [file.name for file in DOCS.rglob("*.md") if file.name not in navigation]
    assert not missing


def test_every_make_command_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.M))
    for file in ("README.md", "CONTRIBUTING.md"):
        named = set(re.findall(r"`?make ([a-z-]+)`", (ROOT / file).read_text()))
        assert named and named <= targets, f"{file}: {sorted(named - targets)}"
