"""A space that grows by the parameters that trainings ask for."""

from collections.abc import Sequence

from tunewise.space import Config, Parameter, Space
from tunewise.space.condition import applying, condition
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
        parameters[new.name] = applying(new, condition(space.parameters, new.name, configs))
    for name in parameters.keys() & shown.unused:
        if when := condition(space.parameters, name, configs):
            parameters[name] = applying(parameters[name], when)
    for name in [each for each in config if not _applies(parameters[each], config)]:
        # Trials at once, or by chance the first ones, had shown it for fewer values.
        when = condition(space.parameters, name, configs)
        parameters[name] = applying(parameters[name], when)
    return Space(*parameters.values()) if parameters else space


def _applies(parameter: Parameter, config: Config) -> bool:
    return all(config.get(name) in values for name, values in parameter.when.items())
