"""A space that grows by the parameters that trainings ask for."""

from collections.abc import Mapping, Sequence
from typing import Any

from tunewise.space import Choice, Config, Parameter, Space
from tunewise.space.description import parameter_of
from tunewise.study.define_by_run.found import Shown


def grown(space: Space, config: Config, shown: Shown, others: Sequence[Config]) -> Space:
    """The space with what a trial has shown of it.

    A parameter that some trials did without applies only when another one has certain values,
    where one tells all of these trials from those that asked for it. Where none does, it always
    applies, and trials without it teach nothing from then on.

    Args:
        space: As it was.
        config: What the training asked for, with the values that it got.
        shown: How that differs from the config that it was given.
        others: The configs that were measured before.
    """
    parameters = {p.name: p for p in space.parameters}
    configs = [config, *others]
    for new in shown.found.values():
        parameters[new.name] = _applying(new, _condition(space, new.name, configs))
    for name in shown.unused:
        if when := _condition(space, name, configs):
            parameters[name] = _applying(parameters[name], when)
    return Space(*parameters.values()) if parameters else space


def _condition(space: Space, name: str, configs: Sequence[Config]) -> dict[str, list[Any]] | None:
    """The values of one parameter that only configs with the named one have, where one does."""
    with_it = [c for c in configs if name in c]
    without = [c for c in configs if name not in c]
    listed = [p for p in space.parameters if p.size is not None and p.name != name and not p.when]
    for decides in sorted(listed, key=lambda p: not isinstance(p, Choice)):
        if not (with_it and without and all(decides.name in c for c in configs)):
            continue
        having = {c[decides.name] for c in with_it}
        if having.isdisjoint(c[decides.name] for c in without):
            return {decides.name: [v for v in decides.values() if v in having]}
    return None


def _applying(parameter: Parameter, when: Mapping[str, Any] | None) -> Parameter:
    plain = {key: said for key, said in parameter.describe().items() if key != "when"}
    return parameter_of(plain if when is None else {**plain, "when": when})
