"""What a job file runs, and where: its command or function, and the executor for it."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tunewise.cli.jobfile import JobFile
from tunewise.cli.mistakes import Mistakes
from tunewise.cli.pythonjob import PythonJob
from tunewise.cli.yamlfile import read
from tunewise.errors import ExecutionError
from tunewise.execution import Command, ProcessExecutor

if TYPE_CHECKING:
    from tunewise.study import Job

_SIZE = re.compile(r"\s*([0-9.]+)\s*([kmgt]?)(i?)b?\s*\Z", re.IGNORECASE)
_STEPS = " kmgt"


def workload(file: JobFile) -> "Job":
    """The job of a job file.

    Raises:
        JobFileError: When it says nothing to run, or what cannot be run; with line and field.
    """
    fields, mistakes = file.fields, Mistakes(read(file.text, str(file.path)), file.shown)
    built: list[Job] = []
    cwd = file.folder
    with mistakes.at("cwd"):
        cwd = _folder(file)
    if fields.command is not None and fields.python is not None:
        mistakes.add(("python",), " is given beside command; expected one of them")
    elif fields.command is not None:
        with mistakes.at("command"):
            built.append(_command(file, cwd))
    elif fields.python is not None:
        with mistakes.at("python"):
            built.append(PythonJob(fields.python, file.folder, cwd, _environment(file)))
    else:
        mistakes.add((), "command or python is missing; expected what to run for a trial")
    with mistakes.at("memory"):
        _bytes(fields.memory)
    mistakes.refuse()
    return built[0]


def executor(file: JobFile, parallel: int) -> ProcessExecutor:
    """Where the trials of a job file run: each in a process of its own."""
    return ProcessExecutor(workers=parallel, memory=_bytes(file.fields.memory))


def _command(file: JobFile, cwd: Path) -> Command:
    said = file.fields.command
    assert said is not None
    template = said if isinstance(said, str) else [str(word) for word in said]
    command = Command(template, env=_environment(file), cwd=cwd, shell=file.fields.shell)
    return command.over(file.problem.space)


def _environment(file: JobFile) -> dict[str, str]:
    words = {True: "true", False: "false", None: ""}
    env = file.fields.env
    return {k: words[v] if isinstance(v, bool) or v is None else str(v) for k, v in env.items()}


def _folder(file: JobFile) -> Path:
    folder = file.folder if file.fields.cwd is None else file.within(file.fields.cwd)
    if not folder.is_dir():
        raise ExecutionError(f"there is no folder {str(folder)!r} to run in")
    return folder


def _bytes(said: "float | str | None") -> int | None:
    """An amount of memory in bytes; a bare number is bytes, GB and GiB are 2**30 of them."""
    if said is None:
        return None
    found = _SIZE.match(said if isinstance(said, str) else f"{said:.0f}")
    number = float(found[1]) if found and found[1].count(".") <= 1 and found[1] != "." else 0.0
    if found is None or number <= 0:
        raise ExecutionError(f"memory is {said!r}; expected an amount such as '2 GB'")
    return int(number * 1024 ** _STEPS.index(found[2].lower() or " "))
