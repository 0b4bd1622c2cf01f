"""Which settings of a job file's space can be, told before anything starts."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tunewise.errors import ExecutionError
from tunewise.format import config
from tunewise.job.diagnostics import Diagnostics
from tunewise.job.training.fields import ParameterServerFields
from tunewise.online.checks import small
from tunewise.space import Config, Integer, Parameter, Real, Space

_DRAWN = 64
"""Settings that are drawn of a large space, beside its ends: what is wrong with a twentieth of all
settings is met by 96 of 100 such draws, and they take no time."""


def looked_at(space: Space, first: Config) -> Iterable[Config]:
    """Every setting of a small space, and of a large one those that tell most.

    These are the first one; with each of its parameters in turn at each end of its range, or at
    each value of its list; the one with all of them at their lower ends, and at their upper ends;
    and some that are drawn. Those that the space leaves out are passed over.
    """
    if small(space):
        return space.configs
    ends = {each.name: _ends(each) for each in space.parameters}
    turns = [{**first, name: value} for name, values in ends.items() for value in values]
    corners = [{name: values[end] for name, values in ends.items()} for end in (0, -1)]
    whole = map(space.activity.completed, [first, *turns, *corners])
    return [each for each in [*whole, *_drawn(space)] if space.allows(each)]


def _drawn(space: Space) -> Iterable[Config]:
    """Some settings, always the same; no more is drawn where conditions leave most of them out."""
    rng = np.random.default_rng(0)
    if space.size is not None:
        return space.at(rng.integers(space.size, size=_DRAWN))
    return space.draw(rng.random((_DRAWN, len(space.parameters))))


def check_settings(
    said: ParameterServerFields, space: Space, first: Config, diagnostics: Diagnostics
) -> None:
    """Note values that it cannot be set to, and then a combination of them that it cannot have.

    All settings of a small space are looked at, of others some.
    """
    from tunewise.paramserver import Setting

    for parameter in space.parameters:
        for value in _values(parameter):
            with diagnostics.at("space", parameter.name):
                workers = {"workers": value} if parameter.name == "group" else {}
                Setting.of({**workers, parameter.name: value})
    if diagnostics.has("space", "default"):
        return
    with diagnostics.at("space"):
        for setting in looked_at(space, first):
            _check_together(setting, said.machines.nodes if said.on == "simulated" else None)


def workers_of(setting: Config) -> int:
    """Iterations by which every worker has told of one; an estimate needs two."""
    return max(int(setting.get("workers", 1)), 2)


def check_group(space: Space, diagnostics: Diagnostics) -> None:
    """Note values that no group of processes under torchrun can be started with."""
    from tunewise.online.torchrun.group import group_size

    for parameter in space.parameters:
        for value in _values(parameter) if parameter.name in ("workers", "threads") else ():
            with diagnostics.at("space", parameter.name):
                group_size({parameter.name: value}, parameter.name)


def _values(parameter: Parameter) -> Iterable[Any]:
    """All values of a list, the ends of a range; of fractions one, as none of them will do."""
    return (parameter.low,) if isinstance(parameter, Real) else _ends(parameter)


def _ends(parameter: Parameter) -> Sequence[Any]:
    """The ends of a range, all values of a list."""
    if isinstance(parameter, Integer | Real):
        return (parameter.low, parameter.high)
    return parameter.values()


def _check_together(chosen: Config, nodes: int | None) -> None:
    """Refuse a setting whose values do not go together, and say how to leave such ones out."""
    from tunewise.paramserver import Setting
    from tunewise.paramserver.setting import check_nodes

    kept = "workers % group == 0" if "workers" in chosen else "group == 1"
    try:
        setting = Setting.of(chosen)
        if nodes is not None:
            counted = [name for name in ("servers", "workers") if name in chosen]
            # What is not chosen is one.
            kept = f"{' + '.join(counted)} <= {nodes - 2 + len(counted)}"
            check_nodes(setting, nodes)
    except ExecutionError as error:
        raise ExecutionError(
            f"{config(chosen)} cannot be: {error}; leave such settings out, as by where: {kept}"
        ) from error
