"""Job files to start from, each with a small training script."""

from importlib.resources import files
from pathlib import Path
from typing import Literal

from tunewise.errors import JobFileError

_TEMPLATES = {"tune": ("job.yaml", "train.py"), "train": ("training.yaml", "loop.py")}


def write(file: Path, door: Literal["tune", "train"], *, force: bool = False) -> list[Path]:
    """Write a job file and, where there is none yet, its script: what was written."""
    if file.exists() and not force:
        raise JobFileError(f"{file} exists; choose another name, or overwrite it with --force")
    file.parent.mkdir(parents=True, exist_ok=True)
    job, program = _TEMPLATES[door]
    script = file.with_name(program)
    wanted = {file: job} if script.exists() else {file: job, script: program}
    for path, name in wanted.items():
        text = files("tunewise.job.templates").joinpath(name).read_text(encoding="utf-8")
        path.write_text(text, encoding="utf-8")
    return list(wanted)
