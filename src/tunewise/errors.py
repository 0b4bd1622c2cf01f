"""Every error that Tunewise raises on purpose.

```
TunewiseError
├── SpaceError          a parameter, config or catalogue is not valid
├── ProblemError        an objective, constraint, fraction or budget is not valid
├── MeasurementError    what was told is not a measurement (NaN, missing metric, ...)
├── StrategyError       no such strategy or option, or it cannot work on this problem
│   └── MetricsRefused      it cannot work on these metrics: another objective, other limits
├── TenancyError        a log, a user or a rule of the scheduler is not valid
├── DataError           data cannot be cut into slices as asked
├── StudyError          the study cannot do that (told twice, other problem, ...)
│   ├── NothingToSuggest    the strategy has no trial left to suggest
│   └── RightLost           another worker may ask by now: ask again
├── StorageError        the store cannot be reached, read or written
├── ExecutionError      a job cannot be started at all
├── TaskError           a declared task cannot do that, or its examples do not fit
│   ├── ProgramError        a program does not say what goes in and what comes out
│   └── NotReady            the task has no model yet; says when one is expected
├── WrongJob            the job itself is wrong: whatever config is tried, the same comes again
│   ├── WrongForm           what it told has another form than the problem needs
│   └── OtherRange          it asks for a parameter from another range than the space has
├── JobFileError        a job file is not valid: line, field, nearest name
└── MissingExtraError   an optional package is not installed
```

A `TunewiseWarning` says what a person should know although nothing failed.

Each message is a sentence that names the wrong value, what was expected and, where there is one,
the nearest right thing.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from importlib import import_module
from inspect import signature
from types import MappingProxyType, ModuleType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_LONG_WORD = re.compile(r"\S{201,}")
_LONGEST_MESSAGE = 8000


def shortened(message: str) -> str:
    """A message without the middle of values that nobody would read to their end.

    That is what has more than 200 characters without a space, and a message of many pages.

    >>> shortened(f"budget is {'9' * 400}; expected less")
    'budget is 99999999999999999999…(400 characters)…99999999999999999999; expected less'
    """

    def brief(found: "re.Match[str]") -> str:
        word = found[0]
        end = len(word) - len(word.rstrip(".,;:!?)'\"]}"))
        return f"{word[:20]}…({len(word) - end} characters)…{word[-20 - end :]}"

    short = _LONG_WORD.sub(brief, message)
    return short if len(short) <= _LONGEST_MESSAGE else f"{short[:_LONGEST_MESSAGE]}…"


class TunewiseError(Exception):
    """Root of all errors raised on purpose: catch this one to catch them all."""

    def __init__(self, message: str = "") -> None:
        """Say it in a sentence; values of any length may stand in it."""
        super().__init__(shortened(message))


class TunewiseWarning(UserWarning):
    """What a person should know although nothing failed."""


class SpaceError(TunewiseError):
    """A parameter, a config or the catalogue is not valid."""


class ProblemError(TunewiseError):
    """An objective, constraint, fraction or budget is not valid."""


class MeasurementError(TunewiseError):
    """What was told about a trial is not a measurement."""


class StrategyError(TunewiseError):
    """No such strategy or option, or it cannot work on this problem."""


class MetricsRefused(StrategyError):
    """The strategy does not work on the metrics of this problem."""


class TenancyError(TunewiseError):
    """A log, a user or a rule of the scheduler is not valid."""


class DataError(TunewiseError):
    """Data cannot be cut into slices as asked."""


class StudyError(TunewiseError):
    """The study cannot do what was asked of it."""


class NothingToSuggest(StudyError):
    """The strategy has no trial left to suggest, as far as it knows by now."""


class RightLost(StudyError):
    """The worker does not hold the right to ask any more: it has to ask again."""


class StorageError(TunewiseError):
    """The store cannot be reached, read or written."""


class ExecutionError(TunewiseError):
    """A job cannot be started at all."""


class TaskError(TunewiseError):
    """A declared task cannot do what was asked, or its examples do not fit."""


class ProgramError(TaskError):
    """A program does not say what goes in and what comes out."""


class NotReady(TaskError):
    """The task has no model yet; the sentence says when one is expected."""


class WrongJob(TunewiseError):
    """The job itself is wrong: whatever config is tried, the same comes again."""


class WrongForm(MeasurementError, WrongJob):
    """What a job told has another form than the problem needs."""


class OtherRange(SpaceError, WrongJob):
    """A job asks for a parameter from another range than the space has."""


class JobFileError(TunewiseError):
    """A job file is not valid."""


class MissingExtraError(TunewiseError):
    """An optional package is needed and not installed."""


def nearest(name: str, valid: Iterable[str], like: float = 0.5) -> str:
    """Say which valid name was probably meant, as the end of a sentence; how like, from 0 to 1.

    >>> nearest("acuracy", ["accuracy", "cost"])
    "; did you mean 'accuracy'? Valid: accuracy, cost"
    """
    names = [str(v) for v in valid]
    if not names:
        return "; there is none"
    lowered = {n.lower(): n for n in names}
    close = get_close_matches(str(name).lower(), lowered, n=1, cutoff=like)
    hint = f"did you mean {lowered[close[0]]!r}? " if close else ""
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return f"; {hint}Valid: {shown}"


def answering(
    call: str,
    error: type[TunewiseError],
    instead: Mapping[str, str] = MappingProxyType({}),
    former: Mapping[str, str] = MappingProxyType({}),
    usage: str = "",
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Have a function answer arguments that it does not have with the line to write.

    Args:
        call: What people call the function.
        error: What to raise.
        instead: By the names that other tools use, what to write here; `{}` stands for the value.
            `*` is for all names that it does not have.
        former: New names by those that arguments had before, which are taken all the same.
        usage: What to write where it is given too much, or too little.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        arguments = signature(function)
        valid = [name for name in arguments.parameters if name != "self"]

        @wraps(function)
        def checked(*args: P.args, **given: P.kwargs) -> T:
            for name in given.keys() & former.keys():
                given[former[name]] = given.pop(name)
            for name in given.keys() - set(valid):
                if name in instead or "*" in instead:
                    line = instead.get(name, instead.get("*", ""))
                    line = line.replace("{}", repr(given[name])).replace("{name}", name)
                    raise error(f"{call} has no argument {name!r}; write {line}")
                raise error(f"{call} has no argument {name!r}{nearest(name, valid)}")
            if usage:
                try:
                    arguments.bind(*args, **given)
                except TypeError as wrong:
                    raise error(f"{call}: {wrong}; write {usage}") from None
            return function(*args, **given)

        return checked

    return decorate


class Instead:
    """An attribute that other tools have: whoever looks for it is told the line to write."""

    def __init__(self, line: str) -> None:
        """Say what to write."""
        self._line, self._name = line, ""

    def __set_name__(self, owner: type, name: str) -> None:
        """The attribute's name."""
        self._name = name

    def __get__(self, found: object, owner: type) -> Any:
        """There is no such attribute."""
        raise AttributeError(f"a {owner.__name__} has no {self._name!r}; write {self._line}")


def optional(module: str, extra: str) -> ModuleType:
    """Import an optional package, or fail with the line that installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{module.partition('.')[0]} is not installed: pip install 'tunewise[{extra}]'"
        ) from error
