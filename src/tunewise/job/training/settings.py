"""Which settings of a job file's space can be, told before anything starts."""

from collections.abc import Iterable
from typing import Any

from tunewise.errors import ExecutionError
from tunewise.format import config
from tunewise.job.diagnostics import Diagnostics
from tunewise.job.training.fields import ParameterServerFields
from tunewise.online.checks import met_at_once
from tunewise.space import Config, Integer, Parameter, Real, Space


def check_settings(
    said: ParameterServerFields, space: Space, first: Config, diagnostics: Diagnostics
) -> None:
    """Note values that it cannot be set to, and then a combination of them that it cannot have.

    All settings of a small space are looked at, of others the first one.
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
        for setting in met_at_once(space, first):
            _check_together(setting, said.machines.nodes if said.on == "simulated" else None)


def check_group(space: Space, diagnostics: Diagnostics) -> None:
    """Note values that no group of processes under torchrun can be started with."""
    from tunewise.online.torchrun.group import group_size

    for parameter in space.parameters:
        for value in _values(parameter) if parameter.name in ("workers", "threads") else ():
            with diagnostics.at("space", parameter.name):
                group_size({parameter.name: value}, parameter.name)


def _values(parameter: Parameter) -> Iterable[Any]:
    """All values of a list, the ends of a range; of fractions one, as none of them will do."""
    if isinstance(parameter, Real):
        return (parameter.low,)
    return (parameter.low, parameter.high) if isinstance(parameter, Integer) else parameter.values()


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
