"""Who takes part in a race: a strategy with its options, under a name of its own.

Named as in `trimtuner(surrogate=trees),eic,random`.
"""

import inspect
import re
from typing import Any

from tunewise.errors import StrategyError
from tunewise.problem import Problem
from tunewise.strategy.spec import STRATEGIES, StrategySpec

_ENTRANT = re.compile(r"(?P<name>[^()]*)(?:\((?P<options>[^()]*)\))?")
_VALUES = {"true": True, "false": False, "null": None}
_WORDS = {value: word for word, value in _VALUES.items()}
_GIVEN = ("problem", "seed")


def label(spec: StrategySpec) -> str:
    """The name of an entrant, as the command line takes it.

    >>> label(StrategySpec("cherrypick", {"initial": 6})), label(StrategySpec("random"))
    ('cherrypick(initial=6)', 'random')
    """
    options = ",".join(f"{name}={_word(value)}" for name, value in spec.options.items())
    return f"{spec.name}({options})" if options else spec.name


def settings(spec: StrategySpec) -> dict[str, Any]:
    """All options of an entrant, with the defaults of those that were not given."""
    parameters = inspect.signature(STRATEGIES.load(spec.name)).parameters
    defaults = {
        name: parameter.default
        for name, parameter in parameters.items()
        if name not in _GIVEN and parameter.default is not parameter.empty
    }
    return defaults | spec.options


def bootstrap(spec: StrategySpec) -> int:
    """How many trials an entrant begins with before it has learnt anything."""
    initial = settings(spec).get("initial", 0)
    return initial if isinstance(initial, int) else 0


def entrants(text: str) -> list[StrategySpec]:
    """The strategies that a text names; commas inside of parentheses do not split."""
    specs = [_entrant(part.strip()) for part in _parts(text) if part.strip()]
    if not specs:
        raise StrategyError("no strategy was named; expected names such as trimtuner,random")
    labels = [label(spec) for spec in specs]
    if twice := [name for name in labels if labels.count(name) > 1]:
        raise StrategyError(
            f"{twice[0]} is named twice; expected each strategy once, or with different options"
        )
    return specs


def check(specs: list[StrategySpec], problem: Problem) -> None:
    """Refuse values of options that a strategy does not take, before the race begins."""
    for spec in specs:
        try:
            spec.build(problem, 0)
        except (StrategyError, LookupError) as error:
            raise StrategyError(f"{label(spec)} cannot be raced: {error}") from error


def _parts(text: str) -> list[str]:
    return re.split(r",(?![^()]*\))", text)


def _entrant(text: str) -> StrategySpec:
    found = _ENTRANT.fullmatch(text)
    if found is None:
        raise StrategyError(
            f"strategy {text!r} cannot be read; expected a name, or options in parentheses as in"
            " 'trimtuner(filter=cea,share=0.1)'"
        )
    options = dict(_option(text, each) for each in _split(found["options"] or ""))
    return StrategySpec(found["name"].strip(), options)


def _split(options: str) -> list[str]:
    return [each.strip() for each in options.split(",") if each.strip()]


def _option(text: str, option: str) -> tuple[str, Any]:
    name, sign, value = option.partition("=")
    if not sign or not name.strip() or not value.strip():
        raise StrategyError(
            f"option {option!r} of {text!r} has no name or value; expected one such as share=0.1"
        )
    return name.strip(), _value(value.strip())


def _value(text: str) -> Any:
    if text.lower() in _VALUES:
        return _VALUES[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _word(value: Any) -> Any:
    return _WORDS[value] if value is None or isinstance(value, bool) else value
