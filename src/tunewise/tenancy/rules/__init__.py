"""Whose model is trained next: one file a rule, looked up by name in `tunewise.schedulers`."""

from tunewise.tenancy.rules.rule import Rule, Setting
from tunewise.tenancy.rules.spec import RULES, RuleSpec

__all__ = ["RULES", "Rule", "RuleSpec", "Setting"]
