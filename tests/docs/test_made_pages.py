"""What mkdocs makes from the source: the help of every command, and every field of a job file."""

import html
import importlib.util
import json
from types import ModuleType

import jsonschema
import markdown
import pytest

from tests.docs.markdown import blocks
from tests.laws.source import ROOT
from tests.laws.test_docs import commands
from tunewise.job.fields import NESTED
from tunewise.job.templates.schema import schema
from tunewise.job.training.fields import NESTED as TRAINING
from tunewise.job.yaml_document import read


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    assert spec and spec.loader
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_the_help_of_every_command_and_option_is_on_the_page(hooks: ModuleType) -> None:
    page = hooks.commands()
    for name, command in commands():
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert all(o in section for p in command.params for o in p.opts if o.startswith("--")), name


def test_every_field_of_both_kinds_of_job_files_is_on_the_page(hooks: ModuleType) -> None:
    page = hooks.job_file()
    fields = {n for nested in (NESTED, TRAINING) for m in nested.values() for n in m.model_fields}
    assert not [name for name in fields if f"| `{name}` |" not in page]
    built = markdown.markdown(page, extensions=["tables", "attr_list"])
    assert "each a list of values or such as {real: [0, 1]}" in html.unescape(built)


def job_files() -> list[tuple[str, str]]:
    """Every job file of the examples and of the pages, with where it stands."""
    found = [
        (str(file.relative_to(ROOT)), file.read_text(encoding="utf-8"))
        for folder in ("examples", "src/tunewise/job/templates")
        for file in sorted((ROOT / folder).rglob("*.yaml"))
    ]
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for block in blocks(page.read_text(encoding="utf-8")):
            if block.language == "yaml" and block.title:
                found.append((f"{page.name}: {block.title}", block.text))
    return found


@pytest.mark.parametrize(("where", "text"), job_files(), ids=lambda value: str(value)[:40])
def test_the_schema_takes_every_job_file_of_the_project(where: str, text: str) -> None:
    job = read(text, where).data
    kinds = [kind for kind in ("tune", "train") if _takes(kind, job)]
    assert kinds, where


def _takes(kind: str, job: object) -> bool:
    told = json.loads(json.dumps(schema("tune" if kind == "tune" else "train")))
    return not list(jsonschema.Draft202012Validator(told).iter_errors(job))


def test_the_schema_refuses_what_an_editor_should_underline() -> None:
    good = {"command": "echo {rate}", "space": {"rate": [0.1, 0.2]}, "minimize": "time"}
    assert _takes("tune", good)
    assert not _takes("tune", {**good, "minimise": "time"})
    assert not _takes("tune", {**good, "trials": "many"})
    assert not _takes("tune", {**good, "space": {"rate": {"reel": [0, 1]}}})
