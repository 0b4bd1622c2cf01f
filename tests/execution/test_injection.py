"""No value of a parameter becomes anything but a value."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.errors import ExecutionError, SpaceError
from tunewise.execution import Command
from tunewise.history import Measurement, Trial
from tunewise.space import Choice, Space

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


@given(values, values)
def test_words_hold_values_as_they_are(folder: Path, one: str, two: str) -> None:
    command = Command(PYTHON + " show.py {one} --two={two} 'a {one} b' \"{two}\"", cwd=folder)
    expected = [one, f"--two={two}", f"a {one} b", two]
    assert given_to(command, folder, {"one": one, "two": two}) == expected


@given(values, values)
def test_a_shell_finds_values_as_they_are_in_variables(folder: Path, one: str, two: str) -> None:
    script = PYTHON + """ show.py "$TUNEWISE_PARAM_ONE" --two="$TUNEWISE_PARAM_TWO" | cat"""
    command = Command(script, shell=True, cwd=folder)
    assert given_to(command, folder, dict(one=one, two=two)) == [one, f"--two={two}"]


harmless = st.one_of(
    st.from_regex(r"[A-Za-z0-9_.,:/=+@%][A-Za-z0-9_.,:/=+@%-]*", fullmatch=True),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(),
)


@given(harmless, harmless)
def test_a_shell_hands_on_plain_values_as_they_are(folder: Path, one: Any, two: Any) -> None:
    script = PYTHON + """ show.py {one} --two={two} "a {one} b" "{two}" | cat # {one} {two}"""
    command = Command(script, shell=True, cwd=folder)
    expected = [str(one), f"--two={two}", f"a {one} b", str(two)]
    assert given_to(command, folder, dict(one=one, two=two)) == expected


ATTACKED = [
    ("shell", "SHOW {one}"),
    ("shell", "echo {one} | sh"),
    ("shell", "sh <<END\n{one}\nEND\n"),
    ("shell", 'eval "{one}"'),
    ("shell", 'bash -c "echo {one}"'),
    ("words", "sh -c 'echo {one}'"),
    ("words", "sh -ce 'echo {one}'"),
    ("words", "sh -e -c 'echo {one}'"),
    ("words", "bash -o errexit -c 'echo {one}'"),
    ("words", "bash --norc -c 'echo {one}'"),
    ("words", "bash +x -c {one}"),
    ("words", "sh +e -c {one}"),
    ("words", "sh -e +u -c {one}"),
    ("words", "nohup sh +e -c {one}"),
    ("words", "env A=1 bash +o errexit -c {one}"),
    ("words", "bash +O extglob -c {one}"),
    ("words", "bash -c -x {one}"),
    ("words", "sh -c +x {one}"),
    ("words", "perl -e 1 {one}"),
    ("words", "ruby -w -e 1 {one}"),
    ("words", "env sh -c 'echo {one}'"),
    ("words", "env -S 'sh -c {one}'"),
    ("words", "env -S sh -c {one}"),
    ("words", "nice -n 5 sh -c 'echo {one}'"),
    ("words", "timeout 5 sh -c {one}"),
    ("words", "su -c 'echo {one}'"),
    ("words", "script -qc 'echo {one}' /dev/null"),
    ("words", "python3 -c 'print({one})'"),
    ("words", "python3 -m timeit {one}"),
    ("words", "python3 -X faulthandler -c {one}"),
    ("words", "perl -e 'print {one}'"),
    ("words", "xargs -a show.py sh -c {one}"),
    ("words", "make -f show.py X={one}"),
    ("words", "watch -g ./show.py {one}"),
    ("words", "ssh host ./show.py {one}"),
    ("words", "find . -exec {one}"),
    ("words", "{one} show.py"),
    ("words", "awk 'BEGIN {{ print {one} }}'"),
]


@pytest.mark.parametrize(("kind", "template"), ATTACKED)
def test_no_command_lets_a_value_run(folder: Path, kind: str, template: str) -> None:
    """Refused for every value that is not plain: before a study, and in a trial."""
    text = template.replace("SHOW", f"{PYTHON} show.py")
    command = Command(text, shell=kind == "shell", cwd=folder)
    values = NASTY if kind == "words" else [value for value in NASTY if value != "%s%n"]
    for value in [*values, "--help", "a;b", "a b", "a\nb", "a\0b"]:
        with pytest.raises(ExecutionError, match=r"\{one\} may become"):
            command.over(Space(Choice("one", [1, value])))
        with pytest.raises(ExecutionError, match=r"\{one\} may become"):
            command(Trial(0, {"one": value}))
    with pytest.raises(ExecutionError, match=r"\{one\} may become"):
        command(Trial(0, {"one": "\ud800"}))
    with pytest.raises(SpaceError, match="without halves of characters"):
        Choice("one", ["fine", "\ud800"])
    assert sorted(file.name for file in folder.iterdir()) == ["show.py"]


@pytest.mark.parametrize(
    "template",
    [
        "./show.py {one}",
        "sh show.py {one}",
        "bash -eu show.py --x={one}",
        "env A=1 B=2 nice -n 5 timeout 10 python3 -u show.py {one}",
        "python3 -m show {one}",
        "sh -c 'train \"$1\"' - {one}",
        "Rscript show.py {one}",
    ],
)
def test_arguments_of_a_script_may_hold_anything_that_an_argument_can(
    folder: Path, template: str
) -> None:
    Command(template, cwd=folder).over(Space(Choice("one", [*NASTY, "--help"])))
    with pytest.raises(ExecutionError, match="which no program can be given"):
        Command(template, cwd=folder).over(Space(Choice("one", ["a", "a\0b"])))


@pytest.mark.parametrize("option", ["+x", "+e", "+o"])
def test_an_option_of_a_shell_is_no_script_even_where_a_file_has_its_name(
    tmp_path: Path, option: str
) -> None:
    (tmp_path / option).touch()
    command = Command(["bash", option, "-c", "{one}"], cwd=tmp_path)
    with pytest.raises(ExecutionError, match=r"\{one\} may become"):
        command(Trial(0, {"one": "touch canary; echo '{\"a\": 1}'"}))
    assert not (tmp_path / "canary").exists()


def test_a_program_that_is_not_there_is_said_to_be_missing(folder: Path) -> None:
    for template in ("./t.sh {one}", "nice ./t.sh {one}"):
        with pytest.raises(ExecutionError, match=r"the program './t\.sh' was not found in '.*inj"):
            Command(template, cwd=folder).over(Space(Choice("one", ["a b"])))


def test_a_program_of_the_folder_is_one_that_lies_in_it(folder: Path) -> None:
    """Not one that is only reached through it."""
    (folder / "link").symlink_to("/bin/sh")
    try:
        with pytest.raises(ExecutionError, match=r"\{one\} may become"):
            Command("./link -c {one}", cwd=folder).over(Space(Choice("one", ["a b"])))
        with pytest.raises(ExecutionError, match=r"\{one\} may become"):
            Command("../../bin/sh -c {one}", cwd=folder).over(Space(Choice("one", ["a b"])))
    finally:
        (folder / "link").unlink()


def test_parameters_that_would_share_a_variable_have_none(folder: Path) -> None:
    code = "import os; assert not [n for n in os.environ if n.startswith('TUNEWISE_PARAM')]"
    command = Command([sys.executable, "-c", code], silent=True)
    assert isinstance(command(Trial(0, {"x": 1, "X": 2})), Measurement)


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
