"""A rule as data: its name and options."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tunewise.errors import TenancyError, nearest
from tunewise.registry import Registry
from tunewise.tenancy.rules.rule import Rule, Setting

RULES = Registry("rule", "tunewise.schedulers", TenancyError)


@dataclass(frozen=True)
class RuleSpec:
    """The name of a rule and its options, checked when built."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse unknown names and options."""
        valid = _options(self.rule)
        for option in self.options:
            if option not in valid:
                raise TenancyError(
                    f"rule {self.name!r} has no option {option!r}{nearest(option, valid)}"
                )

    @classmethod
    def of(cls, rule: "str | RuleSpec") -> "RuleSpec":
        """From a name or a spec."""
        return rule if isinstance(rule, RuleSpec) else cls(rule)

    @property
    def rule(self) -> type[Rule]:
        """The class behind the name."""
        loaded: type[Rule] = RULES.load(self.name)
        return loaded

    def build(self, setting: Setting) -> Rule:
        """The rule at work."""
        return self.rule(setting, **self.options)


def _options(rule: type[Rule]) -> list[str]:
    """The options of a rule, with those of the rules it is made of."""
    makers = [vars(kind)["__init__"] for kind in rule.__mro__ if "__init__" in vars(kind)]
    found = [
        p
        for m in makers
        if m is not object.__init__
        for p in inspect.signature(m).parameters.values()
    ]
    return sorted({p.name for p in found if p.kind is inspect.Parameter.KEYWORD_ONLY})
