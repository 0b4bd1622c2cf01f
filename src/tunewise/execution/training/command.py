"""A training that is any command: it reads its setting from a file and reports in JSON lines.

The file that `TUNEWISE_SETTING` names holds `{"number": 3, "setting": {…}}`. Each iteration the
command prints `{"loss": 0.41, "samples": 64}`, with `"seconds"` where it knows better than the
clock. When the number in the file has changed it goes over to that setting and prints
`{"setting": 3}`. One that cannot is ended and started again for each change (`restart`).
`{"checkpoint": true}` says that it could go on from here after a crash; what it keeps, and where,
is its own affair.
"""

import json
import logging
import math
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError, MeasurementError
from tunewise.execution.training.reconfigurable import Iteration, StartedAgain, Switch
from tunewise.format import duration
from tunewise.space import Config
from tunewise.study.owner import Owner

SETTING = "TUNEWISE_SETTING"
"""The environment variable that names the setting's file."""

_PATIENCE = 10.0
"""Seconds that a command has to end when it is asked to."""

_LOOK = 0.005
"""Seconds between looks whether it has ended."""

_STARTED = "started.json"
"""The file that says which process started the command of a folder, as long as that runs."""

_UNANSWERED, _IGNORED = 60.0, 100
"""Seconds, and iterations, after which a command that goes on without a word about its new setting
does not know that it has to say one: it looks at the setting's file after each iteration."""

_SILENT, _RARELY = 10.0, 6.0
"""Seconds without a word after which a person is told, and how many times as many until they are
told again."""

_UNUSUAL = 3.0
"""How many times as long as ever before a command may be silent, where that is more."""

_REPORT = 'a line such as {"loss": 0.41, "samples": 64} after each iteration, and flushes it'
"""What is waited for, unless a setting has just changed."""

_WORDS = frozenset({"loss", "samples", "setting", "checkpoint"})
"""What a command may speak of: other lines say nothing of how far it is."""

_LAST_WORDS = 2.0
"""Seconds to wait for the last lines of a command that has ended: what it started may live on, and
hold its output open."""

_LINES = 20
"""Last lines of output that are shown where a command fails."""


class CommandJob:
    """Runs a command as a training that can be reconfigured."""

    _report = f"that the command prints {_REPORT}"

    def __init__(
        self,
        arguments: Sequence[str],
        setting: Config,
        folder: Path,
        *,
        restart: bool = False,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        """Start it under a setting; `folder` keeps the setting's file and the command's log.

        A command that runs there although whoever started it was killed is ended before.
        """
        self._arguments, self._restart, self._cwd = list(arguments), restart, cwd
        self._folder = folder.absolute()
        self._folder.mkdir(parents=True, exist_ok=True)
        end_left(self._folder)
        self._file = self._folder / "setting.json"
        named = {SETTING: str(self._file), "PYTHONUNBUFFERED": "1"}
        self._environment = {**os.environ, **(environment or {}), **named}
        self.setting, self._number = dict(setting), 0
        self.checkpoints = self._reported = self._kept = 0
        self._process: subprocess.Popen[str] | None = None
        self._last_lines: list[str] = []
        self._heard = time.perf_counter()
        self._lines: queue.Queue[tuple[float, str] | None] = queue.Queue()
        self._mark = time.perf_counter()
        self._longest = 0.0
        self.limit, self._cut = math.inf, False
        self._start()

    def _start(self) -> None:
        self._write()
        said = {"by": str(Owner.here()), SETTING: self._environment[SETTING]}
        (self._folder / _STARTED).write_text(json.dumps(said), encoding="utf-8")
        log = (self._folder / "stderr.log").open("a", encoding="utf-8")
        self._logged = log.tell()
        try:
            self._process = subprocess.Popen(
                filled(self._arguments, self.setting),
                env=self._environment,
                cwd=self._cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        except OSError as error:
            raise ExecutionError(
                f"the command {self._arguments[0]!r} cannot be started: {error.strerror or error}"
            ) from error
        finally:
            log.close()
        self._lines, self._cut = queue.Queue(), False
        self._awaited, self._spoken, self._fresh = self._report, False, self._restart
        self._wait_anew(time.perf_counter())
        heard = self._process, self._lines
        self._listener = threading.Thread(target=_listen, args=heard, daemon=True)
        self._listener.start()

    def _write(self) -> None:
        passing = self._file.with_suffix(".part")
        content = {"number": self._number, "setting": self.setting}
        passing.write_text(json.dumps(content), encoding="utf-8")
        passing.replace(self._file)

    def run(self, iterations: int) -> list[Iteration]:
        """Listen for so many iterations; fewer only where the command has come to its end."""
        told: list[Iteration] = []
        while len(told) < iterations:
            said = self._next(limited=True)
            if "loss" in said or "samples" in said:
                told.append(self._iteration(said))
        return told

    def _next(self, limited: bool = False) -> dict[str, Any]:
        """The next JSON object of the output; the command may not end before it."""
        if (said := self._said(limited)) is None:
            raise ExecutionError(self._ended())
        return said

    def _said(self, limited: bool = False) -> dict[str, Any] | None:
        """The next JSON object of the output, None at its end; other lines are passed over.

        `limited` ends a command that goes past its limit, where another start goes on from its
        checkpoint anyway.
        """
        while (line := self._line(limited and self._restart)) is not None:
            self._heard, text = line
            self._last_lines = [*self._last_lines[-_LINES:], text.rstrip()]
            with suppress(ValueError):
                said = json.loads(text)
                if isinstance(said, dict):
                    if not _WORDS.isdisjoint(said):
                        self._longest = max(self._longest, self._heard - self._since)
                        self._spoken = True
                        self._wait_anew(self._heard)
                    if said.get("checkpoint"):
                        self.checkpoints += 1  # with the iteration of its own line
                        self._kept = self._reported + ("loss" in said or "samples" in said)
                    return said
        return None

    def _wait_anew(self, since: float) -> None:
        """Count the seconds without a word from here on."""
        self._since, self._silent = since, max(_SILENT, _UNUSUAL * self._longest)

    def _line(self, limited: bool) -> tuple[float, str] | None:
        """The next line; whoever waits unusually long is told what is waited for."""
        while True:
            speak, cut = self._since + self._silent, math.inf
            if limited:
                cut = self._mark + self.limit
            left = min(speak, cut) - time.perf_counter()
            with suppress(queue.Empty):
                return self._lines.get(timeout=max(left, 0.0))
            if cut < speak:
                self.stop()
                self._cut, self._heard = True, time.perf_counter()
                raise ExecutionError(
                    f"no iteration came to its end within {duration(self.limit)}, which is all"
                    " that a try of it may cost"
                )
            logging.getLogger("tunewise").warning("%s", self._nothing())
            self._silent *= _RARELY

    def _nothing(self) -> str:
        said = f"; the last line was {self._last_lines[-1]!r}" if self._last_lines else ""
        return (
            f"nothing was reported {'for' if self._spoken else 'yet, after'}"
            f" {duration(self._silent)}: expected {self._awaited}{said};"
            f" its stderr is in {self._folder / 'stderr.log'}"
        )

    def _ended(self) -> str:
        assert self._process is not None
        code = self._process.wait()
        last = "\n".join((self._logs().splitlines() or self._last_lines)[-_LINES:])
        return f"the command ended with code {code} before the training was done:\n{last}"

    def _logs(self) -> str:
        """What it wrote to stderr since it started."""
        log = (self._folder / "stderr.log").read_bytes()
        return log[self._logged :].decode(errors="replace")

    def _iteration(self, said: dict[str, Any]) -> Iteration:
        elapsed, self._mark = self._heard - self._mark, self._heard
        starting, self._fresh = self._fresh, False
        self._reported += 1
        # A new command may have spoken while its start was still being noted.
        seconds = _number(said, "seconds", max(elapsed, 0.0))
        loss, samples = _number(said, "loss", math.nan), _number(said, "samples", 1.0)
        if not (0 <= seconds < math.inf and 0 <= samples < math.inf):
            raise MeasurementError(
                f"the command reported {said}; expected finite seconds and samples, not below 0"
            )
        return Iteration(loss, seconds, samples, starting)

    def switch(self, setting: Config) -> Switch:
        """Tell the command of another setting, or start it again with that."""
        kinds = frozenset(name for name in setting if setting[name] != self.setting.get(name))
        if not kinds:
            return Switch(kinds, 0.0)
        before, reported, checkpoints = self.setting, self._reported, self.checkpoints
        self._finished: list[Iteration] = []
        code = None if self._process is None else self._process.poll()
        if code == 0 and not self._cut:  # it did all that it had to do
            raise ExecutionError(self._ended())
        self.setting, self._number = dict(setting), self._number + 1
        try:
            if code is not None:
                self._after_its_end()
            else:
                self._started_again() if self._restart else self._told()
        except ExecutionError as error:
            self.setting, self._number = before, self._number + 1
            self._start()  # goes on from its own checkpoint, under the setting of before
            self._heard = time.perf_counter()
            stood = self._stood(frozenset(), reported, checkpoints)
            raise StartedAgain(str(error), stood) from error
        # However it came to its end: whoever starts again goes on from the last checkpoint.
        again = self._restart or code is not None
        return replace(self._stood(kinds, reported, checkpoints), again=again)

    def _stood(self, kinds: frozenset[str], reported: int, checkpoints: int) -> Switch:
        """A switch: from its last iteration on until it had gone over, the command stood still."""
        kept = self._kept - reported if self.checkpoints > checkpoints else None
        return Switch(kinds, self._still(), tuple(self._finished), kept)

    def _still(self) -> float:
        """Seconds since its last iteration, which are not those of the next one."""
        stood, self._mark = self._heard - self._mark, self._heard
        return max(stood, 0.0)

    @property
    def unkept(self) -> int:
        """Iterations that it told of since its last checkpoint."""
        return self._reported - self._kept

    def _told(self) -> None:
        """Write the file and listen until the command has gone over to it."""
        self._write()
        asked = time.perf_counter()
        self._wait_anew(asked)
        line = f'{{"setting": {self._number}}}'
        self._awaited = f"that the command prints {line} once it has gone over to that setting"
        while True:
            said = self._next()
            if said.get("setting") == self._number:
                self._awaited = self._report
                return
            if "loss" in said or "samples" in said:
                self._finished.append(self._iteration(said))
            if len(self._finished) >= _IGNORED and self._heard - asked >= _UNANSWERED:
                self.stop()
                raise MeasurementError(
                    f"the command has reported {len(self._finished)} iterations since its setting"
                    f' changed, without {{"setting": {self._number}}}; expected it to print that'
                    " once it has gone over to the new setting, or restart: true in its job file"
                )

    def _started_again(self) -> None:
        """End the command, which keeps its checkpoint, and start it with the new setting."""
        self.stop()
        self._after_its_end()

    def _after_its_end(self) -> None:
        """Hear what a command that has ended said last, and start it with the new setting."""
        self._listener.join(_LAST_WORDS)
        self._lines.put(None)
        self._rest()
        self._start()
        self._heard = time.perf_counter()

    def _rest(self) -> None:
        """Listen until the output comes to its end."""
        while (said := self._said()) is not None:
            if "loss" in said or "samples" in said:
                self._finished.append(self._iteration(said))

    def checkpoint(self, folder: Path) -> None:
        """The command keeps its own."""

    def restore(self, folder: Path) -> bool:
        """The command goes on from its own."""
        return True

    def stop(self) -> None:
        """End the command and all that it started."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        over = False
        try:
            _signal(process.pid, signal.SIGTERM)
            over = _ends(process)
        finally:
            if not over:  # or somebody asked again, and has no patience left
                _signal(process.pid, signal.SIGKILL)
        process.wait()
        (self._folder / _STARTED).unlink(missing_ok=True)


def filled(arguments: Sequence[str], setting: Config) -> list[str]:
    """A command with the values of a setting in it, where it names them.

    >>> filled(["train", "--workers={workers}"], {"workers": 2})
    ['train', '--workers=2']
    """
    words = list(arguments)
    for name, value in setting.items():
        words = [word.replace(f"{{{name}}}", str(value)) for word in words]
    return words


def _ends(process: subprocess.Popen[str]) -> bool:
    """Whether it ends in time, and all of its group: a shell ends before what it waits for."""
    from tunewise.execution import process_tree

    limit = time.monotonic() + _PATIENCE
    while process.poll() is None or process_tree.group_lives(process.pid):
        if time.monotonic() > limit:
            return False
        time.sleep(_LOOK)
    return True


def end_left(folder: Path) -> None:
    """End a command that has outlived whoever started it in this folder, and all that it started.

    Its processes are known by the setting's file that their environment names: a process that was
    given the number of an old one is never taken for it.
    """
    try:
        said = json.loads((folder / _STARTED).read_text(encoding="utf-8"))
        by, mark = Owner.parse(said["by"]), f"{SETTING}={said[SETTING]}"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return  # none was started here, or it has been ended
    if by.known_dead:
        from tunewise.execution import process_tree

        process_tree.end_marked(mark, None, grace=_PATIENCE)


def _number(said: dict[str, Any], name: str, otherwise: float) -> float:
    """A number that the command reported, or another where it reported none."""
    value = said.get(name)
    if value is None:
        return otherwise
    with suppress(OverflowError):
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    raise MeasurementError(f"the command reported {said}; expected a number as its {name}")


def _listen(process: subprocess.Popen[str], lines: "queue.Queue[tuple[float, str] | None]") -> None:
    """Note when each line came: whoever reads them may be thinking just then."""
    assert process.stdout is not None, "it was started with a pipe"
    with process.stdout as output:
        for line in output:
            lines.put((time.perf_counter(), line))
    lines.put(None)


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)
