"""Runs `tunewise` as a person does: in a folder, as a process, or quickly in this one."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml
from typer.testing import CliRunner, Result

TUNEWISE = Path(sys.executable).with_name("tunewise")
SECONDS = 120

# A deterministic training of a few milliseconds, with its own idea of time.
TRAIN = """\
import json, sys
x, y = float(sys.argv[1]), int(sys.argv[2])
print("training with", x, y)
print(json.dumps({"accuracy": round(1 - (x - 0.3) ** 2 - 0.02 * y, 6), "time": 10.0 + y}))
"""


def job(folder: Path, **fields: Any) -> Path:
    """Write a job file over a small space, with a quick deterministic command."""
    (folder / "train.py").write_text(TRAIN)
    said: dict[str, Any] = {
        "name": "quick",
        "command": f"{sys.executable} train.py {{x}} {{y}}",
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


def tunewise(
    *words: object, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [TUNEWISE, *map(str, words)],
        cwd=cwd,
        env={**clean_environment(), **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def started(*words: object, cwd: Path) -> subprocess.Popen[str]:
    """Start the command, to be interrupted."""
    return subprocess.Popen(
        [TUNEWISE, *map(str, words)],
        cwd=cwd,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def invoke(*words: object) -> Result:
    """Run a quick command in this process and folder."""
    from tunewise.cli import app

    return CliRunner().invoke(app, [str(word) for word in words], prog_name="tunewise")


def parsed(text: str) -> Any:
    """What was printed as JSON."""
    return json.loads(text)


def clean_environment() -> dict[str, str]:
    """The environment without what would change how Tunewise behaves."""
    changing = ("TUNEWISE_", "COLUMNS", "FORCE_COLOR")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(changing)}
    return {**kept, "OMP_NUM_THREADS": "1"}
