"""Job files: YAML that says what may be chosen, what is wanted, and what to run."""

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from tunewise.errors import JobFileError, ProblemError, nearest
from tunewise.job.bounded import TooLong, bounded_text
from tunewise.job.diagnostics import Diagnostics
from tunewise.job.fields import JobFields
from tunewise.job.problem import problem as stated_problem
from tunewise.job.problem import space as stated_space
from tunewise.job.yaml_document import Document, read
from tunewise.problem import Problem, quantity
from tunewise.space import Space
from tunewise.strategy import StrategySpec
from tunewise.strategy.spec import default_strategy
from tunewise.study.folders import within

LONGEST_NAME = 100
"""Characters of a study's name: it becomes a folder's, and a column of tables."""


_LARGEST_FILE = 200_000
"""Bytes of a job file: reading a longer one would take more than seconds."""


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
        return within(self.folder, path)


class Check(Protocol):
    """Looks at what a job file says besides its problem, and notes mistakes."""

    def __call__(
        self, fields: JobFields, folder: Path, space: Space | None, diagnostics: Diagnostics
    ) -> object:
        """The space is None where that is wrong itself."""


def load(path: Path, changes: dict[str, Any] | None = None, also: Sequence[Check] = ()) -> JobFile:
    """Read and check a job file; `changes` replace its fields, `also` are more checks.

    Raises:
        JobFileError: All mistakes at once, each with line, field and the nearest right thing.
    """
    return parse(read_text(path), path, changes, also)


def read_text(path: Path) -> str:
    """What a job file says; one that cannot be read is refused in a sentence."""
    try:
        return bounded_text(path, _LARGEST_FILE)
    except OSError as error:
        raise JobFileError(_unreadable(path, error)) from error
    except UnicodeDecodeError as error:
        raise JobFileError(f"{path} is not a text file; expected YAML") from error
    except TooLong as error:
        raise JobFileError(
            f"{path} {error}; expected a job file, which is shorter: write ranges such as"
            " {integer: [0, 100000]} in place of long lists"
        ) from error
    except ValueError as error:
        raise JobFileError(f"{str(path)!r} is no path: {error}") from error


def parse(
    text: str, path: Path, changes: dict[str, Any] | None = None, also: Sequence[Check] = ()
) -> JobFile:
    """As `load`, from the text of a file that need not be there any more."""
    document = read(text, str(path))
    diagnostics = Diagnostics(document, str(path))
    fields = _fields(document, diagnostics).model_copy(update=changes or {})
    absolute = Path(path).absolute()
    _check_name(fields.name or absolute.stem, diagnostics)
    _check_times(fields, diagnostics)
    _check_gain(fields, diagnostics)
    space = stated_space(fields, absolute.parent, diagnostics)
    problem = stated_problem(fields, space, absolute.parent, diagnostics)
    strategy = _strategy(fields, problem, diagnostics)
    for check in also:
        check(fields, absolute.parent, space, diagnostics)
    diagnostics.refuse()
    assert problem is not None and strategy is not None
    return JobFile(absolute, str(path), text, fields, problem, strategy)


def _fields(document: Document, diagnostics: Diagnostics) -> JobFields:
    """The fields that can be read; the others are mistakes, and are left out."""
    if not isinstance(document.data, dict):
        diagnostics.add((), "expected fields with values, such as name: digits")
        diagnostics.refuse()
    if not {"until", "paramserver", "torchrun"}.isdisjoint(document.data):
        source = diagnostics.source
        diagnostics.add((), f"is a job file of a training; run it with: tunewise train {source}")
        diagnostics.refuse()
    try:
        return JobFields.model_validate(document.data)
    except ValidationError as error:
        data = copy.deepcopy(document.data)
        for path in diagnostics.add_all(error):
            _leave_out(data, path)
    if not data.get("space"):
        data["space"] = {"parameter": [0]}  # what needs the space is not checked then
    try:
        return JobFields.model_validate(data)
    except ValidationError:
        diagnostics.refuse()
        raise


def _leave_out(data: dict[str, Any], path: Sequence[str | int]) -> None:
    """Without the field at this path; of a parameter that is wrong, without the parameter."""
    if path[:1] == ("space",) and len(path) > 1 and isinstance(data.get("space"), dict):
        data["space"].pop(path[1], None)
    elif path:
        data.pop(str(path[0]), None)


def _strategy(
    fields: JobFields, problem: Problem | None, diagnostics: Diagnostics
) -> StrategySpec | None:
    """The strategy, after it was built once: only that tells whether its options make sense."""
    strategy: StrategySpec | None = None
    with diagnostics.at("strategy"):
        if fields.strategy is not None:
            strategy = StrategySpec.of(fields.strategy)
        elif problem is not None:
            strategy = default_strategy(problem)
        if strategy is not None and problem is not None:
            strategy.build(problem, fields.seed or 0)
    return strategy


def _check_name(name: str, diagnostics: Diagnostics) -> None:
    if len(name) > LONGEST_NAME:
        diagnostics.add(
            ("name",), f" has {len(name)} characters; expected a name of at most {LONGEST_NAME}"
        )


def _check_times(fields: JobFields, diagnostics: Diagnostics) -> None:
    for name in ("timeout", "trial_timeout"):
        said = getattr(fields, name)
        with diagnostics.at(name):
            if said is not None and not 0 < quantity(said, "time") < math.inf:
                raise ProblemError(f"{said!r} is no time; expected one such as 600 or '10 min'")


def _check_gain(fields: JobFields, diagnostics: Diagnostics) -> None:
    if fields.min_gain is None:
        return
    from tunewise.study.run.stopping import least_gain

    with diagnostics.at("min_gain"):
        least_gain(fields.min_gain)


def _unreadable(path: Path, error: OSError) -> str:
    if isinstance(error, IsADirectoryError):
        return f"{path} is a folder; expected a job file, such as {path / 'job.yaml'}"
    if isinstance(error, FileNotFoundError):
        beside = path.parent.glob("[!.]*.y*ml") if path.parent.is_dir() else ()
        there = sorted(each.name for each in beside)
        hint = nearest(path.name, there) if there else "; `tunewise init` writes one"
        return f"there is no job file {path}{hint}"
    return f"{path} cannot be read: {error.strerror or error}"
