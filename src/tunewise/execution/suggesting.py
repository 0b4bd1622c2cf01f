"""What a training is told that asks for the value of a parameter."""

from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from tunewise.errors import OtherRange, SpaceError
from tunewise.space import Parameter
from tunewise.space.description import parameter_of
from tunewise.space.parameter import Value
from tunewise.study.define_by_run.found import note_found, note_unused, read

if TYPE_CHECKING:
    from tunewise.execution.running_trial import RunningTrial


def value_of(trial: "RunningTrial", asked: Parameter) -> Value:
    """The value of a parameter in a trial's config; a new one gets a value by the study's seed.

    Raises:
        SpaceError: The space has another range, or lacks the parameter and does not grow.
    """
    known = {} if trial.context is None else trial.context.parameters
    if trial.context is not None:
        trial.context.asked.add(asked.name)
    if asked.name in known:
        discovered = trial.context is not None and trial.context.discovers
        _refuse_other_range(asked, parameter_of(known[asked.name]), discovered)
    discovers = trial.context is not None and trial.context.discovers
    if asked.name in trial.config and (asked.name in known or not discovers):
        return asked.check(trial.config[asked.name])
    if trial.context is None or not discovers:
        raise SpaceError(
            f"{asked.name!r} is not in the config {trial.config}: add it to the Space, or make the"
            " Problem without one; then parameters are found while trials run"
        )
    return _found(trial, asked, trial.context.seed)


def _found(trial: "RunningTrial", asked: Parameter, seed: int) -> Value:
    from tunewise.execution.worker import workplace

    place = workplace()
    if place is None or place.folder is None:
        raise SpaceError(
            f"{asked.name!r} is not in the space, which grows only where trials run in processes"
            " of this machine: run one trial there first"
        )
    before = read(place.folder)
    if asked.name in before.values:
        return before.values[asked.name]
    if asked.name in trial.config:  # somebody enqueued it
        value = asked.check(trial.config[asked.name])
    else:
        rng = np.random.default_rng([seed, trial.number, crc32(asked.name.encode())])
        value = asked.draw(rng.random(1))[0]
    note_found(place.folder, asked, value)
    return value


def leave_unused(trial: "RunningTrial", asked: set[str]) -> None:
    """Note which parameters of its config a training has done without."""
    from tunewise.execution.worker import workplace

    place, unused = workplace(), [name for name in trial.config if name not in asked]
    if unused and place is not None and place.folder is not None:
        note_unused(place.folder, unused)


def _refuse_other_range(asked: Parameter, known: Parameter, discovered: bool) -> None:
    """A parameter has one range: values drawn from two say nothing of each other.

    In a space that was given, a parameter of the same values may be of another kind.
    """
    if (discovered and _described(asked) != _described(known)) or not _alike(asked, known):
        where = "was before from" if discovered else "is in the space from"
        raise OtherRange(
            f"{asked.name!r} is asked for from {asked.range}, and {where} {known.range}: expected"
            " one range for all trials"
        )


def _described(parameter: Parameter) -> dict[str, Any]:
    beside = ("when", "prior", "confidence")
    return {key: said for key, said in parameter.describe().items() if key not in beside}


def _alike(asked: Parameter, known: Parameter) -> bool:
    """Whether two parameters have the same ends, or the same values where one lists its own."""
    a, b = asked.describe(), known.describe()
    if "low" in a and "low" in b:
        return bool(a["low"] == b["low"] and a["high"] == b["high"])
    if "low" in a or "low" in b:  # which of its values it gets is checked one by one
        return True
    return sorted(map(repr, asked.values())) == sorted(map(repr, known.values()))
