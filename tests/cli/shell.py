"""Runs `tunewise` as a person does: as a process of its own or, quicker, within this one."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

TUNEWISE = Path(sys.executable).with_name("tunewise")
SECONDS = 600
PATIENCE = 60

# A deterministic training of a few milliseconds, with its own idea of time.
WORK = """\
import json, os, sys

def measured(x, y):
    print("training with", x, y)
    return {"accuracy": round(1 - (x - 0.3) ** 2 - 0.02 * y, 6), "time": 10.0 + y}

def train(trial):
    return measured(**trial.config)

if __name__ == "__main__":
    print(json.dumps(measured(float(sys.argv[1]), int(sys.argv[2]))))
"""


def job(folder: Path, **fields: Any) -> Path:
    """Write a job file over a small space, with a quick deterministic job."""
    (folder / "work.py").write_text(WORK)
    said: dict[str, Any] = {
        "name": "quick",
        "python": None if fields.get("command") else "work.py:train",
        "space": {"x": {"real": [0.0, 1.0]}, "y": [1, 2, 4]},
        "maximize": "accuracy",
        "subject_to": ["cost <= 0.02"],
        "price": "3.6 + 0 * y",
        "strategy": "random",
        "seed": 7,
        "trials": 3,
        **fields,
    }
    path = folder / "job.yaml"
    path.write_text(yaml.safe_dump({k: v for k, v in said.items() if v is not None}))
    return path


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    returncode: int
    stdout: str
    stderr: str


def tunewise(*words: object, cwd: Path, text: str = "") -> Done:
    """Run the command in a folder, within this process: starting one takes longer than most."""
    with chdir(cwd):
        result = invoke(*words, text=text)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout, result.stderr)


def process(*words: object, cwd: Path, env: dict[str, str] | None = None) -> Done:
    """Run the command in a folder, as a process of its own."""
    done = subprocess.run(
        [TUNEWISE, *map(str, words)],
        cwd=cwd,
        env={**clean_environment(), **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def started(*words: object, cwd: Path) -> subprocess.Popen[str]:
    """Start the command as a process, to be interrupted."""
    return subprocess.Popen(
        [TUNEWISE, *map(str, words)],
        cwd=cwd,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def running(*words: object, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """The same for as long as the block takes: it ends with that, whatever fails there."""
    begun = started(*words, cwd=cwd)
    try:
        yield begun
    finally:
        if begun.returncode is None:
            begun.terminate()  # so that it ends what it started
            try:
                begun.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                begun.kill()
                begun.communicate()


def invoke(*words: object, text: str = "") -> Result:
    """Run a command in this process and folder, with a text as its input."""
    from tunewise.cli import app

    unset = {name: None for name in os.environ if _changes_behaviour(name)}
    given = [str(word) for word in words]
    return CliRunner(env=unset).invoke(app, given, input=text, prog_name="tunewise")


def says_how_to_install(extra: str, monkeypatch: pytest.MonkeyPatch, *words: object) -> None:
    """Run a command without the library of an extra: one line must say how to get it."""
    monkeypatch.setitem(sys.modules, extra, None)
    refused = invoke(*words)
    assert refused.exit_code == 1
    assert f"{extra} is not installed: pip install 'tunewise[{extra}]'" in refused.stderr


def parsed(text: str) -> Any:
    """What was printed as JSON."""
    return json.loads(text)


def clean_environment() -> dict[str, str]:
    """The environment without what would change how Tunewise behaves."""
    kept = {k: v for k, v in os.environ.items() if not _changes_behaviour(k)}
    return {**kept, "OMP_NUM_THREADS": "1"}


def _changes_behaviour(name: str) -> bool:
    return name in ("TUNEWISE_STORAGE", "COLUMNS", "FORCE_COLOR", "NO_COLOR")
