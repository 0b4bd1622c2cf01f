"""No value of a parameter becomes anything but a value."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.errors import ExecutionError
from tunewise.execution import Command
from tunewise.history import Measurement, Trial

NASTY = [
    "; touch canary",
    "$(touch canary)",
    "`touch canary`",
    "' ; touch canary ; '",
    '" ; touch canary ; "',
    "\\",
    "\\'",
    "'\"'\"'",
    "&& touch canary",
    "| touch canary",
    "\ntouch canary\n",
    "> canary",
    "${IFS}touch${IFS}canary",
    "*",
    "~",
    "{other}",
    "{{}}",
    "$HOME",
    "!!",
    "#",
    "-rf /",
    " two  spaces ",
    "",
    "\t",
    "a\rb",
    "ünï☃",
    "%s%n",
    "$'\\x27; touch canary'",
    "$((touch canary))",
]
SCRIPT = """
import json, os, sys
json.dump(sys.argv[1:], open("given", "w"))
print(json.dumps({"a": 1}))
"""
plain = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
glued = st.lists(st.sampled_from(NASTY), min_size=1, max_size=3).map("".join)
values = st.one_of(plain, st.sampled_from(NASTY), glued)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("injection")
    (folder / "show.py").write_text(SCRIPT)
    return folder


def given_to(command: Command, folder: Path, config: dict[str, Any]) -> list[str]:
    """The words that the program got, after making sure that nothing else ran."""
    outcome = command(Trial(0, config))
    assert isinstance(outcome, Measurement), outcome
    assert sorted(file.name for file in folder.iterdir()) == ["given", "show.py"]
    found: list[str] = json.loads((folder / "given").read_text())
    (folder / "given").unlink()
    return found


PYTHON = f"{sys.executable} -I -S"


@settings(max_examples=40, deadline=None)
@given(values, values)
def test_words_hold_values_as_they_are(folder: Path, one: str, two: str) -> None:
    command = Command(PYTHON + " show.py {one} --two={two} 'a {one} b' \"{two}\"", cwd=folder)
    expected = [one, f"--two={two}", f"a {one} b", two]
    assert given_to(command, folder, {"one": one, "two": two}) == expected


@settings(max_examples=40, deadline=None)
@given(values, values)
def test_a_shell_hands_on_values_as_they_are(folder: Path, one: str, two: str) -> None:
    script = PYTHON + """ show.py {one} --two={two} "a {one} b" "{two}" | cat # {one} {two}"""
    expected = [one, f"--two={two}", f"a {one} b", two]
    assert given_to(Command(script, shell=True, cwd=folder), folder, dict(one=one, two=two)) == (
        expected
    )


@settings(max_examples=12, deadline=None)
@given(values)
@pytest.mark.parametrize(
    "script",
    [
        "SHOW $(printf x) \\\\{one}",
        "cat > /dev/null <<END\n{one}\nEND\nSHOW x",
        'X={one}; SHOW "$X"',
        ': `printf %s {one}`; SHOW "$(printf %sx {one})"',
        "case {one} in {one}) SHOW x;; esac",
        'SHOW "it\'s {one}"',
        "SHOW 'it''s' # it's {one}\n",
    ],
)
def test_no_place_in_a_shell_script_lets_a_value_run(folder: Path, script: str, one: str) -> None:
    command = Command(script.replace("SHOW", f"{PYTHON} show.py"), shell=True, cwd=folder)
    assert given_to(command, folder, {"one": one})


def test_a_field_between_single_quotes_is_refused_when_built() -> None:
    with pytest.raises(ExecutionError, match=r"\{one\} stands between single quotes"):
        Command("echo 'a {one}'", shell=True)


@given(values)
@settings(max_examples=20, deadline=None)
def test_variables_hold_values_as_they_are(folder: Path, one: str) -> None:
    code = (
        "import os, json; json.dump([os.environ['X']], open('given', 'w')); print('{{\"a\": 1}}')"
    )
    command = Command([sys.executable, "-I", "-S", "-c", code], env={"X": "<{one}>"}, cwd=folder)
    assert given_to(command, folder, {"one": one}) == [f"<{one}>"]
