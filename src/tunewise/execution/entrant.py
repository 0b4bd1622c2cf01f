"""Who takes part in a race: a strategy with its options, under a name of its own."""

import inspect
from typing import Any

from tunewise.strategy.spec import STRATEGIES, StrategySpec

_WORDS = {True: "true", False: "false", None: "null"}
_GIVEN = ("self", "problem", "seed")


def label(spec: StrategySpec) -> str:
    """The name of an entrant, as the command line takes it.

    >>> label(StrategySpec("cherrypick", {"initial": 6})), label(StrategySpec("random"))
    ('cherrypick(initial=6)', 'random')
    """
    options = ",".join(f"{name}={_word(value)}" for name, value in spec.options.items())
    return f"{spec.name}({options})" if options else spec.name


def settings(spec: StrategySpec) -> dict[str, Any]:
    """All options of an entrant, with the defaults of those that were not given."""
    parameters = inspect.signature(STRATEGIES.load(spec.name).__init__).parameters
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


def _word(value: Any) -> Any:
    return _WORDS[value] if value is None or isinstance(value, bool) else value
