"""A training that is any command: it reads its setting from a file and reports in JSON lines.

The file that `TUNEWISE_SETTING` names holds `{"number": 3, "setting": {…}}`. Each iteration the
command prints `{"loss": 0.41, "samples": 64}`, with `"seconds"` where it knows better than the
clock. When the number in the file has changed it goes over to that setting and prints
`{"setting": 3}`. One that cannot is ended and started again for each change (`restart`).
`{"checkpoint": true}` says that it could go on from here after a crash; what it keeps, and where,
is its own affair.
"""

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError, MeasurementError
from tunewise.online.reconfigurable import Iteration, Switch
from tunewise.space import Config

SETTING = "TUNEWISE_SETTING"
"""The environment variable that names the setting's file."""

_PATIENCE = 10.0
"""Seconds that a command has to end when it is asked to."""

_UNANSWERED, _IGNORED = 60.0, 100
"""Seconds, and iterations, after which a command that goes on without a word about its new setting
does not know that it has to say one: it looks at the setting's file after each iteration."""

_LINES = 20
"""Last lines of output that are shown where a command fails."""


class CommandJob:
    """Runs a command as a training that can be reconfigured."""

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
        """Start it under a setting; `folder` keeps the setting's file and the command's log."""
        self._arguments, self._restart, self._cwd = list(arguments), restart, cwd
        self._folder = folder.absolute()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._file = self._folder / "setting.json"
        named = {SETTING: str(self._file), "PYTHONUNBUFFERED": "1"}
        self._environment = {**os.environ, **(environment or {}), **named}
        self.setting, self._number = dict(setting), 0
        self.checkpoints = 0
        self._process: subprocess.Popen[str] | None = None
        self._last_lines: list[str] = []
        self._heard = time.perf_counter()
        self._lines: queue.Queue[tuple[float, str] | None] = queue.Queue()
        self._mark = time.perf_counter()
        self._start()

    def _start(self) -> None:
        self._write()
        log = (self._folder / "stderr.log").open("a", encoding="utf-8")
        self._logged = log.tell()
        try:
            self._process = subprocess.Popen(
                self._arguments,
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
        self._lines = queue.Queue()
        listener = threading.Thread(target=_listen, args=(self._process, self._lines), daemon=True)
        listener.start()

    def _write(self) -> None:
        passing = self._file.with_suffix(".part")
        content = {"number": self._number, "setting": self.setting}
        passing.write_text(json.dumps(content), encoding="utf-8")
        passing.replace(self._file)

    def run(self, iterations: int) -> list[Iteration]:
        """Listen for so many iterations; fewer only where the command has come to its end."""
        told: list[Iteration] = []
        while len(told) < iterations:
            said = self._next()
            if "loss" in said or "samples" in said:
                told.append(self._iteration(said))
        return told

    def _next(self) -> dict[str, Any]:
        """The next JSON object of the output; the command may not end before it."""
        if (said := self._said()) is None:
            raise ExecutionError(self._ended())
        return said

    def _said(self) -> dict[str, Any] | None:
        """The next JSON object of the output, None at its end; other lines are passed over."""
        while (line := self._lines.get()) is not None:
            self._heard, text = line
            self._last_lines = [*self._last_lines[-_LINES:], text.rstrip()]
            with suppress(ValueError):
                said = json.loads(text)
                if isinstance(said, dict):
                    self.checkpoints += bool(said.get("checkpoint"))
                    return said
        return None

    def _ended(self) -> str:
        assert self._process is not None
        code = self._process.wait()
        log = (self._folder / "stderr.log").read_bytes()[self._logged :].decode(errors="replace")
        last = "\n".join((log.splitlines() or self._last_lines)[-_LINES:])
        return f"the command ended with code {code} before the training was done:\n{last}"

    def _iteration(self, said: dict[str, Any]) -> Iteration:
        elapsed, self._mark = self._heard - self._mark, self._heard
        try:
            loss = float(said["loss"]) if said.get("loss") is not None else float("nan")
            seconds = float(said.get("seconds", elapsed))
            return Iteration(loss, seconds, float(said.get("samples", 1.0)))
        except (TypeError, ValueError) as error:
            raise MeasurementError(f"the command reported {said}; expected numbers") from error

    def switch(self, setting: Config) -> Switch:
        """Tell the command of another setting, or start it again with that."""
        kinds = frozenset(name for name in setting if setting[name] != self.setting.get(name))
        if not kinds:
            return Switch(kinds, 0.0)
        before = self.setting
        if self._process is not None and self._process.poll() is not None:
            return self._after_its_end(kinds, setting)
        self.setting, self._number = dict(setting), self._number + 1
        try:
            finished = self._started_again() if self._restart else self._told()
        except ExecutionError:
            self.setting, self._number = before, self._number + 1
            self._start()  # goes on from its own checkpoint, under the setting of before
            raise
        # From its last iteration on until it had gone over, it stood still.
        stood, self._mark = self._heard - self._mark, self._heard
        return Switch(kinds, max(stood, 0.0), tuple(finished))

    def _after_its_end(self, kinds: frozenset[str], setting: Config) -> Switch:
        """Start a command that has failed again, under another setting."""
        assert self._process is not None, "a command that has ended was started"
        if self._process.returncode == 0:  # it did all that it had to do
            raise ExecutionError(self._ended())
        self.setting, self._number = dict(setting), self._number + 1
        self._start()
        self._heard = time.perf_counter()
        stood, self._mark = self._heard - self._mark, self._heard
        return Switch(kinds, stood)

    def _told(self) -> list[Iteration]:
        """Write the file and listen until the command has gone over to it."""
        self._write()
        finished: list[Iteration] = []
        asked = time.perf_counter()
        while True:
            said = self._next()
            if said.get("setting") == self._number:
                return finished
            if "loss" in said or "samples" in said:
                finished.append(self._iteration(said))
            if len(finished) >= _IGNORED and self._heard - asked >= _UNANSWERED:
                self.stop()
                raise MeasurementError(
                    f"the command has reported {len(finished)} iterations since its setting"
                    f' changed, without {{"setting": {self._number}}}; expected it to print that'
                    " once it has gone over to the new setting, or restart: true in its job file"
                )

    def _started_again(self) -> list[Iteration]:
        """End the command, which keeps its checkpoint, and start it with the new setting."""
        self.stop()
        self._start()
        self._heard = time.perf_counter()
        return []

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
        _signal(process.pid, signal.SIGTERM)
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            _signal(process.pid, signal.SIGKILL)
            process.wait()


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
