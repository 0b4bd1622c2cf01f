"""Which parameters of a config apply: conditions on the values of other parameters."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tunewise.errors import SpaceError, nearest
from tunewise.space.parameter import ABSENT, Config, Parameter, Value

Rows = npt.NDArray[np.int32]  # (n, parameters) positions in the parameters' values, -1 for inactive


class Activity:
    """Tells which parameters are active: all of their conditions hold, on active parameters.

    Attributes:
        order: The parameters, those that decide before those that they decide about.
        conditional: Whether any parameter has a condition.
    """

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        """Refuse conditions on unknown parameters or values, and circles of conditions."""
        self._parameters = tuple(parameters)
        self.conditional = any(p.when for p in parameters)
        known = {p.name: p for p in parameters}
        self._needs = {
            p.name: tuple((name, _decided(p, known, name)) for name in p.when) for p in parameters
        }
        self.order = self._ordered() if self.conditional else self._parameters

    def active(self, parameter: Parameter, config: Config) -> bool:
        """Whether a parameter applies, given those that come before it in `order`."""
        return all(
            name in config and config[name] in values
            for name, values in self._needs[parameter.name]
        )

    def pruned(self, config: Config) -> Config:
        """The config without its inactive parameters; a new dict is expected, and changed."""
        if self.conditional:
            for parameter in self.order:
                if parameter.when and not self.active(parameter, config):
                    config.pop(parameter.name, None)
        return config

    def completed(self, config: Config) -> Config:
        """The config with a middling value for each active parameter that it lacks, and pruned."""
        if not self.conditional:
            return config
        whole: Config = {}
        for p in self.order:
            if self.active(p, whole):
                missing = p.name not in config
                whole[p.name] = p.decode(p.neutral[None])[0] if missing else config[p.name]
        return {p.name: whole[p.name] for p in self._parameters if p.name in whole}

    def combinations(self, most: int) -> Rows | None:
        """All distinct combinations in lexical order, inactive first; None for more than `most`."""
        if any(p.size is None for p in self._parameters):
            return None
        rows = np.full((1, len(self._parameters)), -1, np.int32)
        for parameter in self.order:
            active = self._active_rows(parameter, rows)
            size = int(parameter.size or 1)
            if (~active).sum() + int(active.sum()) * size > most:
                return None
            repeats = np.where(active, size, 1)
            first = np.repeat(np.cumsum(repeats) - repeats, repeats)
            place = np.arange(len(first)) - first
            rows = np.repeat(rows, repeats, axis=0)
            column = self._parameters.index(parameter)
            rows[:, column] = np.where(np.repeat(active, repeats), place, -1)
        return rows[np.lexsort(rows.T[::-1])]

    def _active_rows(self, parameter: Parameter, rows: Rows) -> npt.NDArray[np.bool_]:
        active = np.ones(len(rows), bool)
        for name, values in self._needs[parameter.name]:
            column = next(j for j, p in enumerate(self._parameters) if p.name == name)
            listed = self._parameters[column].values()
            active &= np.isin(rows[:, column], [i for i, v in enumerate(listed) if v in values])
        return active

    def _ordered(self) -> tuple[Parameter, ...]:
        found: list[Parameter] = []
        left = list(self._parameters)
        while left:
            placed = {p.name for p in found}
            ready = [p for p in left if placed.issuperset(p.when)]
            if not ready:
                circle = " and ".join(repr(p.name) for p in left)
                raise SpaceError(
                    f"the conditions of {circle} wait for each other: expected `when` to lead to a"
                    " parameter without one"
                )
            found += ready
            left = [p for p in left if p not in ready]
        return tuple(found)


def said(when: dict[str, tuple[Value, ...]]) -> str:
    """The conditions as the end of a sentence: `optimizer is 'sgd' or 'nesterov'`."""
    return " and ".join(f"{n} is {' or '.join(map(repr, values))}" for n, values in when.items())


def inapplicable(config: Mapping[str, Value], parameter: Parameter) -> SpaceError:
    """What to say of a config with a value for a parameter that does not apply."""
    return SpaceError(
        f"config {dict(config)} has {parameter.name!r}, which applies only when"
        f" {said(parameter.when)}: leave it out"
    )


def key_of(config: Mapping[str, Value], names: Iterable[str]) -> tuple[Any, ...]:
    """The values of a config in order, with a mark where one is absent."""
    return tuple([config.get(name, ABSENT) for name in names])


def _decided(parameter: Parameter, known: dict[str, Parameter], name: str) -> frozenset[Value]:
    """The values of the parameter `name` for which another one is active."""
    if name not in known:
        raise SpaceError(
            f"{parameter.name!r} applies when {name!r} has a value, and there is no such parameter"
            f"{nearest(name, [n for n in known if n != parameter.name])}"
        )
    decides = known[name]
    if decides.size is None:
        raise SpaceError(
            f"{parameter.name!r} applies when {name!r} has a value, but {name!r} is continuous:"
            " expected a Choice, an Ordinal or an Integer to decide"
        )
    try:
        return frozenset(decides.check(value) for value in parameter.when[name])
    except SpaceError as error:
        raise SpaceError(f"the condition of {parameter.name!r}: {error}") from error
