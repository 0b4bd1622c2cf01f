"""Runs that were measured already, in a file: a contest that is cut short goes on where it was."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.self_tuning.contest import Told, Tuned, tuned
from benchmarks.self_tuning.jobs import Job
from tunewise.paramserver.setting import Scheme


class Runs:
    """Self-tuned runs, each computed once, and told as it comes."""

    def __init__(self, file: Path | None, scheme: Scheme) -> None:
        """Read what is there; without a file, nothing is kept."""
        self._file, self._scheme = file, scheme
        lines = file.read_text(encoding="utf-8").splitlines() if file and file.exists() else []
        self._known = {tuple(row.pop("run")): row for row in map(json.loads, lines)}

    def get(self, job: Job, manager: str, seed: int, least: float) -> Tuned:
        """One run, of now or of before."""
        run = job.name, manager, seed, self._scheme
        if run in self._known:
            return _read(self._known[run])
        found = tuned(job, manager, seed, self._scheme, least)
        print(f"{job.name} {manager} seed {seed}: {found.seconds:.0f} s", flush=True)
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"run": run, **asdict(found)}) + "\n")
        return found


def _read(row: dict[str, Any]) -> Tuned:
    return Tuned(**{**row, "told": [Told(**each) for each in row["told"]]})
