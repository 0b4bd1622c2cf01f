"""What is an interpreter is decided by what its file is: no value is run, wherever it lies."""

import os
import shutil
import sys
import timeit
from collections.abc import Iterator
from pathlib import Path

import pytest

from tunewise.errors import ExecutionError
from tunewise.execution import Command
from tunewise.history import Trial
from tunewise.space import Choice, Space

TOUCH = "touch canary"
SHELLS = ("sh", "bash", "dash", "rbash", "busybox", "ksh", "zsh", "fish", "ash", "csh")
CODE: dict[str, tuple[list[str], str]] = {
    **{shell: (["-c", "{x}"], TOUCH) for shell in SHELLS},
    "python": (["-c", "{x}"], "open('canary', 'w')"),
    "python3": (["-m", "{x}"], "evil"),
    "perl": (["-e", "{x}"], "system('touch canary')"),
    "ruby": (["-e", "{x}"], "system('touch canary')"),
    "awk": (["{x}"], 'BEGIN { system("touch canary") }'),
    "mawk": (["{x}"], 'BEGIN { system("touch canary") }'),
    "sed": (["-n", "{x}", "evil.py"], "1e touch canary"),
    "make": (["--eval={x}"], "$(shell touch canary)"),
    "xargs": (["-a", "evil.py", "{x}"], "./evil.sh"),
    "find": ([".", "-maxdepth", "0", "-exec", "{x}", ";"], "./evil.sh"),
    "env": (["{x}", "python", "evil.py"], "PATH=bad"),
    "timeout": (["5", "{x}"], "./evil.sh"),
    "nice": (["{x}"], "./evil.sh"),
    "nohup": (["{x}"], "./evil.sh"),
    "setsid": (["-w", "{x}"], "./evil.sh"),
    "stdbuf": (["-o0", "{x}"], "./evil.sh"),
    "node": (["-e", "{x}"], "require('fs').writeFileSync('canary', '')"),
    "lua": (["-e", "{x}"], "os.execute('touch canary')"),
    "php": (["-r", "{x}"], "touch('canary');"),
    "tclsh": (["{x}"], "evil.tcl"),
    "gdb": (["-batch", "-ex", "{x}"], "shell touch canary"),
    "script": (["-qc", "{x}", "/dev/null"], TOUCH),
    "ssh": (["host", "{x}"], TOUCH),
    "sudo": (["{x}"], "./evil.sh"),
    "flock": (["evil.py", "{x}"], "./evil.sh"),
    "unshare": (["{x}"], "./evil.sh"),
    "ld.so": (["{x}"], "./evil.sh"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """With a file of each kind that an interpreter might be led to."""
    folder = tmp_path / "job"
    (folder / "bad").mkdir(parents=True)
    for name in ("evil.sh", "bad/python"):
        (folder / name).write_text("#!/bin/sh\ntouch canary\n")
        (folder / name).chmod(0o755)
    (folder / "evil.py").write_text("open('canary', 'w')\n")
    yield folder


def placed(program: str, folder: Path) -> dict[str, tuple[str, Path]]:
    """Ways to write the program, and the folder to run in."""
    ways = {"by name": (program, folder)}
    found = sys.executable if program.startswith("python") else shutil.which(program)
    if found is None:
        return ways
    file = os.path.realpath(found)
    (folder / "bin").mkdir(exist_ok=True)
    for name, make in (("copy", shutil.copy), ("link", os.symlink)):
        for given in (program, "mine"):
            target = folder / "bin" / f"{name}-{given}" / given
            target.parent.mkdir()
            make(file, target)
            ways[f"a {name} as {given}"] = (f"./{target.relative_to(folder)}", folder)
    ways["a path"] = (file, folder)
    return ways


@pytest.mark.parametrize("program", CODE)
def test_no_interpreter_runs_a_value(program: str, folder: Path) -> None:
    words, code = CODE[program]
    executed = []
    for way, (written, cwd) in placed(program, folder).items():
        command = Command([written, *words], cwd=cwd)
        before = set(folder.rglob("*"))
        try:
            command(Trial(0, {"x": code}))
        except ExecutionError as error:
            assert "may become" in str(error)
        else:
            executed.append(way)
        assert set(folder.rglob("*")) == before
    assert executed == []


PROGRAMS = ("bash", "dash", "python3", "perl", "ruby", "lua", "tclsh", "php", "node", "mawk", "sed",
            "make", "env", "nice", "timeout", "find", "xargs", "busybox")  # fmt: skip


def test_no_altered_copy_of_a_program_that_starts_others_runs_a_value(folder: Path) -> None:
    for program in PROGRAMS:
        found = os.path.realpath(sys.executable) if program == "python3" else shutil.which(program)
        if found is None:
            continue
        target = folder / f"my-{program}"
        target.write_bytes(Path(os.path.realpath(found)).read_bytes() + b"\0")
        target.chmod(0o755)
        for words in (["--", "{x}"], ["--label={x}"], ["--label", "{x}"]):
            with pytest.raises(ExecutionError, match=r"\{x\} may become"):
                Command([f"./{target.name}", *words], cwd=folder)(Trial(0, {"x": "./evil.sh"}))
    assert not (folder / "canary").exists()


VARIABLES = (
    ("BASH_ENV", "$(touch canary)"),
    ("ENV", "$(touch canary)"),
    ("BASH_FUNC_echo%%", "() { touch canary; }"),
    ("PYTHONPATH", "./bad"),
    ("PATH", "bad:/usr/bin"),
    ("LD_PRELOAD", "./evil.so"),
    ("NODE_OPTIONS", "--require=./evil.js"),
    ("PERL5OPT", "-Mevil"),
    ("pythonpath", None),
    ("LABEL", None),
    ("PATHS", None),
)


@pytest.mark.parametrize(("name", "harm"), VARIABLES)
def test_no_value_is_run_by_way_of_a_variable(name: str, harm: str | None, folder: Path) -> None:
    command = Command("bash evil.py", env={name: "{x}"}, cwd=folder)
    if harm is None:
        command.over(Space(Choice("x", ["$(touch canary)", "two words"])))
        return
    with pytest.raises(ExecutionError, match=f"{name}.*TUNEWISE_PARAM_X"):
        command.over(Space(Choice("x", [harm])))
    with pytest.raises(ExecutionError, match=r"\{x\} may become"):
        command(Trial(0, {"x": harm}))
    command.over(Space(Choice("x", [1, 2])))


@pytest.mark.parametrize("words", [["bin/sh", "-c", "{x}"], ["/bin/bash", "-c", "{x}"]])
def test_a_shell_of_the_system_is_one_also_where_the_command_runs_above_it(
    words: list[str],
) -> None:
    with pytest.raises(ExecutionError, match=r"\{x\} may become"):
        Command(words, cwd="/").over(Space(Choice("x", ["reboot"])))


@pytest.mark.parametrize("way", ["path", "link"])
def test_no_script_of_python_itself_is_ones_own(way: str, folder: Path) -> None:
    script = Path(timeit.__file__)
    if way == "link":
        (folder / "tt.py").symlink_to(script)
        script = Path("tt.py")
    with pytest.raises(ExecutionError, match=r"\{x\} may become"):
        command = Command([sys.executable, str(script), "{x}"], cwd=folder)
        command.over(Space(Choice("x", ["open('evil', 'w')"])))


@pytest.mark.parametrize("value", ["timeit", "evil", "http.server"])
def test_no_value_names_a_module(value: str, folder: Path) -> None:
    with pytest.raises(ExecutionError, match=r"\{x\} may become"):
        Command(["python", "-m", "{x}"], cwd=folder).over(Space(Choice("x", [value])))


@pytest.mark.parametrize(
    "words",
    [
        ["torchrun", "--nproc_per_node", "{n}", "train.py", "--optimizer", "{x}"],
        ["poetry", "run", "python", "train.py", "--optimizer={x}"],
        ["ssh", "host", "./train.sh", "{x}"],
        ["python", "-m", "installed.training", "--optimizer", "{x}"],
        ["timeout", "{n}", "sh", "train.sh", "{x}"],
        ["env", "SIZE={n}", "python", "train.py", "{x}"],
    ],
)
def test_words_may_stand_after_a_script_that_another_program_runs(words: list[str]) -> None:
    space = Space(Choice("x", ["adam", "t2.small:4"]), Choice("n", [1, 2]))
    Command(words).over(space)
    hostile = Space(Choice("x", ["; x"]), Choice("n", [1, 2]))
    if words[0] in ("timeout", "env"):  # what they start is an interpreter that has its script
        Command(words).over(hostile)
    else:
        with pytest.raises(ExecutionError, match=r"\{x\} may become"):
            Command(words).over(hostile)


def test_values_of_any_kind_are_arguments_of_a_compiled_program_of_ones_own(folder: Path) -> None:
    (folder / "train").write_bytes(b"\x7fELF of my own")
    (folder / "train").chmod(0o755)
    space = Space(Choice("x", ["two words", "; x", "-c"]))
    for fine in (["--label={x}"], ["--", "{x}"]):
        Command(["./train", *fine], cwd=folder).over(space)
    for refused in (["-c", "{x}"], ["{x}", "{x}"], ["--eval={x}"]):
        with pytest.raises(ExecutionError, match=r"\{x\} may become"):
            Command(["./train", *refused], cwd=folder).over(space)


def test_a_script_runs_by_the_interpreter_that_its_first_line_names(folder: Path) -> None:
    space = Space(Choice("x", ["two words", "--eval=1"]))
    Command(["./evil.sh", "{x}"], cwd=folder).over(space)
    (folder / "rules").write_text("#!/usr/bin/make -f\n")
    (folder / "rules").chmod(0o755)
    with pytest.raises(ExecutionError, match=r"\{x\} may become"):
        Command(["./rules", "{x}"], cwd=folder).over(space)
