"""The file that a parameter server goes on from after a crash."""

import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from tunewise.errors import ExecutionError, TunewiseError
from tunewise.paramserver.setting import Setting
from tunewise.surrogate import Array

_NAME = "checkpoint.npz"

_UNSOUND = (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile, TunewiseError)
"""What reading a file raises that was cut off, or overwritten with something else."""


def keep(folder: Path, setting: Setting, **arrays: Array) -> None:
    """Write a checkpoint; the last one stays until this one is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / "checkpoint.part.npz"
    content: dict[str, Any] = {"setting": np.array(json.dumps(asdict(setting))), **arrays}
    np.savez(unfinished, **content)
    unfinished.replace(folder / _NAME)


def kept(folder: Path) -> tuple[Setting, Mapping[str, Any]] | None:
    """The setting and the arrays of the checkpoint in a folder; None where there is none.

    Raises:
        ExecutionError: The file is damaged.
    """
    file = folder / _NAME
    if not file.exists():
        return None
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as read:
            arrays = {name: read[name] for name in read.files}
        # Earlier checkpoints hold the parameters alone.
        arrays["state"] = arrays["state"] if "state" in arrays else arrays["values"]
        return Setting.of(json.loads(str(arrays["setting"]))), arrays
    except _UNSOUND as error:
        raise ExecutionError(
            f"the checkpoint {file} is damaged: expected a sound copy in its place, or none to"
            " train from the beginning"
        ) from error
