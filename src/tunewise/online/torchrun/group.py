"""A group of processes of PyTorch under `torchrun`, started again for each setting.

`workers` processes, each with `threads`, train one model with DistributedDataParallel; they keep a
checkpoint and end when they are told of another setting, and a new group goes on from it. The
script that they run trains with `tunewise.online.torchrun.replica.Replica`.
"""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tunewise.errors import ExecutionError
from tunewise.online.command import CommandJob
from tunewise.online.reconfigurable import Iteration
from tunewise.space import Config

CHECKPOINT = "TUNEWISE_CHECKPOINT"
"""The environment variable that names the file of the group's checkpoint."""

_RESTARTS = 2
"""How often torchrun starts a group again that lost a process, before that is an error."""

_PATIENCE = 60.0
"""Seconds that a group has to keep its checkpoint and end."""


class TorchrunJob(CommandJob):
    """Runs a script under torchrun as a training that can be reconfigured."""

    def __init__(
        self,
        script: Sequence[str],
        setting: Config,
        folder: Path,
        *,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        """Start a group under a setting.

        Args:
            script: The script and its arguments.
            setting: Its `workers` and `threads` are those of the group, 1 where they are not
                named; `accumulation` and `bucket_mb` are read by the processes themselves.
            folder: Keeps the setting's file, the log and the checkpoint.
            environment: More variables for the processes.
            cwd: Where they run.
        """
        self._script = [str(each) for each in script]
        if not self._script:
            raise ExecutionError("the script is empty; expected such as train.py")
        kept = {CHECKPOINT: str(folder.absolute() / "group.pt"), **(environment or {})}
        super().__init__([], setting, folder, restart=True, environment=kept, cwd=cwd)

    def _start(self) -> None:
        workers, threads = (_count(self.setting, name) for name in ("workers", "threads"))
        self._environment["OMP_NUM_THREADS"] = str(threads)
        group = [f"--nproc-per-node={workers}", f"--max-restarts={_RESTARTS}"]
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", *group]
        self._arguments = [*torchrun, *self._script]
        super()._start()

    def _started_again(self) -> list[Iteration]:
        """Let the group keep its checkpoint and end; then start the next one, and wait for it."""
        assert self._process is not None, "a job that switches has been started"
        self._write()
        finished = []
        while (said := self._said()) is not None:
            if "loss" in said or "samples" in said:
                finished.append(self._iteration(said))
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
        return finished


def _count(setting: Config, name: str) -> int:
    count = setting.get(name, 1)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ExecutionError(f"{name} is {count!r}; expected a whole number, 1 or above")
    return count
