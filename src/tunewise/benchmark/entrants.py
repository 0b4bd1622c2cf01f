"""Who takes part in a race: a strategy with its options, under a name of its own.

Named as in `trimtuner(surrogate=trees),eic,random`.
"""

import inspect
from typing import Any

from tunewise.benchmark.naming import labelled, named
from tunewise.errors import StrategyError, TenancyError
from tunewise.problem import Problem
from tunewise.strategy.spec import STRATEGIES, StrategySpec
from tunewise.tenancy import RuleSpec

_GIVEN = ("problem", "seed")


def label(spec: StrategySpec) -> str:
    """The name of an entrant, as the command line takes it.

    >>> label(StrategySpec("cherrypick", {"initial": 6})), label(StrategySpec("random"))
    ('cherrypick(initial=6)', 'random')
    """
    return labelled(spec.name, spec.options)


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
    found = named(text, "strategy", "trimtuner(filter=cea,share=0.1)", StrategyError)
    return [StrategySpec(name, options) for name, options in found]


def check(specs: list[StrategySpec], problem: Problem) -> None:
    """Refuse values of options that a strategy does not take, before the race begins."""
    for spec in specs:
        try:
            spec.build(problem, 0)
        except (StrategyError, LookupError) as error:
            raise StrategyError(f"{label(spec)} cannot be raced: {error}") from error


def rules_named(text: str) -> list[RuleSpec]:
    """The rules of sharing that a text names."""
    found = named(text, "rule", "greedy(cost_aware=false)", TenancyError)
    return [RuleSpec(name, options) for name, options in found]
