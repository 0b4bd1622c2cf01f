"""The folder in which a job may leave what it could go on from, should it run again."""

import os
import sys
from pathlib import Path

VARIABLE = "TUNEWISE_CHECKPOINTS"
"""The variable that names it to jobs."""


def offer(folder: Path | None) -> None:
    """Make the folder, and name it to the job that runs in this process; or to none."""
    os.environ.pop(VARIABLE, None)
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"there is no folder for checkpoints: {error.strerror}", file=sys.stderr)
        return
    os.environ[VARIABLE] = str(folder.absolute())


def offered() -> Path | None:
    """The folder of the job that runs in this process."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None
