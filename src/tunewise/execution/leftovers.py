"""What is left of an attempt at a trial when everything that watched over it was killed.

A file beside a trial's folder names the attempt that runs there, as long as it does. All processes
of the attempt are known by it: those that were started as programs carry its mark in their
environment, and those that were only forked still have its file mapped, whatever session they went
to and whatever descriptors they closed. So the next study to come by can end them, and book what
they have used.
"""

import json
import mmap
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tunewise.execution import process_tree, result
from tunewise.history import Preempted, Trial
from tunewise.study.owner import Owner

MARK = "TUNEWISE_RUN"
"""The variable by which the processes of a trial are known, even when nobody is their parent."""

_mapped: list[mmap.mmap] = []
"""Kept for as long as the process lives."""


def file_of(folder: Path) -> Path:
    """Beside the folder, which the job may treat as its own."""
    own = folder.absolute()
    return own.with_name(f".{own.name}.attempt.json")


def begin(folder: Path | None, trial: dict[str, Any], mark: str, watcher: Owner) -> None:
    """Mark this process, and all that will descend from it, as an attempt at the trial."""
    os.environ[MARK] = mark
    if folder is None:
        return
    said = {"trial": trial, "mark": mark, "watcher": str(watcher), "began": time.time()}
    try:
        file_of(folder).write_text(json.dumps(said), encoding="utf-8")
        with file_of(folder).open("rb") as file:
            _mapped.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        print(f"cannot note the attempt in {folder}: {error.strerror}", file=sys.stderr)


def forget(folder: Path) -> None:
    """All processes of the attempt have ended."""
    with suppress(OSError):
        file_of(folder).unlink(missing_ok=True)


def end(folder: Path, trial: Trial) -> None:
    """Kill what is left of the attempt, if its watcher is gone, and keep what it has used.

    That is found in the folder as the attempt's outcome, unless it had one before.
    """
    try:
        said = json.loads(file_of(folder).read_text(encoding="utf-8"))
        watcher, mark, began = Owner.parse(said["watcher"]), str(said["mark"]), said["began"]
    except (OSError, ValueError, KeyError, TypeError):
        return  # nothing is left, or it is not a file of ours
    if not watcher.known_dead:
        return
    file = os.path.realpath(file_of(folder))
    found = process_tree.end_marked(f"{MARK}={mark}", None, file)
    if found and said["trial"] == result.identity(trial) and result.recover(folder, trial) is None:
        seconds = max(time.time() - float(began), 0.0)
        reason = "its watchers were killed; what was left of it was ended at the next start"
        result.keep(folder, said["trial"], Preempted(reason, {"time": seconds}))
    forget(folder)
