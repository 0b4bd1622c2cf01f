"""What a trial needs of a Ray cluster: bundles of resources, each on one node."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tunewise.errors import ExecutionError
from tunewise.space import Config

Bundle = dict[str, float]
Resources = Mapping[str, Any] | Callable[[Config], Any] | None
"""Amounts by name, or what gives them (or a list of such, one for each node) for a config."""


def machines(parameter: str = "cluster") -> Callable[[Config], list[Bundle]]:
    """Whole machines, as a `Cluster` parameter says: `t2.small:4` is four of type `t2.small`.

    A Ray node stands for a machine of a type when it has one unit of a resource of that name, as
    `ray start --resources '{"t2.small": 1}'` gives it.
    """

    def wanted(config: Config) -> list[Bundle]:
        vm, colon, count = str(config.get(parameter, "")).rpartition(":")
        if not colon or not count.isdigit():
            raise ExecutionError(
                f"the parameter {parameter!r} is {config.get(parameter)!r}; expected machines, such"
                " as 't2.small:4'"
            )
        return [{vm: 1.0}] * int(count)

    return wanted


def bundles(resources: Resources, config: Config) -> list[Bundle]:
    """What the trial of a config needs, a bundle for each node.

    Raises:
        ExecutionError: An amount is not one, in a sentence.
    """
    said = resources(config) if callable(resources) else resources
    if said is None:
        return [{"CPU": 1.0}]
    listed = [said] if isinstance(said, Mapping) else said
    if not isinstance(listed, Sequence) or isinstance(listed, str) or not listed:
        raise ExecutionError(
            f"the resources are {said!r}; expected amounts by name, such as {{'CPU': 2}}"
        )
    return [_bundle(each, config) for each in listed]


def _bundle(said: Any, config: Config) -> Bundle:
    if not isinstance(said, Mapping):
        raise ExecutionError(
            f"the resources are {said!r}; expected amounts by name, such as {{'CPU': 2}}"
        )
    return {str(name): _amount(str(name), value, config) for name, value in said.items()}


def _amount(name: str, value: Any, config: Config) -> float:
    """A number, or the value of the parameter that has this name."""
    found: Any = config.get(value) if isinstance(value, str) else value
    number = isinstance(found, int | float) and not isinstance(found, bool)
    if number and 0 <= found < math.inf:
        return float(found)
    raise ExecutionError(
        f"the resource {name!r} is {value!r}; expected a number, 0 or above, or a parameter whose"
        " value is one"
    )


def lacking(wanted: Sequence[Bundle], there: Mapping[str, float]) -> str | None:
    """What the whole cluster has too little of, as a sentence; None where it has enough."""
    for name in dict.fromkeys(name for bundle in wanted for name in bundle):
        needed = math.fsum(bundle.get(name, 0.0) for bundle in wanted)
        if needed > there.get(name, 0.0) + 1e-9:
            return f"the trial needs {needed:g} {name}, the cluster has {there.get(name, 0.0):g}"
    return None


def task_options(bundle: Bundle) -> dict[str, Any]:
    """The bundle in the words of Ray's options for a task."""
    others = {k: v for k, v in bundle.items() if k not in ("CPU", "GPU", "memory") and v}
    options: dict[str, Any] = {"num_cpus": bundle.get("CPU", 0.0), "resources": others}
    if bundle.get("GPU"):
        options["num_gpus"] = bundle["GPU"]
    if bundle.get("memory"):
        options["memory"] = bundle["memory"]
    return options
