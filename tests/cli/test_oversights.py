"""What looks like an oversight is said before anything runs; what cannot work is refused."""

import sys
from pathlib import Path

import pytest

from tests.cli.shell import job, parsed, tunewise

PRINT = 'import sys; print(\'{{"accuracy": 0.5, "time": 100}}\')'


def test_parameters_that_the_command_never_uses_are_noted(tmp_path: Path) -> None:
    path = job(tmp_path, command=[sys.executable, "work.py", "{x}", "1"])
    for words in (["--dry-run"], ["-q", "--trials", "1"]):
        done = tunewise("tune", path, *words, cwd=tmp_path)
        assert "note: the command never uses {y}: unless it reads $TUNEWISE_PARAM_Y" in done.stderr
        assert "{x}" not in done.stderr


@pytest.mark.parametrize(
    ("fields", "noted"),
    [
        ({"command": "sh work.py {x} {y}"}, True),
        ({"command": "sh work.py {x} {y} {fraction}"}, False),
        ({"command": "sh work.py {x} {y} $TUNEWISE_FRACTION", "shell": True}, False),
        ({"command": "sh work.py {x} {y}", "env": {"DATA": "{fraction}"}}, False),
        ({}, False),
    ],
)
def test_fractions_that_the_command_never_uses_are_noted(
    tmp_path: Path, fields: dict[str, object], noted: bool
) -> None:
    path = job(tmp_path, fractions=[0.5, 1.0], **fields)
    done = tunewise("tune", path, "--dry-run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ("the command never uses {fraction}" in done.stderr) == noted


def test_a_variable_in_a_script_is_a_use(tmp_path: Path) -> None:
    path = job(tmp_path, command='run {x} "$TUNEWISE_PARAM_Y"', shell=True)
    assert "never uses" not in tunewise("tune", path, "--dry-run", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    "command", ["python3 wrk.py {x} {y}", "nice -n 5 sh -eu wrk.py {x} {y}", "python3 wrk.py"]
)
def test_a_script_that_is_not_there_is_refused(tmp_path: Path, command: str) -> None:
    path = job(tmp_path, command=command)
    done = tunewise("tune", path, cwd=tmp_path)
    assert done.returncode == 1
    assert "the script 'wrk.py' was not found in" in done.stderr
    dry = tunewise("tune", path, "--dry-run", cwd=tmp_path)
    assert dry.returncode == 0
    assert "the script 'wrk.py' was not found in" in dry.stderr


@pytest.mark.parametrize("command", ["bash -o errexit -c x", "python3 -c pass", "python3 -m x"])
def test_a_word_that_is_no_script_is_not_looked_for(tmp_path: Path, command: str) -> None:
    path = job(tmp_path, command=command)
    assert "not found" not in tunewise("tune", path, "--dry-run", cwd=tmp_path).stderr


def test_no_config_within_the_limits_has_a_sentence_and_an_exit_code(tmp_path: Path) -> None:
    path = job(tmp_path, subject_to=["cost <= 0.001"])
    done = tunewise("tune", path, cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "no measured config keeps the limits" in " ".join(done.stdout.lower().split())
    missed = parsed(tunewise("show", "quick", "--json", cwd=tmp_path).stdout)["infeasible"]
    assert missed["limit"] == "cost <= 0.001"
    assert (missed["broken_by"], missed["of"]) == (3, 3)
    again = tunewise("tune", path, "--json", cwd=tmp_path)
    assert again.returncode == 3
    assert parsed(again.stdout.splitlines()[-1])["infeasible"] == missed


def test_limits_that_are_kept_end_with_zero(tmp_path: Path) -> None:
    assert tunewise("tune", job(tmp_path), "-q", cwd=tmp_path).returncode == 0
    assert parsed(tunewise("show", "quick", "--json", cwd=tmp_path).stdout)["infeasible"] is None


def test_a_dry_run_promises_no_end_to_a_search_that_has_none(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(
        "command: echo {x}\nspace: {x: {real: [0, 1]}}\nmaximize: accuracy\nstrategy: random\n"
    )
    done = tunewise("tune", "job.yaml", "--dry-run", cwd=tmp_path)
    assert "when you stop it" in done.stdout
    assert "every config" not in done.stdout
