"""Where and on what a figure was measured, for the line above a table."""

import os
import platform
import subprocess
import sys
from pathlib import Path

OWN = Path(__file__).parent / "data"
"""Tables that we measured ourselves: they are part of the repository."""


def described() -> str:
    """Commit, processors, Python and numpy, in one line."""
    import numpy as np

    return (
        f"commit {_commit()}, {os.cpu_count()} × {_processor()},"
        f" Python {platform.python_version()}, numpy {np.__version__}"
    )


def tables() -> Path:
    """The folder of measured tables: `TUNEWISE_DATA`, or `shared/data` beside the repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("TUNEWISE_DATA", beside))


def table(name: str) -> Path:
    """The file of a measured table, our own or another; without it, says so and ends."""
    own = OWN / name
    path = own if own.is_file() else tables() / name
    if not path.is_file():
        print(f"{name} is not here: set TUNEWISE_DATA to the folder of measured tables")
        sys.exit(0)
    return path


def _commit() -> str:
    asked = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    return told.stdout.strip() or "unknown"


def _processor() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
