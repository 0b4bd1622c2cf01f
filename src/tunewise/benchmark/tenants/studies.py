"""The races behind figures 9 to 15 of ease.ml, on any table of users and models."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tunewise.benchmark.tenants.measures import Effort
from tunewise.benchmark.tenants.race import Protocol, Run, label, race
from tunewise.benchmark.tenants.syn import SETS, syn
from tunewise.benchmark.tenants.table import TenantTable
from tunewise.tenancy import RuleSpec

LIMIT = 0.1
"""Section 6.2: a race lasts for 10 % of the total run time."""
MODELS_LIMIT = 0.5
"""Section 6.3.1: where models are counted, half of them are trained."""
MANY = 50
_SHARES = (0.1, 0.5, 1.0)
_BOTH = (RuleSpec("hybrid"), RuleSpec("easeml"))
"""Ours, and ease.ml's as published."""
_PLAIN = (*_BOTH, RuleSpec("round_robin"), RuleSpec("random"))
_HEURISTICS = {"citations": RuleSpec("most_cited"), "year": RuleSpec("most_recent")}
"""What users did before ease.ml, by the order that it needs."""

_Races: TypeAlias = tuple[tuple[str, TenantTable, RuleSpec, Protocol], ...]


@dataclass(frozen=True, eq=False)
class Study:
    """One figure: its curves, in the unit in which it counts.

    Attributes:
        key: A short name.
        title: What the figure shows.
        effort: Time or models.
        runs: The repeats behind each curve, by its name.
    """

    key: str
    title: str
    effort: Effort
    runs: dict[str, list[Run]]


@dataclass(frozen=True, eq=False)
class _Plan:
    key: str
    title: str
    effort: Effort
    races: _Races


def studies(
    table: TenantTable,
    rules: Sequence[RuleSpec],
    protocol: Protocol,
    ran: Callable[[], object] = lambda: None,
) -> list[Study]:
    """All races, by figure."""
    found = []
    for plan in _plans(table, rules, protocol):
        runs = {name: race(on, [rule], how, ran)[label(rule)] for name, on, rule, how in plan.races}
        found.append(Study(plan.key, plan.title, plan.effort, runs))
    return found


def effort(table: TenantTable, rules: Sequence[RuleSpec], protocol: Protocol) -> int:
    """How many repeats there are in all."""
    plans = _plans(table, rules, protocol)
    return sum(how.repeats for plan in plans for _, _, _, how in plan.races)


def _plans(table: TenantTable, rules: Sequence[RuleSpec], protocol: Protocol) -> Iterator[_Plan]:
    short = replace(protocol, limit=min(protocol.limit, LIMIT))
    models = replace(protocol, limit=min(protocol.limit, MODELS_LIMIT))
    yield _Plan("rules", "Figures 9 to 11: the rules", "time",
                _each(_entrants(table, rules), table, short))  # fmt: skip
    forms = [form for rule in _BOTH for form in (rule, _oblivious(rule))]
    yield _Plan("costs", "Figure 12, left: with costs and without", "time",
                _each(forms, table, short))  # fmt: skip
    yield _Plan("logs", "Figure 12, middle: how much of the logs", "time",
                tuple((f"{rule.name}, {share:.0%} of the logs", table, rule,
                       replace(short, logs=share))
                      for rule in _BOTH for share in _SHARES))  # fmt: skip
    phases = [*_BOTH, RuleSpec("greedy"), RuleSpec("round_robin")]
    yield _Plan("phases", "Figure 12, right: the phases of HYBRID, without costs", "runs",
                _each(map(_oblivious, phases), table, models))  # fmt: skip
    yield _Plan("models", "Figure 13: without costs, counted in models", "runs",
                _each(map(_oblivious, _PLAIN), table, models))  # fmt: skip
    for correlation, weight in SETS:
        made = syn(correlation, weight)
        yield _Plan(f"syn-{correlation:g}-{weight:g}", f"Figure 14: {made.name}", "time",
                    _each(_PLAIN, made, short))  # fmt: skip
    if protocol.slices and table.slices is not None:
        alone = replace(short, slices=False)
        yield _Plan("slices", "Beyond the paper: with slices and without", "time",
                    (("hybrid, slices", table, _PLAIN[0], short),
                     ("hybrid, full data only", table, _PLAIN[0], alone)))  # fmt: skip
    if len(table) > MANY + protocol.users:
        yield _Plan("many", f"Figure 15: {MANY} test users", "time",
                    _each(_PLAIN, table, replace(short, users=MANY)))  # fmt: skip


def _each(rules: Iterable[RuleSpec], table: TenantTable, how: Protocol) -> _Races:
    """Each rule by its label."""
    return tuple((label(rule), table, rule, how) for rule in rules)


def _oblivious(rule: RuleSpec) -> RuleSpec:
    """The same rule without costs."""
    return RuleSpec(rule.name, {**rule.options, "cost_aware": False})


def _entrants(table: TenantTable, rules: Sequence[RuleSpec]) -> list[RuleSpec]:
    """The rules, with ours, ease.ml's, and the heuristics that the table has orders for."""
    needed = [*_BOTH, *(rule for order, rule in _HEURISTICS.items() if order in table.orders)]
    return [*rules, *(rule for rule in needed if rule not in rules)]
