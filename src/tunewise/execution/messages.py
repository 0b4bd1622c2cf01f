"""What worker, supervisor and study tell each other about a running trial: lines of JSON.

`{"started": [supervisor, worker]}` are the pids, `{"report": {"metrics": ..., "fraction": ...}}` is
news on the way, `{"outcome": ...}` the end.
"""

import json
import os
from typing import Any

from tunewise.errors import MeasurementError
from tunewise.history import Outcome, outcome_as_json, outcome_from_json
from tunewise.study.executor import Report

_LONGEST = 16_000_000
"""Bytes of a line that is not at its end: no message is longer."""


def started(supervisor: int, worker: int) -> bytes:
    """The line that tells which processes serve a trial."""
    return _line({"started": [supervisor, worker]})


def reported(report: Report) -> bytes:
    """The line of a report."""
    return _line({"report": {"metrics": report.metrics, "fraction": report.fraction}})


def ended(outcome: Outcome) -> bytes:
    """The line of an outcome."""
    return _line({"outcome": outcome_as_json(outcome)})


def read(line: bytes) -> tuple[int, int] | Report | Outcome | None:
    """What a line says: pids, a report or an outcome; None where it is none of ours."""
    try:
        said = json.loads(line)
        if "outcome" in said:
            return outcome_from_json(said["outcome"])
        if "report" in said:
            return Report(said["report"]["metrics"], said["report"]["fraction"])
        supervisor, worker = said["started"]
        return int(supervisor), int(worker)
    except (ValueError, KeyError, TypeError, MeasurementError):
        return None


def write(descriptor: int, line: bytes) -> None:
    """All of a line."""
    while line:
        line = line[os.write(descriptor, line) :]


class Lines:
    """Whole lines out of pieces of bytes."""

    def __init__(self) -> None:
        """Nothing was read yet."""
        self._rest = b""

    def add(self, piece: bytes) -> list[bytes]:
        """The lines that the piece completes."""
        *whole, rest = (self._rest + piece).split(b"\n")
        self._rest = rest if len(rest) <= _LONGEST else b""
        return whole


def _line(said: dict[str, Any]) -> bytes:
    return json.dumps(said).encode() + b"\n"
