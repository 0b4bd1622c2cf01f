"""Where a training keeps its checkpoints and logs: beside its storage."""

import hashlib
import re
import shutil
from pathlib import Path

from tunewise.execution.training.command import end_left
from tunewise.study.folders import sqlite_file


def training_folder(url: str, namespace: str, name: str) -> Path:
    """The folder of a training, told from those of studies and of other namespaces by its name.

    A plain name is kept as it is; any other, which might lead elsewhere, gets a digest.
    """
    base = sqlite_file(url) or Path("tunewise")
    plain = re.sub(r"[^\w.+-]", "_", name).lstrip(".")[:100]
    if plain != name or namespace:
        plain += "-" + hashlib.sha256(f"{namespace}\n{name}".encode()).hexdigest()[:8]
    return Path(f"{base.absolute()}.runs") / f"{plain}.training"


def forget(folder: Path) -> None:
    """Remove a training's checkpoints and logs, and end a command that somebody left behind."""
    end_left(folder)
    shutil.rmtree(folder, ignore_errors=True)
