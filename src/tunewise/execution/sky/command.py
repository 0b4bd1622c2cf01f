"""SkyPilot, talked to by its command: it lives in an environment of its own."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress

from tunewise.errors import ExecutionError

_PREFIX = re.compile(r"^\((?:[^()]*,\s)?(?:rank=\d+,\s)?pid=\d+(?:,\sip=[^)]*)?\)\s?")
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_GONE = re.compile(r"not found|does not exist|no such cluster", re.IGNORECASE)
_DOWN_SECONDS = 600.0
"""How long tearing a cluster down may take before it is tried again."""

_TRIES = 3


class Sky:
    """The command `sky`."""

    def __init__(self, command: str = "sky", pause: float = 2.0) -> None:
        """As a person types it: a name, a path, or words such as `env HOME=/x sky`."""
        self.words = _words(command)
        self._pause = pause

    def check(self) -> None:
        """Refuse a command that is not on this machine."""
        if shutil.which(self.words[0]) is None:
            raise ExecutionError(
                f"the program {self.words[0]!r} was not found: SkyPilot needs an environment of its"
                " own; install it there, and say where its command is: sky: /path/to/bin/sky"
            )

    def launch(self, cluster: str, file: str) -> "subprocess.Popen[bytes]":
        """Start a cluster and run the task on it; what it prints comes by standard output.

        Should this machine be lost, SkyPilot tears the cluster down when it has been idle.
        """
        words = ["launch", "-y", "-c", cluster, "-i", "10", "--down", file]
        return subprocess.Popen(
            [*self.words, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def down(self, cluster: str, said: Callable[[str], None] = lambda line: None) -> bool:
        """Tear a cluster down; whether it is gone."""
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(self._pause * attempt)
            code, text = self._run(["down", "-y", cluster], _DOWN_SECONDS)
            said(f"sky down {cluster}: exit code {code}\n{text}")
            if code == 0 or _GONE.search(text):
                return True
        return False

    def is_up(self, cluster: str) -> bool:
        """Whether the cloud still has the cluster, by SkyPilot's word; True when nobody knows."""
        code, text = self._run(["status", "--refresh", cluster], 120.0)
        return code != 0 or re.search(r"\bUP\b", text) is not None

    def _run(self, words: list[str], seconds: float) -> tuple[int, str]:
        try:
            done = subprocess.run(
                [*self.words, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                start_new_session=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return 124, f"no answer after {seconds:g} s"
        except OSError as error:
            return 127, str(error)
        return done.returncode, done.stdout.decode(errors="replace")


def plain(line: str) -> str:
    """A line of a job, without what SkyPilot puts before it."""
    return _PREFIX.sub("", _COLOUR.sub("", line))


def end(process: "subprocess.Popen[bytes]", grace: float) -> None:
    """End a command and all that it started: asked first, then killed."""
    for number, seconds in ((signal.SIGINT, grace), (signal.SIGKILL, 10.0)):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)
            return


def _words(command: str) -> list[str]:
    if not isinstance(command, str):
        raise ExecutionError(f"the command of SkyPilot is {command!r}; expected it as a text")
    try:
        words = shlex.split(command)
    except ValueError as error:  # a quote that is not closed
        expected = f"expected it as a shell reads it ({error})"
        raise ExecutionError(f"the command of SkyPilot is {command!r}; {expected}") from None
    if not words:
        raise ExecutionError(f"the command of SkyPilot is {command!r}; expected one")
    return words
