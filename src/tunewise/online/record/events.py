"""What happens to a training, as a store keeps it: each event is a frozen value and a dict."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from tunewise.errors import StorageError
from tunewise.execution.training.reconfigurable import Iteration
from tunewise.space import Config


@dataclass(frozen=True)
class Reported:
    """An iteration came to its end; `earlier` where the setting of before had begun it."""

    iteration: Iteration
    earlier: bool = False


@dataclass(frozen=True)
class Decided:
    """The tuner decided.

    Attributes:
        setting: To go on with.
        iterations: Of it, after which to think again.
        why: In a few words.
        left: Seconds that were then believed to be left, with their deviation.
        raw: The same by the belief alone, before earlier forecasts had a say.
        grant: Seconds that a try may cost until it is cut, with the switch to it.
        usual: Seconds in which the best setting known does what one of its iterations does.
    """

    setting: Config
    iterations: int
    why: str = ""
    left: tuple[float, float] | None = None
    raw: float | None = None
    grant: float = math.inf
    usual: float = 0.0


@dataclass(frozen=True)
class Switched:
    """A switch was made.

    Attributes:
        kinds: What kind of change it was.
        seconds: In which training stood still.
        idle: Seconds more that it cost: those that its last iterations took because no others
            began beside them, and those of iterations that have to be done again.
    """

    kinds: frozenset[str]
    seconds: float
    idle: float = 0.0


@dataclass(frozen=True)
class Started:
    """The next iteration is the first since something was started: a loader, or a process.

    Attributes:
        seconds: Of the start, which are part of what the last switch cost.
        expected: Seconds of the starts to come, one for each switch; None where nothing is known.
    """

    seconds: float = 0.0
    expected: float | None = None


@dataclass(frozen=True)
class Refused:
    """The job could not go over to the setting that was decided for, and stayed."""

    why: str


@dataclass(frozen=True)
class Saved:
    """The training has a checkpoint of this moment."""


@dataclass(frozen=True)
class Resumed:
    """The training went on after a crash, from its last checkpoint.

    Attributes:
        samples: From which it counts on: those of the checkpoint, 0 where there is none. None in
            older stores, where the count stayed as it was as long as there was no checkpoint.
    """

    samples: float | None = None


@dataclass(frozen=True)
class Due:
    """From here on the training must be done by so many seconds, or whenever it is."""

    seconds: float | None


Event: TypeAlias = Reported | Decided | Switched | Started | Refused | Saved | Resumed | Due


def encoded(event: Event) -> dict[str, Any]:
    """An event as JSON can hold it."""
    if isinstance(event, Reported):
        told = event.iteration
        loss = None if math.isnan(told.loss) else told.loss
        row = [loss, told.seconds, told.samples]
        return {"earlier": row} if event.earlier else {"reported": row}
    if isinstance(event, Decided):
        left = None if event.left is None or not all(map(math.isfinite, event.left)) else event.left
        return {
            "decided": dict(event.setting),
            "iterations": event.iterations,
            "why": event.why,
            "left": None if left is None else list(left),
            "raw": event.raw,
            "grant": event.grant if math.isfinite(event.grant) else None,
            "usual": event.usual,
        }
    if isinstance(event, Switched):
        return {"switched": event.seconds, "kinds": sorted(event.kinds), "idle": event.idle}
    if isinstance(event, Started):
        return {"started": event.seconds, "expected": event.expected}
    if isinstance(event, Refused):
        return {"refused": event.why}
    if isinstance(event, Due):
        return {"due": event.seconds}
    if isinstance(event, Resumed):
        return {"resumed": True if event.samples is None else event.samples}
    return {"saved": True}


def decoded(kept: Mapping[str, Any]) -> Event:
    """The event that was kept."""
    try:
        for name in ("reported", "earlier"):
            if name in kept:
                loss, seconds, samples = kept[name]
                number = math.nan if loss is None else float(loss)
                iteration = Iteration(number, float(seconds), float(samples))
                return Reported(iteration, name == "earlier")
        if "decided" in kept:
            left = kept["left"]
            believed = None if left is None else (float(left[0]), float(left[1]))
            setting, why = dict(kept["decided"]), str(kept["why"])
            raw = None if kept.get("raw") is None else float(kept["raw"])
            grant = math.inf if kept.get("grant") is None else float(kept["grant"])
            usual = float(kept.get("usual", 0.0))  # older stores have none
            return Decided(setting, int(kept["iterations"]), why, believed, raw, grant, usual)
        if "switched" in kept:
            kinds = frozenset(map(str, kept["kinds"]))
            return Switched(kinds, float(kept["switched"]), float(kept["idle"]))
        if "started" in kept:
            coming = kept["expected"]
            return Started(float(kept["started"]), None if coming is None else float(coming))
        if "refused" in kept:
            return Refused(str(kept["refused"]))
        if "due" in kept:
            return Due(None if kept["due"] is None else float(kept["due"]))
        if "saved" in kept:
            return Saved()
        if "resumed" in kept:
            samples = kept["resumed"]
            return Resumed(None if samples is True else float(samples))
        raise ValueError(f"{dict(kept)} is of no known kind")
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise StorageError(
            f"the store holds an event of a training that is none: {error}"
        ) from error
