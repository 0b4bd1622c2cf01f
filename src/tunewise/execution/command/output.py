"""Metrics from what a command wrote: JSON objects on lines of their own, or a file."""

import json
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tunewise.errors import MeasurementError, nearest
from tunewise.history import BOOKED, Measurement, numbers_of
from tunewise.study.executor import Report

_PARTS = ("metrics", "snapshots", "deviations", "fraction")
_TAIL, _SHORT = 5, 200
_SNAPSHOTS = 10_000
"""Snapshots of one trial that are kept, the last ones: no training has more."""
_LONGEST = 1_000_000
"""Characters of one line that are looked at: no result is longer, and a log without line ends
must not fill the memory."""


class Transcript:
    """What a command has written so far: its JSON objects and its last lines."""

    def __init__(
        self,
        heard: Callable[[dict[str, Any]], None] = lambda found: None,
        epochs: int | None = None,
    ) -> None:
        """Nothing was written yet; each JSON object is passed on when it comes.

        With so many epochs in a full training, a `step` says at which fraction an object is.
        """
        self._epochs = epochs
        self.last: dict[str, Any] | None = None
        self.passed: deque[dict[str, Any]] = deque(maxlen=_SNAPSHOTS)
        self._heard = heard
        self._tail: deque[str] = deque(maxlen=_TAIL)
        self._rest = {"out": "", "err": ""}

    def add(self, text: str, stream: str = "out") -> None:
        """Take more text of one of the two streams; only `out` may hold results."""
        *lines, rest = (self._rest[stream] + text).split("\n")
        for line in lines:
            self._line(line, stream)
        self._rest[stream] = rest if len(rest) < _LONGEST else rest[-_LONGEST:]

    def close(self) -> None:
        """The last lines may lack a line end."""
        for stream, rest in self._rest.items():
            if rest:
                self._line(rest, stream)
        self._rest = dict.fromkeys(self._rest, "")

    @property
    def tail(self) -> str:
        """The last lines of both streams, for people."""
        return "\n".join(line[-_SHORT:] for line in self._tail)

    def _line(self, line: str, stream: str) -> None:
        shown = line.rstrip().rpartition("\r")[2].strip()
        if shown:
            self._tail.append(shown)
        found = _object(line) if stream == "out" else None
        if found is not None:
            found = after_epochs(found, self._epochs)
            # Only objects with a fraction can be snapshots: others are forgotten for the next one.
            if self.last is not None and "fraction" in self.last:
                self.passed.append(self.last)
            self.last = found
            self._heard(found)


def after_epochs(found: dict[str, Any], epochs: int | None) -> dict[str, Any]:
    """An object with the fraction of its training in place of its step, where epochs count."""
    step = found.get("step")
    if epochs is None or "fraction" in found or isinstance(step, bool):
        return found
    if not isinstance(step, int | float):
        return found
    others = {name: value for name, value in found.items() if name != "step"}
    return {**others, "fraction": step / epochs}


def read_file(text: str, epochs: int | None = None) -> Transcript:
    """The objects in the text of a result file: one for the whole file, or one a line."""
    transcript = Transcript(epochs=epochs)
    whole = _object(text)
    if whole is not None:
        transcript.last = after_epochs(whole, epochs)
    else:
        transcript.add(text)
        transcript.close()
    return transcript


def measurement(transcript: Transcript, fraction: float) -> Measurement | None:
    """What was measured at the fraction; None where there is no result at all.

    The last object is the result, either flat (`{"accuracy": 0.9}`) or in parts (`{"metrics": {},
    "snapshots": {"0.1": {}}, "deviations": {}}`). Objects before it with a smaller `fraction` are
    snapshots; one whose fraction is no number is ignored.
    """
    final = transcript.last
    if final is None:
        return None
    if not math.isclose(reached := _fraction(final, fraction), fraction, rel_tol=1e-3):
        raise MeasurementError(
            f"the last result is at fraction {reached:g}; expected one at {fraction:g}"
        )
    snapshots, odd = {}, {}
    for passed in transcript.passed:
        try:
            at = _fraction(passed, fraction)
        except MeasurementError:  # one line among many: the result is worth more
            odd = {"fraction": repr(passed["fraction"])[:_SHORT]}
            continue
        if at < fraction and not math.isclose(at, fraction, rel_tol=1e-3):
            snapshots[at] = numbers_of(_parts(passed)["metrics"])[0]
    parts = _parts(final)
    own = {_number(s): numbers_of(metrics)[0] for s, metrics in parts["snapshots"].items()}
    found = Measurement.of(
        parts["metrics"], snapshots={**snapshots, **own}, deviations=parts["deviations"]
    )
    return replace(found, ignored={**odd, **found.ignored})


def report_of(found: dict[str, Any], fraction: float) -> Report | None:
    """What an object says on the way to the result, if it does."""
    try:
        at = _fraction(found, fraction) if "fraction" in found else None
        if at is not None and (at >= fraction or math.isclose(at, fraction, rel_tol=1e-3)):
            return None
        metrics, _ = numbers_of(_parts(found)["metrics"])
        spent = {name: metrics[name] for name in BOOKED if name in metrics}
        return Report(metrics, at) if at is not None else Report(spent) if spent else None
    except MeasurementError:
        return None  # the result tells of it, or is refused for it


def _object(text: str) -> dict[str, Any] | None:
    stripped = text.strip()
    if not (stripped.startswith("{") and stripped.endswith("}")):
        return None
    try:
        found = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _parts(found: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(found.get("metrics"), Mapping):
        flat = {name: value for name, value in found.items() if name != "fraction"}
        return {"metrics": flat, "snapshots": {}, "deviations": {}}
    for name, value in found.items():
        if name not in _PARTS:
            raise MeasurementError(
                f"the result has an unknown part {name!r}{nearest(name, _PARTS)}"
            )
        if name != "fraction" and not isinstance(value, Mapping):
            raise MeasurementError(f"the result's {name!r} is {value!r}; expected a mapping")
    return {"snapshots": {}, "deviations": {}, **found}


def _fraction(found: dict[str, Any], default: float) -> float:
    return _number(found.get("fraction", default))


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise MeasurementError(f"fraction {value!r}; expected a number above 0") from error
