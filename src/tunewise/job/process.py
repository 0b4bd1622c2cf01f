"""What a job file says of a process: its words, its folder and its environment."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tunewise.errors import ExecutionError
from tunewise.execution import Command
from tunewise.job.fields import Scalar
from tunewise.study.folders import within


def words(said: str | Sequence[Scalar]) -> list[str]:
    """A command as a list of words; a text is split as a shell would."""
    if not isinstance(said, str):
        return [str(each) for each in said]
    try:
        return shlex.split(said)
    except ValueError as error:
        raise ExecutionError(
            f"{said!r} cannot be split into words: {str(error).lower()}; close its quotes, or give"
            " a list"
        ) from error


def folder(said: str | None, beside: Path) -> Path:
    """Where to run: the folder that is named, or the job file's own."""
    cwd = beside if said is None else within(beside, said)
    if not cwd.is_dir():
        raise ExecutionError(f"there is no folder {str(cwd)!r} to run in")
    return cwd


def missing(command: Sequence[str], cwd: Path, said: Mapping[str, Scalar]) -> str | None:
    """Why a program, or its script, is not on this machine; None where it is, or may be."""
    literal = [word.replace("{", "{{").replace("}", "}}") for word in command]
    return Command(literal, cwd=str(cwd), env=environment(said)).missing_program()


def environment(said: Mapping[str, Scalar]) -> dict[str, str]:
    """Variables as texts, with YAML's own words for yes and no; nothing is an empty text."""
    spelled = {True: "true", False: "false", None: ""}
    return {k: spelled[v] if isinstance(v, bool) or v is None else str(v) for k, v in said.items()}


def refuse_impossible(names: Iterable[str]) -> None:
    """Refuse a name that no variable of an environment can have."""
    for name in names:
        if not name or "=" in name:
            meant = name.partition("=")[0] or "SEED"
            raise ExecutionError(f"{name!r} names a variable; expected it without =, as {meant!r}")
