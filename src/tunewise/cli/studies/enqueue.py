"""`tunewise enqueue`: have a config that a person believes in tried next."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunewise.cli.options import Json, Namespace, Storage, StudyName, print_json
from tunewise.errors import SpaceError, StudyError, nearest

if TYPE_CHECKING:
    from tunewise.space import Parameter, Space

LEASE = 60.0


def enqueue(
    study: StudyName,
    values: Annotated[
        list[str],
        typer.Argument(metavar="PARAMETER=VALUE...", help="A value for every parameter."),
    ],
    fraction: Annotated[
        float, typer.Option(metavar="SHARE", help="The share of the training data to use.")
    ] = 1.0,
    storage: Storage = None,
    namespace: Namespace = None,
    json: Json = False,
) -> None:
    """Have a config of your own tried next; what it does not say is drawn."""
    import numpy as np

    from tunewise.cli.studies.stored_study import found
    from tunewise.space.sampling import completed

    with found(storage, study, namespace) as stored:
        space = stored.problem.space
        rng = np.random.default_rng([stored.record.seed, len(stored.history)])
        config = completed(space, config_of(values, space), rng)
        fractions = stored.problem.fractions
        if fraction not in fractions:
            near = min(fractions, key=lambda s: abs(s - fraction))
            raise StudyError(f"fraction {fraction:g} is not one of the problem's; try {near:g}")
        trial = stored.store.add(study, config, fraction, (), None, LEASE)
    if json:
        asked = {"trial": trial.number, "config": trial.config, "fraction": trial.fraction}
        print_json({"study": study, **asked})
    else:
        typer.echo(f"trial {trial.number} waits in study {study!r}: it is run next")


def config_of(values: list[str], space: "Space") -> dict[str, Any]:
    """The config that was written as `name=value` words."""
    parameters = {p.name: p for p in space.parameters}
    config: dict[str, Any] = {}
    for word in values:
        name, equals, text = word.partition("=")
        if not equals:
            raise SpaceError(f"{word!r} gives no value; expected parameter=value")
        if name not in parameters:
            raise SpaceError(f"unknown parameter {name!r}{nearest(name, parameters)}")
        if name in config:
            raise SpaceError(f"{name} is given twice; expected once")
        config[name] = _value(parameters[name], text)
    return config


def _value(parameter: "Parameter", text: str) -> Any:
    """The value that was meant: one of those listed, or a number."""
    from tunewise.format.numbers import read
    from tunewise.space import Integer, Real

    if not isinstance(parameter, Integer | Real):
        named = {str(value): value for value in parameter.values()}
        lowered = {name.lower(): value for name, value in named.items()}
        if text in named or text.lower() in lowered:
            return named.get(text, lowered.get(text.lower()))
    return read(text)
