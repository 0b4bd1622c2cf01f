"""A group of processes of PyTorch under `torchrun`, started again for each setting.

`workers` processes, each with `threads`, train one model with DistributedDataParallel; they keep a
checkpoint and end when they are told of another setting, and a new group goes on from it. The
script that they run trains with `tunewise.online.torchrun.replica.Replica`.
"""

import logging
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tunewise.errors import ExecutionError
from tunewise.execution.training.command import SETTING, CommandJob
from tunewise.execution.training.reconfigurable import Iteration
from tunewise.online.torchrun.nodes import STARTED, Nodes, tell
from tunewise.online.until import FEW
from tunewise.space import Config

CHECKPOINT = "TUNEWISE_CHECKPOINT"
"""The environment variable that names the file of the group's checkpoint."""

_PATIENCE = 60.0
"""Seconds that a group has to keep its checkpoint and end."""


class TorchrunJob(CommandJob):
    """Runs a script under torchrun as a training that can be reconfigured."""

    _report = "that Replica.train begins, and reports its iterations"

    def __init__(
        self,
        script: Sequence[str],
        setting: Config,
        folder: Path,
        *,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        nodes: Nodes | None = None,
    ) -> None:
        """Start a group under a setting.

        Args:
            script: The script and its arguments.
            setting: Its `workers` and `threads` are those of the group, 1 where they are not
                named; `accumulation`, `bucket_mb` and `affinity` are read by the processes.
            folder: Keeps the setting's file, the log and the checkpoint.
            environment: More variables for the processes.
            cwd: Where they run.
            nodes: Over which nodes; the others `join`. `workers` are those of each.
        """
        self._script = [str(each) for each in script]
        if not self._script:
            raise ExecutionError("the script is empty; expected such as train.py")
        self._lost = 0
        self._nodes = nodes or Nodes()
        self.restarts: list[float] = []
        kept = {**group_files(folder), **(environment or {})}
        super().__init__([], setting, folder, restart=True, environment=kept, cwd=cwd)

    def _start(self) -> None:
        workers, threads = (group_size(self.setting, name) for name in ("workers", "threads"))
        self._environment["OMP_NUM_THREADS"] = str(threads)
        self._arguments = self._nodes.torchrun(0, {"workers": workers}, self._script)
        super()._start()
        if self._nodes.count > 1:
            tell(self._folder, time.time_ns(), self.setting)

    def stop(self) -> None:
        """End the group, on all of its nodes."""
        super().stop()
        (self._folder / STARTED).unlink(missing_ok=True)

    def run(self, iterations: int) -> list[Iteration]:
        """Listen for so many iterations; fewer where the group lost a process.

        It begins again from its file, and does again what it told of since then.
        """
        told: list[Iteration] = []
        while len(told) < iterations:
            said = self._said(limited=True)
            if said is None:
                self._begin_again()
                break
            if "loss" in said or "samples" in said:
                told.append(self._iteration(said))
                self._lost = 0
        return told

    def _begin_again(self) -> None:
        assert self._process is not None, "a job that runs has been started"
        self._lost += 1
        if self._process.wait() == 0 or self._lost >= FEW:
            raise ExecutionError(self._ended())
        logging.getLogger("tunewise").warning(
            "a process of the group was lost%s: a new group goes on from the last checkpoint",
            self._cause(),
        )
        self._start()
        self._heard = time.perf_counter()
        self.restarts.append(self._still())

    def _cause(self) -> str:
        """What torchrun says of the process that was lost."""
        told = re.findall(r"Signal \d+ \(SIG\w+\)|exitcode\s*:\s*-?\d+", self._logs())
        return f" ({told[-1]})" if told else ""

    def _started_again(self) -> None:
        """Let the group keep its checkpoint and end; then start the next one, and wait for it."""
        assert self._process is not None, "a job that switches has been started"
        self._write()
        self._rest()
        try:
            code = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.stop()
            raise ExecutionError("the group of processes did not end when it was told to") from None
        if code:
            raise ExecutionError(self._ended())
        self._start()
        while self._next().get("setting") != self._number:
            pass


def group_files(folder: Path) -> dict[str, str]:
    """The variables that name a group's checkpoint and its setting's file, for all of its nodes."""
    here = folder.absolute()
    return {CHECKPOINT: str(here / "group.pt"), SETTING: str(here / "setting.json")}


def group_size(setting: Config, name: str) -> int:
    """The `workers` of a group under a setting, or the `threads` of each."""
    count = setting.get(name, 1)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ExecutionError(f"{name} is {count!r}; expected a whole number, 1 or above")
    return count
