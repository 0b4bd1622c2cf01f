"""What a job file runs, and where: its command or function, and the executor for it."""

import inspect
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tunewise.errors import ExecutionError, ProblemError, nearest
from tunewise.execution import Command, TrialExecutor
from tunewise.history import BOOKED
from tunewise.job import process
from tunewise.job.diagnostics import Diagnostics
from tunewise.job.fields import JobFields
from tunewise.job.jobfile import JobFile
from tunewise.job.problem import shares_of
from tunewise.job.python_job import PythonJob
from tunewise.job.yaml_document import read
from tunewise.problem.epochs import full_epochs
from tunewise.space import Space
from tunewise.study.executor import EXECUTORS

if TYPE_CHECKING:
    from tunewise.study import Job

_SIZE = re.compile(r"\s*([0-9.]+)\s*([kmgt]?)(i?)b?\s*\Z", re.IGNORECASE)
_STEPS = " kmgt"
_MOST_MEMORY = 1e15
_TRIED = 20
"""Configs that an executor's options are tried with before the first trial."""


def workload(file: JobFile) -> "Job":
    """The job of a job file.

    Raises:
        JobFileError: When it says nothing to run, or what cannot be run; with line and field.
    """
    diagnostics = Diagnostics(read(file.text, str(file.path)), file.shown)
    built = check(file.fields, file.folder, file.problem.space, diagnostics)
    diagnostics.refuse()
    assert built is not None
    if isinstance(built, Command) and set(file.problem.needed) <= set(BOOKED):
        # How long it takes is measured for every job, and what it costs follows.
        return replace(built, silent=True)
    return built


def refuse_missing(work: "Job") -> None:
    """Refuse a command whose program is not on this machine."""
    if isinstance(work, Command) and (missing := work.missing_program()):
        raise ExecutionError(missing)


def check_here(
    fields: JobFields, folder: Path, space: Space | None, diagnostics: Diagnostics
) -> None:
    """Beside other mistakes, say that the program is not on this machine; alone it is none."""
    if fields.command is None or not diagnostics:
        return
    with diagnostics.at("command"):
        said = fields.command
        words = said if isinstance(said, str) else [str(word) for word in said]
        cwd = process.folder(fields.cwd, folder)
        work = Command(words, env=process.environment(fields.env), cwd=cwd, shell=fields.shell)
        refuse_missing(work)


def check(
    fields: JobFields, folder: Path, space: Space | None, diagnostics: Diagnostics
) -> "Job | None":
    """The job that these fields state; None when there were mistakes, which are noted."""
    built: Job | None = None
    cwd = folder
    with diagnostics.at("cwd"):
        cwd = process.folder(fields.cwd, folder)
    if fields.command is not None and fields.python is not None:
        diagnostics.add(("python",), " is given beside command; expected one of them")
    elif fields.command is not None:
        with diagnostics.at("command"):
            built = _command(fields, cwd, space)
            if space is None and not diagnostics.has("space"):  # what is wrong is its conditions
                built.check(fields.space)
    elif fields.python is not None:
        with diagnostics.at("python"):
            environment = process.environment(fields.env)
            built = PythonJob(fields.python, folder, cwd, environment, fields.preload)
    elif not diagnostics.has("command", "python"):
        diagnostics.add((), "command or python is missing; expected what to run for a trial")
    with diagnostics.at("env"):
        process.refuse_impossible(fields.env)
    with diagnostics.at("preload"):
        if fields.preload and fields.python is None:
            raise ExecutionError("only a python function can be loaded before its trials")
    with diagnostics.at("memory"):
        _bytes(fields.memory)
        if fields.memory is not None and _chosen(fields)[0] != "process":
            raise ExecutionError("a limit on memory needs the executor process")
    with diagnostics.at("executor"):
        name, options = _chosen(fields)
        _refuse_unknown(name, EXECUTORS.load(name), options)
    return built


def executor(file: JobFile, parallel: int, job: "Job") -> TrialExecutor:
    """Where the trials of a job file run: the executor that it names, or processes here.

    Nothing is started.

    Raises:
        ExecutionError: When it could run no trial of the job with its options.
    """
    fields = file.fields
    name, options = _chosen(fields)
    if fields.memory is not None:
        options["memory"] = _bytes(fields.memory)
    kind = EXECUTORS.load(name)
    # Some have to know the problem: which machines a config stands for.
    make = getattr(kind, "for_problem", None)
    built = (
        kind(workers=parallel, **options)
        if make is None
        else make(file.problem, workers=parallel, **options)
    )
    assert isinstance(built, TrialExecutor)
    built.refuse(job, file.problem.space.sample(_TRIED, np.random.default_rng(0)))
    return built


def _chosen(fields: JobFields) -> tuple[str, dict[str, Any]]:
    """The executor's name and options."""
    said = fields.executor
    if not isinstance(said, dict):
        return said or "process", {}
    options = {key: value for key, value in said.items() if key != "name"}
    if not isinstance(said.get("name"), str):
        raise ExecutionError("the executor has no name; expected such as {name: ray}")
    return said["name"], options


def _refuse_unknown(name: str, kind: Any, options: dict[str, Any]) -> None:
    taken = inspect.signature(getattr(kind, "for_problem", kind)).parameters.values()
    known = [p.name for p in taken if p.kind is p.KEYWORD_ONLY]
    for option in options:
        if option not in known:
            raise ExecutionError(
                f"the executor {name!r} has no option {option!r}{nearest(option, known)}"
            )


def _command(fields: JobFields, cwd: Path, space: Space | None) -> Command:
    said = fields.command
    assert said is not None
    template = said if isinstance(said, str) else [str(word) for word in said]
    environment = process.environment(fields.env)
    epochs = None
    with suppress(ProblemError):  # which is said of the fractions
        epochs = full_epochs(fields.resource, shares_of(fields))
    command = Command(template, env=environment, cwd=cwd, shell=fields.shell, epochs=epochs)
    return command if space is None else command.over(space)


def _bytes(said: "float | str | None") -> int | None:
    """An amount of memory in bytes; a bare number is bytes, GB and GiB are 2**30 of them."""
    if said is None:
        return None
    found = _SIZE.match(said if isinstance(said, str) else f"{said:.0f}")
    number = float(found[1]) if found and found[1].count(".") <= 1 and found[1] != "." else 0.0
    if found is None or not 0 < number < _MOST_MEMORY:
        raise ExecutionError(f"memory is {said!r:.40}; expected an amount such as '2 GB'")
    return int(number * 1024 ** _STEPS.index(found[2].lower() or " "))
