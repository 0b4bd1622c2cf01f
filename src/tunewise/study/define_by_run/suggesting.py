"""A trial whose training says what may be chosen, by asking for values."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any
from zlib import crc32

import numpy as np

from tunewise.errors import OtherRange, SpaceError
from tunewise.history import Trial
from tunewise.space import Choice, Integer, Parameter, Real
from tunewise.space.description import parameter_of
from tunewise.space.parameter import Value
from tunewise.study.define_by_run.context import TrialContext


@dataclass(frozen=True, eq=False, repr=False)
class SuggestingTrial(Trial):
    """A trial in the hands of a training.

    Attributes:
        context: What it knows of its study, where there is something to know.
    """

    context: TrialContext | None = None

    def suggest_float(
        self, name: str, low: float, high: float, *, step: float | None = None, log: bool = False
    ) -> float:
        """The value of a `Real` in this trial; one that the space lacks is found by this."""
        return float(self._value_of(Real(name, low, high, log, step=step)))

    def suggest_int(
        self, name: str, low: int, high: int, *, step: int = 1, log: bool = False
    ) -> int:
        """The value of an `Integer` in this trial; one that the space lacks is found by this."""
        steps = None if step == 1 else step
        return int(self._value_of(Integer(name, low, high, log, step=steps)))

    def suggest_categorical(self, name: str, choices: Sequence[Any]) -> Any:
        """The value of a `Choice` in this trial; one that the space lacks is found by this."""
        return self._value_of(Choice(name, choices))

    def _value_of(self, asked: Parameter) -> Any:
        """The value of a parameter in the config; a new one gets a value by the study's seed.

        Raises:
            SpaceError: The space has another range, or lacks the parameter and does not grow.
        """
        known = {} if self.context is None else self.context.parameters
        if self.context is not None:
            self.context.asked.add(asked.name)
        discovers = self.context is not None and self.context.discovers
        if asked.name in known:
            _refuse_other_range(asked, parameter_of(known[asked.name]), discovers)
        if asked.name in self.config and (asked.name in known or not discovers):
            return asked.check(self.config[asked.name])
        if self.context is None or not discovers:
            raise SpaceError(
                f"{asked.name!r} is not in the config {self.config}: add it to the Space, or make"
                " the Problem without one; then parameters are found while trials run"
            )
        return self._found(asked, self.context.seed)

    @abstractmethod
    def _found(self, asked: Parameter, seed: int) -> Value:
        """The value of a parameter that the space lacks, noted for the study."""

    def _new_value(self, asked: Parameter, seed: int) -> Value:
        """What the config says, where somebody enqueued it; else drawn."""
        if asked.name in self.config:
            return asked.check(self.config[asked.name])
        rng = np.random.default_rng([seed, self.number, crc32(asked.name.encode())])
        return asked.draw(rng.random(1))[0]

    def __eq__(self, other: object) -> bool:
        """A trial is the same whoever has it in hand."""
        names = [field.name for field in fields(Trial) if field.compare]
        return isinstance(other, Trial) and all(
            getattr(self, name) == getattr(other, name) for name in names
        )

    __hash__ = Trial.__hash__


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
