"""The other side of `tunewise train`: what a command written in Python reads and reports with."""

import json
import os
import sys
from pathlib import Path
from typing import SupportsFloat

from tunewise.errors import ExecutionError
from tunewise.execution.training.command import SETTING
from tunewise.online.reported import scalar
from tunewise.space import Config


class Reader:
    """The setting that a command runs under, as `tunewise train` wrote it.

    ```python
    job = tw.online.Reader()
    for batch in make_loader(job.setting):
        job.report(loss=step(batch), samples=len(batch))
        if job.changed:
            job.switched()      # job.setting is the new one
    ```
    """

    def __init__(self, file: str | Path | None = None) -> None:
        """Read the file that is named, or the one that the environment names."""
        named = file or os.environ.get(SETTING)
        if not named:
            raise ExecutionError(
                f"no setting: {SETTING} is not set; run this command with `tunewise train`"
            )
        self._file = Path(named)
        self._number, self.setting = self._read()

    def _read(self) -> tuple[int, Config]:
        try:
            content = json.loads(self._file.read_text(encoding="utf-8"))
            return int(content["number"]), dict(content["setting"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ExecutionError(f"the setting {self._file} cannot be read: {error}") from error

    @property
    def changed(self) -> bool:
        """Whether there is another setting to go over to."""
        return self._read()[0] != self._number

    def switched(self) -> None:
        """Take the new setting, and say so."""
        self._number, self.setting = self._read()
        self._say({"setting": self._number})

    def report(
        self,
        loss: SupportsFloat | None = None,
        *,
        samples: SupportsFloat | None = None,
        seconds: SupportsFloat | None = None,
    ) -> None:
        """Tell of an iteration."""
        told = {"loss": loss, "samples": samples, "seconds": seconds}
        said: dict[str, object] = {n: scalar(n, v) for n, v in told.items() if v is not None}
        self._say(said or {"samples": 1})

    def saved(self) -> None:
        """Tell that there is a checkpoint of this moment."""
        self._say({"checkpoint": True})

    def _say(self, said: dict[str, object]) -> None:
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
