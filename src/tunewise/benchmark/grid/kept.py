"""The file that keeps what was measured of a grid: a line of JSON for each run.

A line is on the disk before the next run begins, so a collection that is killed goes on where it
was. A line that was cut off by that is measured again. The first line says what is measured:
`{"measured": {"command": ..., "price": ...}}`.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tunewise.benchmark.grid.belonging import Fingerprint, refuse_other
from tunewise.benchmark.grid.plan import Run
from tunewise.errors import MeasurementError
from tunewise.history import Outcome, outcome_as_json, outcome_from_json


class Measured(NamedTuple):
    """A run's outcome, and the seconds that measuring it took in all."""

    outcome: Outcome
    took: float


class Kept:
    """What was measured by now, by run."""

    def __init__(self, path: Path) -> None:
        """Read the file, where there is one."""
        self.path = path
        self._found: dict[str, Measured] = {}
        self._fingerprint: Fingerprint | None = None
        for line in _lines(path):
            try:
                data = json.loads(line)
                if isinstance(said := data.get("measured"), dict):
                    self._fingerprint = said
                    continue
                measured = Measured(outcome_from_json(data["outcome"]), float(data["took"]))
                self._found[_key(data["config"], data["fraction"], data["repeat"])] = measured
            except (ValueError, KeyError, TypeError, AttributeError, MeasurementError):
                continue  # cut off by a kill: this run is measured again
        whole = path.read_bytes() if path.exists() else b""
        self._cut = bool(whole) and not whole.endswith(b"\n")

    def __contains__(self, run: Run) -> bool:
        """Whether the run was measured."""
        return _key(run.config, run.fraction, run.repeat) in self._found

    def __getitem__(self, run: Run) -> Measured:
        """What was measured."""
        return self._found[_key(run.config, run.fraction, run.repeat)]

    def belong_to(self, measured: Fingerprint) -> None:
        """From now on these are measurements of this; those of something else are refused.

        A file that does not say what it has is taken for one of this.
        """
        if self._fingerprint is not None and self._found:
            refuse_other(self.path, self._fingerprint, measured)
        if self._fingerprint != measured:
            self._append({"measured": measured})
            self._fingerprint = measured

    def add(self, run: Run, outcome: Outcome, took: float) -> None:
        """Keep what a run measured, on the disk."""
        self._append(
            {
                "config": run.config,
                "fraction": run.fraction,
                "repeat": run.repeat,
                "took": round(took, 3),
                "outcome": outcome_as_json(outcome),
            }
        )
        self._found[_key(run.config, run.fraction, run.repeat)] = Measured(outcome, took)

    def _append(self, said: dict[str, Any]) -> None:
        line = json.dumps(said)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n" if self._cut else f"{line}\n")
            file.flush()
            os.fsync(file.fileno())
        self._cut = False


def _lines(path: Path) -> Iterator[str]:
    try:
        yield from path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return


def _key(config: dict[str, Any], fraction: float, repeat: int) -> str:
    return json.dumps([config, f"{fraction:.6g}", repeat], sort_keys=True)
