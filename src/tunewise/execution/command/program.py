"""Running a program to its end, with its output passed on and listened to."""

import codecs
import errno
import os
import selectors
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TextIO

from tunewise.errors import ExecutionError
from tunewise.execution.command.output import Transcript
from tunewise.execution.worker import workplace

_LOOK = 0.01
"""Seconds between looks whether the program has ended, where no descriptor tells of it."""


@dataclass(frozen=True)
class Ended:
    """A program that has ended: its exit code (the signal, negated) and what it wrote."""

    code: int
    transcript: Transcript


def run(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    cwd: Path | None,
    heard: Callable[[dict[str, Any]], None] = lambda found: None,
    epochs: int | None = None,
) -> Ended:
    """Run a program in this process's group. Its output goes on to ours, JSON objects to `heard`.

    Where a full training has so many epochs, the `step` of an object says at which fraction it is.

    Raises:
        ExecutionError: When it cannot be started.
    """
    with _outliving_the_request_to_end(), _started(arguments, environment, cwd) as process:
        transcript = Transcript(heard, epochs)
        _listen(process, transcript)
        transcript.close()
        return Ended(process.wait(), transcript)


def _started(
    arguments: Sequence[str], environment: Mapping[str, str], cwd: Path | None
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(arguments),
            env=dict(environment),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except (OSError, ValueError) as error:
        raise ExecutionError(_why_not(arguments[0], cwd, error)) from error


def _why_not(program: str, cwd: Path | None, error: OSError | ValueError) -> str:
    if cwd is not None and not cwd.is_dir():
        return f"the command cannot run in {str(cwd)!r}: there is no such folder"
    if isinstance(error, FileNotFoundError) and (cwd or Path()).joinpath(program).exists():
        return f"the program {program!r} cannot be run: what its first line #!… names is missing"
    if isinstance(error, FileNotFoundError):
        return f"the program {program!r} was not found; expected a path or a name on PATH"
    if isinstance(error, PermissionError):
        return f"the program {program!r} may not be run: is it executable (chmod +x)?"
    if isinstance(error, OSError):
        hint = " (is its first line #!… missing?)" if error.errno == errno.ENOEXEC else ""
        return f"the program {program!r} cannot be run: {error.strerror}{hint}"
    return f"the program {program!r} cannot be run with these values: {error}"


def _listen(process: subprocess.Popen[bytes], transcript: Transcript) -> None:
    """Pass on both streams until they are closed, or the program has ended.

    A process that it left in the background may hold the streams open for ever.
    """
    with selectors.DefaultSelector() as events, _end_of(process) as ended:
        streams = {"out": (process.stdout, sys.stdout), "err": (process.stderr, sys.stderr)}
        for name, (source, sink) in streams.items():
            assert source is not None
            os.set_blocking(source.fileno(), False)
            events.register(source, selectors.EVENT_READ, _Pump(name, source, sink, transcript))
        if ended is not None:
            events.register(ended, selectors.EVENT_READ)
        over = False
        while not over and any(key.data for key in events.get_map().values()):
            ready = events.select(None if ended is not None else _LOOK)
            over = process.poll() is not None
            for key in [key for key, _ in ready if key.data and not key.data.pass_on()]:
                events.unregister(key.fileobj)
        for key in [key for key in events.get_map().values() if key.data]:
            key.data.pass_on()


class _Pump:
    """Passes on what one stream holds."""

    def __init__(
        self, name: str, source: IO[bytes], sink: TextIO | None, transcript: Transcript
    ) -> None:
        self._name, self._source, self._sink, self._transcript = name, source, sink, transcript
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def pass_on(self) -> bool:
        """Read what there is now, more than a pipe holds; False when the stream has ended."""
        for _ in range(64):
            try:
                chunk = os.read(self._source.fileno(), 65536)
            except BlockingIOError:
                break
            text = self._decoder.decode(chunk, final=not chunk)
            self._transcript.add(text, self._name)
            self._log(text)
            if not chunk:
                return False
        return True

    def _log(self, text: str) -> None:
        try:
            if self._sink is not None:
                self._sink.write(text)
                self._sink.flush()
        except OSError:
            self._sink = None  # the disk is full: the result matters more than the log


@contextmanager
def _end_of(process: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """A descriptor that becomes readable when the process ends, where the system has such."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _outliving_the_request_to_end() -> Iterator[None]:
    """In a worker, leave SIGTERM to the program, which got it too, and hear it out.

    Without us its output would break, in the very seconds it was given to end cleanly. A handler,
    other than ignoring the signal, is not passed on to the program.
    """
    if workplace() is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        yield
    finally:
        with suppress(ValueError):
            signal.signal(signal.SIGTERM, before)
