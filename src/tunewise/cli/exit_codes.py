"""How every command ends: with a sentence and an exit code, never with a traceback."""

import errno
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from tunewise.errors import TunewiseError

if TYPE_CHECKING:
    from tunewise.study.executor import TrialExecutor

FAILED, WRONG_WORDS, INFEASIBLE, INTERRUPTED, PIPE_CLOSED = 1, 2, 3, 130, 141
EXIT_CODES = (0, FAILED, WRONG_WORDS, INFEASIBLE, INTERRUPTED, PIPE_CLOSED)
"""All there are; docs/command-line.md says what each means."""

_Command = TypeVar("_Command", bound=Callable[..., Any])
_debugging = False


def debug(on: bool) -> None:
    """Show tracebacks from now on, or not."""
    global _debugging  # noqa: PLW0603 - a process shows tracebacks or it does not
    _debugging = on


class Interrupted(KeyboardInterrupt):
    """A person ended a command; the text says what becomes of what was under way."""


def polite(command: _Command) -> _Command:
    """The command with its errors said in one sentence."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except BrokenPipeError:
            raise typer.Exit(_leave_the_pipe()) from None
        except (Exception, KeyboardInterrupt) as error:
            if _debugging or isinstance(error, typer.Exit | typer.Abort | typer.BadParameter):
                raise
            raise typer.Exit(_say(error)) from None

    return run  # type: ignore[return-value] # it has the signature of what it wraps


def notice(sentence: str) -> None:
    """Say what looks like an oversight, in yellow where there are colours."""
    _say_in("yellow", f"note: {sentence}")


def complain(sentence: str) -> None:
    """Say what is wrong, in red where there are colours."""
    _say_in("red", sentence)


def _say_in(colour: str, sentence: str) -> None:
    from rich.text import Text

    from tunewise.screen import screen

    screen(stderr=True).print(Text(sentence, colour), soft_wrap=True)


@contextmanager
def warned(pool: "TrialExecutor") -> Iterator["TrialExecutor"]:
    """The executor, shut down at the end; what it warns of is said last, however that comes."""
    try:
        with pool:
            yield pool
    finally:
        for sentence in pool.warnings:
            complain(sentence)


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM is Ctrl-C."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def resumable(so_far: Callable[[], str]) -> Iterator[None]:
    """An interruption, also by SIGTERM, says how far it was and how to go on."""
    try:
        with terminable():
            yield
    except KeyboardInterrupt:
        from tunewise.storage.secrets import redacted

        said = so_far()
        again = shlex.join(["tunewise", *map(redacted, sys.argv[1:])])
        raise Interrupted(f"interrupted{said}. Go on with: {again}") from None


def _say(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt):
        _say_in("yellow", str(error) or "interrupted")
        return INTERRUPTED
    if isinstance(error, TunewiseError):
        complain(str(error))
    elif isinstance(error, OSError):
        unnamed = "the output could not be written: " if error.errno == errno.ENOSPC else ""
        file = f"{error.filename}: " if error.filename else unnamed
        complain(f"{file}{error.strerror or error}")
    else:
        complain(
            f"{type(error).__name__}: {error} (this should not happen;"
            " `tunewise --debug ...` shows where it did)"
        )
    return FAILED


def _leave_the_pipe() -> int:
    """Whoever read our output has had enough: the rest goes nowhere, and nobody complains."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return PIPE_CLOSED
