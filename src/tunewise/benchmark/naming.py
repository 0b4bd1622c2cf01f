"""How things with options are named on the command line: `trimtuner(surrogate=trees),random`."""

import re
from collections.abc import Mapping
from typing import Any

from tunewise.errors import TunewiseError
from tunewise.format import numbers

_NAMED = re.compile(r"(?P<name>[^()]*)(?:\((?P<options>[^()]*)\))?")
_VALUES = {"true": True, "false": False, "null": None}
_WORDS = {value: word for word, value in _VALUES.items()}


def labelled(name: str, options: Mapping[str, Any]) -> str:
    """The name as the command line takes it.

    >>> labelled("cherrypick", {"initial": 6}), labelled("random", {})
    ('cherrypick(initial=6)', 'random')
    """
    told = ",".join(f"{option}={_word(value)}" for option, value in options.items())
    return f"{name}({told})" if told else name


def named(
    text: str, kind: str, example: str, error: type[TunewiseError]
) -> list[tuple[str, dict[str, Any]]]:
    """The names in a text with their options; commas inside of parentheses do not split.

    The kind, an example and the error are for the sentence that a mistake gets.
    """
    parts = [part.strip() for part in re.split(r",(?![^()]*\))", text) if part.strip()]
    found = [_named(part, kind, example, error) for part in parts]
    if not found:
        raise error(f"no {kind} was named; expected names such as {example}")
    labels = [labelled(*each) for each in found]
    if twice := [name for name in labels if labels.count(name) > 1]:
        raise error(
            f"{twice[0]} is named twice; expected each {kind} once, or with different options"
        )
    return found


def _named(
    text: str, kind: str, example: str, error: type[TunewiseError]
) -> tuple[str, dict[str, Any]]:
    found = _NAMED.fullmatch(text)
    if found is None:
        raise error(
            f"{kind} {text!r} cannot be read; expected a name, or options in parentheses as in"
            f" {example!r}"
        )
    options = [each.strip() for each in (found["options"] or "").split(",") if each.strip()]
    return found["name"].strip(), dict(_option(text, each, error) for each in options)


def _option(text: str, option: str, error: type[TunewiseError]) -> tuple[str, Any]:
    name, sign, value = option.partition("=")
    if not sign or not name.strip() or not value.strip():
        raise error(
            f"option {option!r} of {text!r} has no name or value; expected one such as share=0.1"
        )
    return name.strip(), _value(value.strip())


def _value(text: str) -> Any:
    if text.lower() in _VALUES:
        return _VALUES[text.lower()]
    return numbers.read(text)


def _word(value: Any) -> Any:
    return _WORDS[value] if value is None or isinstance(value, bool) else value
