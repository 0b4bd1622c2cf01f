"""Job files: YAML that says what may be chosen, what is wanted, and what to run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tunewise.cli import jobproblem
from tunewise.cli.fields import JobFields
from tunewise.cli.mistakes import Mistakes
from tunewise.cli.yamlfile import Document, read
from tunewise.errors import JobFileError, ProblemError
from tunewise.problem import Problem, quantity
from tunewise.strategy import StrategySpec


@dataclass(frozen=True)
class JobFile:
    """A job file that was read and found sound.

    Attributes:
        path: Where it is; paths inside it start from its folder.
        shown: What it is called in messages.
        text: What it says.
        fields: That, as data.
        problem: What is wanted.
        strategy: Who decides.
    """

    path: Path
    shown: str
    text: str
    fields: JobFields
    problem: Problem
    strategy: StrategySpec

    @property
    def folder(self) -> Path:
        """Where relative paths start."""
        return self.path.parent

    @property
    def name(self) -> str:
        """The study's name: as stated, or the file's."""
        return self.fields.name or self.path.stem

    def within(self, path: str) -> Path:
        """A path of the job file, from its folder."""
        return self.folder / Path(path).expanduser()


def load(path: Path, changes: dict[str, Any] | None = None) -> JobFile:
    """Read and check a job file; `changes` replace its fields.

    Raises:
        JobFileError: All mistakes at once, each with line, field and the nearest right thing.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise JobFileError(_unreadable(path, error)) from error
    except UnicodeDecodeError as error:
        raise JobFileError(f"{path} is not a text file; expected YAML") from error
    return parse(text, path, changes)


def parse(text: str, path: Path, changes: dict[str, Any] | None = None) -> JobFile:
    """As `load`, from the text of a file that need not be there any more."""
    document = read(text, str(path))
    mistakes = Mistakes(document, str(path))
    fields = _fields(document, mistakes).model_copy(update=changes or {})
    absolute = Path(path).absolute()
    strategy: StrategySpec | None = None
    with mistakes.at("strategy"):
        strategy = StrategySpec.of(fields.strategy)
    _check_times(fields, mistakes)
    problem = jobproblem.problem(fields, absolute.parent, mistakes)
    mistakes.refuse()
    assert problem is not None and strategy is not None
    return JobFile(absolute, str(path), text, fields, problem, strategy)


def _fields(document: Document, mistakes: Mistakes) -> JobFields:
    if not isinstance(document.data, dict):
        mistakes.add((), "expected fields with values, such as name: digits")
        mistakes.refuse()
    try:
        return JobFields.model_validate(document.data)
    except ValidationError as error:
        mistakes.add_all(error)
    mistakes.refuse()
    raise AssertionError("a validation error has at least one mistake")


def _check_times(fields: JobFields, mistakes: Mistakes) -> None:
    for name in ("timeout", "trial_timeout"):
        said = getattr(fields, name)
        with mistakes.at(name):
            if said is not None and not quantity(said, "time") > 0:
                raise ProblemError(f"{said!r} is no time; expected one such as 600 or '10 min'")


def _unreadable(path: Path, error: OSError) -> str:
    if isinstance(error, IsADirectoryError):
        return f"{path} is a folder; expected a job file, such as {path / 'job.yaml'}"
    if isinstance(error, FileNotFoundError):
        near = sorted(path.parent.glob("*.y*ml")) if path.parent.is_dir() else []
        hint = f"; there is {near[0]}" if near else "; `tunewise init` writes one"
        return f"there is no job file {path}{hint}"
    return f"{path} cannot be read: {error.strerror or error}"
