"""What a config looks like to a model that knows machines: cores and memory, not names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunewise.belief.machines.ensemble import Inputs
from tunewise.belief.machines.stated import is_number, stated
from tunewise.problem import Problem
from tunewise.space import Choice, Cluster, Config, Ordinal, Parameter
from tunewise.space.cloud.machine import Machine
from tunewise.space.parameter import ABSENT
from tunewise.surrogate.normal import TIE, Array

COUNTS = ("vms", "nodes", "machines", "instances", "workers")
"""Parameters of these names say how many machines there are, unless the price leaves no doubt."""

_STEPS = 4.0
"""How many doublings any other number is thought to span."""


@dataclass(frozen=True, eq=False)
class MachineFeatures:
    """A pool of n configs by its machines and its other parameters.

    Attributes:
        inputs: What models of time see.
        cores: (n,) log2 of all virtual cores, centred; zeros where names do not tell them.
        vms: (n,) log2 of the number of machines; zeros where no parameter is one.
        plain: The same configs to who knows nothing of machines: every parameter as it comes.
        machines: (n,) the machine of each config, or nothing where names do not tell.
    """

    inputs: Inputs
    cores: Array
    vms: Array
    plain: Inputs
    machines: tuple[Machine, ...] = ()

    @classmethod
    def of(cls, problem: Problem, configs: Sequence[Config]) -> "MachineFeatures":
        """Look the machines of the configs up, and take every other parameter as it comes."""
        machines, vms, rest = _split(problem, configs)
        numbers, choices = _sizes(machines, vms)
        sloped = tuple(range(min(len(numbers), 3)))
        stepped = (3,) if len(numbers) > 3 else sloped
        inputs = _inputs(rest, configs, numbers, choices, sloped, stepped)
        plain = _inputs(problem.space.parameters, configs, [], [])
        total = vms + _log2([m.vcpus for m in machines]) if machines else vms
        return cls(inputs, total - total.mean(), vms, plain, tuple(machines))


def _inputs(
    parameters: Sequence[Parameter],
    configs: Sequence[Config],
    numbers: list[Array],
    choices: list[NDArray[np.intp]],
    sloped: tuple[int, ...] = (),
    stepped: tuple[int, ...] = (),
) -> Inputs:
    """The numbers and choices so far, and all parameters that differ."""
    for parameter in parameters:
        values = [config.get(parameter.name, ABSENT) for config in configs]
        if len(set(values)) > 1:
            _add(parameter, values, numbers, choices)
    if not numbers and not choices:
        numbers.append(np.zeros(len(configs)))
    columns = np.array(numbers, float).reshape(-1, len(configs)).T
    kinds = np.array(choices, np.intp).reshape(-1, len(configs)).T
    return Inputs(columns - columns.mean(axis=0), kinds, sloped, stepped)


def _split(
    problem: Problem, configs: Sequence[Config]
) -> tuple[list[Machine], Array, list[Parameter]]:
    """The machine of each config, log2 of how many it has (n,), and all other parameters."""
    parameters = problem.space.parameters
    rest, vms = list(parameters), np.zeros(len(configs))
    machines: list[Machine] = []
    for parameter in parameters:
        values: list[Any] = [config.get(parameter.name, ABSENT) for config in configs]
        found = [] if machines else _machines(problem, parameter, values)
        if found:
            machines = [machine for machine, _ in found]
            vms += _log2([count for _, count in found])
            rest.remove(parameter)
        elif all(is_number(v) and v > 0 for v in values) and _counts(problem, parameter, configs):
            vms += _log2(values)
            rest.remove(parameter)
    if not machines:
        machines, known = stated(rest, configs)
        rest = [parameter for parameter in rest if parameter not in known]
    return machines, vms, rest


def _counts(problem: Problem, parameter: Parameter, configs: Sequence[Config]) -> bool:
    """Whether a number says how many machines there are: by the price, or else by its name.

    The price grows about in proportion to it, or at all where the name says so too.
    """
    if problem.price is None:
        return parameter.name in COUNTS
    slopes = _price_slopes(problem, parameter, configs)
    if not slopes:
        return parameter.name in COUNTS
    power = float(np.median(slopes))
    proportional = 0.5 < power < 1.5  # nearer to the first power than to none, or to the square
    return proportional or (parameter.name in COUNTS and power > TIE)


def _price_slopes(
    problem: Problem, parameter: Parameter, configs: Sequence[Config], most: int = 64
) -> list[float]:
    """Powers of the parameter by which prices of configs that differ in nothing else differ."""
    groups: dict[tuple[object, ...], list[Config]] = {}
    for config in configs:
        others = tuple(v for name, v in config.items() if name != parameter.name)
        groups.setdefault(others, []).append(config)
    slopes: list[float] = []
    for group in groups.values():
        low, high = (pick(group, key=lambda c: float(c[parameter.name])) for pick in (min, max))
        times = float(high[parameter.name]) / float(low[parameter.name])
        prices = [problem.hourly(config) for config in (low, high)]
        if times > 1 and min(prices) > 0:
            slopes.append(float(np.log(prices[1] / prices[0]) / np.log(times)))
        if len(slopes) >= most:
            break
    return slopes


def _machines(
    problem: Problem, parameter: Parameter, values: Sequence[object]
) -> list[tuple[Machine, int]]:
    """Machine and count of each value; nothing where one of them is no machine."""
    if ABSENT in values:
        return []
    if isinstance(parameter, Cluster):
        fleets = [parameter.fleet(str(value)) for value in values]
        found = [(Machine.like(fleet.vm), fleet.count) for fleet in fleets]
    elif isinstance(parameter, Choice | Ordinal):
        found = [(Machine.of(value, problem.machines), 1) for value in values]
    else:
        return []
    known = [(machine, count) for machine, count in found if machine is not None]
    return known if len(known) == len(values) else []


def _sizes(machines: list[Machine], vms: Array) -> tuple[list[Array], list[NDArray[np.intp]]]:
    """Size of one machine, all cores, number of machines, all memory; and the family."""
    if not machines:
        return ([vms] if np.ptp(vms) else []), []
    size = _log2([machine.vcpus for machine in machines])
    numbers, families = [size, size + vms, vms], [machine.family for machine in machines]
    if len(set(families)) == 1:
        return numbers, []
    if all(machine.memory for machine in machines):
        numbers.append(_log2([machine.memory or 1.0 for machine in machines]) + vms)
    return numbers, [_codes(families)]


def _add(
    parameter: Parameter,
    values: Sequence[object],
    numbers: list[Array],
    choices: list[NDArray[np.intp]],
) -> None:
    """A parameter of its own: a number, by its logarithm if it has one, or a choice."""
    if isinstance(parameter, Choice | Cluster):
        choices.append(_codes(values))
        return
    column = parameter.encode_present(values)[:, 0]
    if isinstance(parameter, Ordinal) and all(is_number(v) and v > 0 for v in values):  # type: ignore[operator] # a number
        column = _log2(values)
    numbers.append(column * _STEPS / (np.ptp(column) or 1.0))


def _codes(values: Sequence[object]) -> NDArray[np.intp]:
    place = {value: i for i, value in enumerate(dict.fromkeys(values))}
    return np.array([place[value] for value in values], np.intp)


def _log2(values: Sequence[object]) -> Array:
    return np.asarray(np.log2(np.array(values, float)), float)
