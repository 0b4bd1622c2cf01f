"""The reference names what is public, and all that it names says what it is."""

import importlib
import inspect
import re

import pytest

import tunewise
from tests.laws.source import ROOT
from tunewise.errors import MissingExtraError

NAMED = re.findall(r"^::: (\S+)", (ROOT / "docs" / "reference.md").read_text("utf-8"), re.M)


def named(path: str) -> object:
    """What a dotted name stands for: a module, or something in one."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(named(module), name)


@pytest.mark.parametrize("path", NAMED)
def test_what_the_reference_names_is_there_and_documented(path: str) -> None:
    try:
        found = named(path)
    except MissingExtraError as error:
        pytest.skip(str(error))
    assert inspect.getdoc(found), f"{path} has no docstring"
    if inspect.isclass(found):
        own = [n for n, value in vars(found).items() if not n.startswith("_") and callable(value)]
        silent = [name for name in own if not inspect.getdoc(getattr(found, name))]
        assert not silent, f"{path} does not say what these do: {silent}"


@pytest.mark.parametrize("module", ["tenancy", "online", "data", "plot"])
def test_the_rooms_that_people_import_export_only_what_is_documented(module: str) -> None:
    room = getattr(tunewise, module, None) or importlib.import_module(f"tunewise.{module}")
    public = getattr(room, "__all__", None) or [n for n in dir(room) if not n.startswith("_")]
    silent = [n for n in public if callable(v := getattr(room, n)) and not inspect.getdoc(v)]
    assert not silent


ELSEWHERE = {
    "tunewise.TunewiseError": "with the other errors",
    "tunewise.tenancy.RULES": "a table of names, which the page of the scheduler lists",
}


@pytest.mark.parametrize(
    "module",
    [
        "tunewise",
        *(f"tunewise.{n}" for n in ("data", "declarative", "online", "tenancy", "testing")),
        *(f"tunewise.integrations.{n}" for n in ("optuna", "sklearn")),
    ],
)
def test_whatever_people_import_is_in_the_reference(module: str) -> None:
    try:
        public = importlib.import_module(module).__all__
    except MissingExtraError as error:
        pytest.skip(str(error))
    missing = {f"{module}.{name}" for name in public} - {*NAMED, *ELSEWHERE}
    assert not {name for name in missing if not inspect.ismodule(named(name))}
