"""Configs as people type them: `name=value` words."""

from typing import Any

from tunewise.errors import SpaceError, nearest
from tunewise.format.numbers import read
from tunewise.space.numeric import Integer, Real
from tunewise.space.parameter import Parameter
from tunewise.space.space import Space


def config_of(words: list[str], space: Space) -> dict[str, Any]:
    """The config that was written as `name=value` words."""
    parameters = {p.name: p for p in space.parameters}
    config: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise SpaceError(f"{word!r} gives no value; expected parameter=value")
        if name not in parameters:
            raise SpaceError(f"unknown parameter {name!r}{nearest(name, parameters)}")
        if name in config:
            raise SpaceError(f"{name} is given twice; expected once")
        config[name] = _value(parameters[name], text)
    return config


def _value(parameter: Parameter, text: str) -> Any:
    """The value that was meant: one of those listed, or a number."""
    if not isinstance(parameter, Integer | Real):
        named = {str(value): value for value in parameter.values()}
        lowered = {name.lower(): value for name, value in named.items()}
        if text in named or text.lower() in lowered:
            return named.get(text, lowered.get(text.lower()))
    return read(text)
