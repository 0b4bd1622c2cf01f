"""Writes the three small programs of a task (feed, refine, infer) and a module of its types."""

import re
from pathlib import Path

from tunewise.declarative.schema import Program
from tunewise.declarative.schema.types import python_types
from tunewise.errors import TaskError

_MODULE = '''"""The task {name!r}: {program}

Made by `tunewise task client`. It needs Python's standard library, and the command `tunewise` where
the task is kept.
"""

import json
import subprocess
from dataclasses import dataclass

TASK = {name!r}
STORAGE = {storage!r}
NAMESPACE = {namespace!r}
COMMAND = {command!r}


{types}

def feed(pairs):
    """Feed pairs of Input and Output: how many are new, known and refused."""
    lines = [json.dumps({{"input": _plain(i), "output": _plain(o)}}) for i, o in pairs]
    return _call("feed", TASK, "-", text="\\n".join(lines))


def refine(off=(), on=()):
    """Turn examples off and on by their ids."""
    options = [f"--off={{id}}" for id in off] + [f"--on={{id}}" for id in on]
    return _call("refine", TASK, *options)


def infer(*inputs):
    """The best model's answers to inputs, in their order."""
    lines = [json.dumps(_plain(each)) for each in inputs]
    return _call("infer", TASK, "-", text="\\n".join(lines))


def command(operation, arguments):
    """Run one of the three operations for a person."""
    return subprocess.call(_command(operation, TASK, *arguments))


def _plain(value):
    return value.plain() if hasattr(value, "plain") else value


def _command(operation, *arguments):
    where = [f"--storage={{STORAGE}}", f"--namespace={{NAMESPACE}}"]
    return [*COMMAND, "task", operation, *where, *arguments]


def _call(operation, *arguments, text=""):
    command = [*_command(operation, *arguments), "--json"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)
'''

_PROGRAM = '''#!/usr/bin/env python3
"""{operation} of the task {name!r}: {operation} --help says how."""

import sys

import {module}

sys.exit({module}.command({operation!r}, sys.argv[1:]))
'''


def write_client(
    folder: Path,
    program: Program,
    name: str,
    storage: str,
    namespace: str,
    command: tuple[str, ...],
) -> list[Path]:
    """Write the client of a task into a folder: its files."""
    if folder.exists() and not folder.is_dir():
        raise TaskError(f"{str(folder)!r} is a file; expected a folder")
    folder.mkdir(parents=True, exist_ok=True)
    module = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_").lower() or "task"
    module = f"task_{module}" if module[0].isdigit() or module in _TAKEN else module
    shown = str(program).replace("\\", "\\\\").replace('"', "'")
    source = _MODULE.format(
        name=name,
        program=shown,
        storage=storage,
        namespace=namespace,
        command=list(command),
        types=python_types(program),
    )
    written = [folder / f"{module}.py"]
    written[0].write_text(source, encoding="utf-8")
    for operation in ("feed", "refine", "infer"):
        file = folder / operation
        text = _PROGRAM.format(operation=operation, name=name, module=module)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)
        written.append(file)
    return written


_TAKEN = ("feed", "refine", "infer", "json", "subprocess", "dataclasses", "sys", "class", "def")
"""Names that the module cannot have."""
