"""Machines whose names tell nothing, but whose cores and memory are parameters of the space."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tunewise.space import Choice, Config, Parameter
from tunewise.space.cloud.machine import Machine

CORES = ("vcpus", "vcpu", "cpus", "cpu_count", "cores")
"""Parameters of these names say how many virtual cores one machine has."""
MEMORY = ("memory", "memory_gb", "memory_gib", "mem", "ram")
"""Parameters of these names say how many GiB one machine has."""


def stated(
    parameters: Sequence[Parameter], configs: Sequence[Config]
) -> tuple[list[Machine], list[Parameter]]:
    """The machine that each config states, and what states it; nothing where cores are not stated.

    Machines are of one family where they have as much memory per core, and are alike in all else
    that comes with the name of a machine, such as its kind of disk.
    """
    cores = _column(CORES, parameters, configs)
    if cores is None or len({config[cores.name] for config in configs}) == 1:
        return [], []
    memory = _column(MEMORY, parameters, configs)
    sizes = [p for p in (cores, memory) if p is not None]
    names = [p for p in parameters if isinstance(p, Choice) and _names(p, cores, configs)]
    kinds = [
        p
        for p in parameters
        if p not in sizes and p not in names and any(_follows(p, name, configs) for name in names)
    ]
    machines = [_machine(c, cores, memory, kinds) for c in configs]
    return machines, [*sizes, *names]


def _machine(
    config: Config, cores: Parameter, memory: Parameter | None, kinds: Sequence[Parameter]
) -> Machine:
    vcpus = float(config[cores.name])
    gib = None if memory is None else float(config[memory.name])
    per_core = None if gib is None else round(float(np.log2(gib / vcpus)))
    return Machine(repr((per_core, *(config[p.name] for p in kinds))), vcpus, gib)


def _column(
    names: Sequence[str], parameters: Sequence[Parameter], configs: Sequence[Config]
) -> Parameter | None:
    """The parameter of one of these names whose values are all positive numbers."""
    for parameter in parameters:
        values: list[Any] = [config.get(parameter.name) for config in configs]
        if parameter.name in names and all(is_number(v) and v > 0 for v in values):
            return parameter
    return None


def is_number(value: object) -> bool:
    """Whether a value can be counted with."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _names(parameter: Parameter, cores: Parameter, configs: Sequence[Config]) -> bool:
    """Whether a choice names machines: it tells their cores, and some configs share one."""
    shared = len({config.get(parameter.name) for config in configs}) < len(configs)
    return shared and _follows(cores, parameter, configs)


def _follows(parameter: Parameter, name: Parameter, configs: Sequence[Config]) -> bool:
    """Whether the values of a parameter follow from those of another."""
    pairs = {(config.get(name.name), config.get(parameter.name)) for config in configs}
    return len(pairs) == len({value for value, _ in pairs})
