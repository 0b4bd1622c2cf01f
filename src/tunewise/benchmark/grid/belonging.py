"""Whose measurements a file holds: those of one job, and written by one process at a time."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError
from tunewise.job.jobfile import JobFile

Fingerprint = Mapping[str, Any]
"""What is measured, as plain data by name."""

_GROWING = ("fractions",)
_SHOWN = 80


def fingerprint(file: JobFile) -> Fingerprint:
    """What a job file measures, and how it is paid for; not how often, nor where."""
    fields, problem = file.fields, file.problem
    parameters = {f"values of {p.name}": list(p.values()) for p in problem.space.parameters}
    said = {
        "command": fields.command,
        "shell": fields.shell,
        "python": fields.python,
        # Variables may hold what is secret, and tables are shared with the file beside them.
        "env": {name: _digest(value) for name, value in fields.env.items()},
        "price": fields.price if fields.price is None else fields.model_dump()["price"],
        "billing": [problem.billing.tick, problem.billing.minimum],
        "parameters": sorted(problem.space.names),
        **parameters,
        "fractions": list(problem.fractions),
        "metrics": sorted(problem.needed),
    }
    plain: dict[str, Any] = json.loads(json.dumps(said, default=str))
    return plain


def refuse_other(path: Path, before: Fingerprint, now: Fingerprint) -> None:
    """Refuse a file with measurements of something else; more values and fractions are welcome."""
    for name, was in before.items():
        found = now.get(name)
        added = name in _GROWING or name.startswith("values of ")
        if found == was or (added and found and all(value in found for value in was)):
            continue
        raise ExecutionError(
            f"{path} has measurements of another job: {name} was {_short(was)}, now it is"
            f" {_short(found)}; expected the same, another --output, or that the file is removed"
        )


def _digest(value: object) -> str:
    return hashlib.sha256(str(value).encode(errors="surrogatepass")).hexdigest()[:16]


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Meanwhile no other process measures into the file; a dead one does not count.

    Raises:
        ExecutionError: When another process does.
    """
    lock = path.with_name(f".{path.name}.lock")
    descriptor = _locked(lock, path)
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _locked(lock: Path, path: Path) -> int:
    """A descriptor whose lock ends with this process; no process that it forks holds it on."""
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            number = os.read(descriptor, 20).decode(errors="replace").strip()
            holder = f"process {number}" if number else "another process"
            os.close(descriptor)
            raise ExecutionError(
                f"{holder} is measuring into {path}; expected that it ends first, or"
                " another --output"
            ) from error
        try:
            if os.path.samestat(os.fstat(descriptor), lock.stat()):
                return descriptor
        except FileNotFoundError:
            pass  # whoever had it has just removed it
        os.close(descriptor)
