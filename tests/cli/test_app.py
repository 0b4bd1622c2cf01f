"""The commands answer, keep their exit codes, and know their version."""

import os
import subprocess
from pathlib import Path

import pytest
import typer

import tunewise
from tests.cli.shell import TUNEWISE, clean_environment, invoke, job, process
from tests.cli.shell import tunewise as run
from tunewise.cli import exit_codes
from tunewise.errors import StudyError

COMMANDS = [
    *("tune", "show", "list", "report", "export", "stop", "enqueue", "delete"),
    *("init", "prices", "strategies", "replay"),
]


def test_help_lists_every_command() -> None:
    done = invoke("--help")
    assert done.exit_code == 0
    assert all(f"  {name} " in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    done = invoke(command, "-h")
    assert done.exit_code == 0
    assert "Usage: tunewise" in done.stdout


def test_the_version_is_that_of_the_package() -> None:
    assert invoke("--version").stdout == f"tunewise {tunewise.__version__}\n"


def test_without_a_command_help_is_shown() -> None:
    assert "Usage" in invoke().output


def test_an_unknown_command_or_option_is_refused_in_a_sentence() -> None:
    for words in (["tnue"], ["tune", "--fast"], ["tune"], ["tune", "job.yaml", "--trials", "x"]):
        done = invoke(*words)
        assert done.exit_code == 2
        assert "Traceback" not in done.output


def test_debug_shows_where_an_error_was_raised(tmp_path: Path) -> None:
    quiet = run("show", "any", cwd=tmp_path)
    debug = process("--debug", "show", "any", cwd=tmp_path)
    assert "Traceback" not in quiet.stderr
    assert "Traceback" in debug.stderr
    assert debug.returncode == 1


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    assert run("tune", job(tmp_path), "-q", cwd=tmp_path).returncode == 0
    for words in ("show quick --json", "tune job.yaml -q"):
        nobody, closed = os.pipe()
        os.close(nobody)
        with open(closed, "w") as output:
            done = subprocess.run(
                [TUNEWISE, *words.split()],
                cwd=tmp_path,
                env=clean_environment(),
                stdout=output,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.stderr == "", words
        assert done.returncode == exit_codes.PIPE_CLOSED, words


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (StudyError("a sentence"), 1, "a sentence\n"),
        (PermissionError(13, "Permission denied", "file"), 1, "file: Permission denied\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (exit_codes.Interrupted("go on later"), 130, "go on later\n"),
        (ZeroDivisionError("oh"), 1, "ZeroDivisionError: oh (this should not happen;"),
    ],
)
def test_every_error_becomes_a_sentence_and_an_exit_code(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    @exit_codes.polite
    def command() -> None:
        raise error

    with pytest.raises(typer.Exit) as caught:
        command()
    assert caught.value.exit_code == code
    assert capsys.readouterr().err.startswith(said)


def test_strategies_are_listed_with_their_options() -> None:
    import json

    listed = {row["name"]: row for row in json.loads(invoke("strategies", "--json").stdout)}
    assert listed["random"]["options"] == {"prune": True}
    assert "initial" in listed["cherrypick"]["options"]
    assert all(row["summary"] for row in listed.values())
    assert "cherrypick" in invoke("strategies").stdout


def test_completion_knows_the_studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tunewise.cli.options import known_studies

    monkeypatch.chdir(tmp_path)
    assert known_studies("") == []
    assert run("tune", job(tmp_path), "-q", "--trials", 1, cwd=tmp_path).returncode == 0
    assert known_studies("qu") == ["quick"]
    assert known_studies("x") == []
