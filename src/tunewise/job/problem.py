"""From the fields of a job file to the problem they state."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tunewise.errors import ProblemError, SpaceError
from tunewise.job.diagnostics import Diagnostics
from tunewise.job.expression import Expression, Inapplicable
from tunewise.job.fields import (
    BillingFields,
    ClusterFields,
    JobFields,
    ParameterFields,
    SpaceFields,
)
from tunewise.job.price import catalogue, price
from tunewise.problem import Price, Problem, quantity
from tunewise.space import (
    Billing,
    Choice,
    Cluster,
    Config,
    Integer,
    Ordinal,
    Parameter,
    Real,
    Space,
)
from tunewise.space.sampling import fixed_points

_TRIED = 5000
"""So many configs, at most, are tried on expressions when a file is checked."""

_STAND_IN = Space(Choice("parameter", [0]))
"""Other fields are checked even when the space is wrong, so that all mistakes show at once."""


@dataclass(frozen=True)
class Conditions:
    """Holds where all of its expressions do."""

    expressions: tuple[Expression, ...]

    def __call__(self, config: Config) -> bool:
        """Whether the config is a valid combination."""
        return all(holds(expression, config) for expression in self.expressions)


def holds(condition: Expression, config: Config) -> bool:
    """Whether a condition holds; one on a parameter that does not apply says nothing."""
    try:
        return bool(condition(config))
    except Inapplicable:
        return True


def problem(
    fields: JobFields, space: Space | None, folder: Path, diagnostics: Diagnostics
) -> Problem | None:
    """The problem of a job file; None when there were mistakes, which are noted."""
    arguments = _arguments(fields, space, folder, diagnostics)
    if space is None or arguments is None:
        return None
    built: Problem | None = None
    with diagnostics.at():
        built = Problem(space, **arguments)
    return built


def space(fields: SpaceFields, folder: Path, diagnostics: Diagnostics) -> Space | None:
    """The space of a job file; None when there were mistakes in it or its conditions."""
    whole = not diagnostics.has("space")
    parameters: list[Parameter] = []
    for name, said in fields.space.items():
        with diagnostics.at("space", name):
            parameters.append(parameter(name, said, folder))
    if not whole:
        return None
    where = _where(fields, diagnostics)
    if diagnostics.has("space", "where"):
        return None
    built: Space | None = None
    with diagnostics.at("space"):
        built = Space(*parameters)
    return (
        built if where is None or built is None else _restricted(built, where, fields, diagnostics)
    )


def _restricted(
    free: Space, where: Conditions, fields: SpaceFields, diagnostics: Diagnostics
) -> Space | None:
    """The space under its conditions, after they were asked: better now than in a trial."""
    tried = sample(free)
    for i, condition in enumerate(where.expressions):
        with diagnostics.at(*_place(fields, i)):
            tried = [config for config in tried if holds(condition, config)]
    if diagnostics.has("where"):
        return None
    built: Space | None = None
    with diagnostics.at("where"):
        restricted = Space(*free.parameters, where=where)
        try:
            if not restricted.finite:
                restricted.sample(1, np.random.default_rng(0))
        except SpaceError as error:
            raise _never(free, where) or error from None
        built = restricted
    return built


def _never(free: Space, where: Conditions) -> SpaceError | None:
    """The condition that holds nowhere, with the ranges of what it is about; None for none."""
    tried = sample(free)
    for condition in where.expressions:
        if not any(holds(condition, config) for config in tried):
            words = {*re.findall(r"\w+", condition.text)}
            ranges = [f"{p.name} is {p.range}" for p in free.parameters if p.name in words]
            return SpaceError(f"{condition.text!r} holds for no config: {', '.join(ranges)}")
    return None


def parameter(name: str, said: ParameterFields, folder: Path) -> Parameter:
    """One parameter, from its short or its long form."""
    kind, given = _kind(said)
    if said.log and kind not in ("integer", "real"):
        raise SpaceError("only an integer or a real has a log scale; leave out log")
    if said.step is not None and kind not in ("integer", "real"):
        raise SpaceError("only an integer or a real has steps; leave out step")
    if kind == "cluster":
        return _cluster(name, given, folder, said)
    expected = (said.prior, said.confidence)
    if kind in ("choice", "ordinal"):
        return (Choice if kind == "choice" else Ordinal)(name, given, said.when, *expected)
    low, high = given
    numeric = Integer if kind == "integer" else Real
    return numeric(name, low, high, said.log, said.when, said.step, *expected)  # type: ignore[arg-type] # it checks


def _kind(said: ParameterFields) -> tuple[str, Any]:
    short = {
        kind: value
        for kind in ("choice", "ordinal", "integer", "real", "cluster")
        if (value := getattr(said, kind)) is not None
    }
    if len(short) + (said.kind is not None) != 1:
        raise SpaceError(
            "expected exactly one of choice, ordinal, integer, real, cluster and kind, such as"
            " {real: [0, 1]}"
        )
    long_form = {"low": said.low, "high": said.high, "values": said.values}
    stray = [key for key, value in long_form.items() if value is not None]
    if short:
        if stray:
            raise SpaceError(f"{stray[0]} goes with kind, not with {next(iter(short))}")
        return next(iter(short.items()))
    return str(said.kind), _long(str(said.kind), long_form, stray)


def _long(kind: str, given: dict[str, Any], stray: list[str]) -> Any:
    wanted = ["values"] if kind in ("choice", "ordinal") else ["low", "high"]
    if sorted(stray) != sorted(wanted):
        raise SpaceError(f"kind {kind} expects {' and '.join(wanted)}")
    if kind in ("choice", "ordinal"):
        return given["values"]
    whole = kind == "integer"
    return [int(v) if whole and v.is_integer() else v for v in (given["low"], given["high"])]


def _cluster(name: str, said: ClusterFields, folder: Path, of: ParameterFields) -> Cluster:
    return Cluster(
        name,
        types=said.types,
        counts=said.counts,
        catalogue=catalogue(said.catalogue, folder),
        helpers=said.helpers,
        spot=said.spot,
        min_memory=said.min_memory,
        max_price=math.inf if said.max_price is None else said.max_price,
        when=of.when,
        prior=of.prior,  # type: ignore[arg-type] # it checks
        confidence=of.confidence,
    )


def _where(fields: SpaceFields, diagnostics: Diagnostics) -> Conditions | None:
    listed = [fields.where] if isinstance(fields.where, str) else fields.where
    expressions = []
    for i, text in enumerate(listed):
        with diagnostics.at(*_place(fields, i)):
            expressions.append(Expression(text, fields.space))
    return Conditions(tuple(expressions)) if expressions else None


def _place(fields: SpaceFields, i: int) -> tuple[str | int, ...]:
    """Where the condition stands in the file."""
    return ("where",) if isinstance(fields.where, str) else ("where", i)


def _arguments(
    fields: JobFields, space: Space | None, folder: Path, diagnostics: Diagnostics
) -> dict[str, Any] | None:
    """The arguments of the problem, each checked on its own so that its line can be named."""
    check = _Check(space or _STAND_IN, diagnostics)
    check.field("metrics", lambda: fields.metrics)
    wanted = [n for n in ("maximize", "minimize") if getattr(fields, n) is not None]
    if fields.maximize is None and fields.minimize is None:
        if not diagnostics.has("maximize", "minimize"):
            sentence = "maximize or minimize is missing; expected one, with a metric's name"
            diagnostics.add((), sentence)
    elif isinstance(fields.maximize, str) and isinstance(fields.minimize, str):
        sentence = " is given beside maximize; expected one of them, or two lists"
        diagnostics.add(("minimize",), sentence)
    else:
        check.passing = {}
        for name in wanted:
            check.field(name, partial(getattr, fields, name))
    stated = bool(wanted) and all(name in check.arguments for name in wanted)
    if not stated:
        check.passing = {"minimize": "cost"}
    check.limits(fields.subject_to)
    check.field("fractions", partial(shares_of, fields), resource=fields.resource)
    check.field("deploy", lambda: fields.deploy)
    check.field("budget", lambda: fields.budget)
    if (billing := fields.billing) is not None:
        check.field("billing", lambda: _billing(billing))
    if (said := fields.price) is not None and not diagnostics.has("space"):
        check.field("price", lambda: _tried(price(said, fields.space, folder), space))
    return check.arguments if stated else None


class _Check:
    """Builds the problem with one more argument at a time."""

    def __init__(self, space: Space, diagnostics: Diagnostics) -> None:
        self.space, self.diagnostics = space, diagnostics
        self.arguments: dict[str, Any] = {}
        self.passing: dict[str, Any] = {"minimize": "cost"}  # stands in for a missing objective

    def field(self, name: str, value: Callable[[], Any], **beside: Any) -> None:
        with self.diagnostics.at(name):
            arguments = {**self.arguments, **beside, name: value()}
            Problem(self.space, **{**self.passing, **arguments})
            self.arguments = arguments

    def limits(self, said: "str | list[Any]") -> None:
        if isinstance(said, str):
            self.field("subject_to", lambda: [said])
            return
        good = []
        for i, limit in enumerate(said):
            with self.diagnostics.at("subject_to", i):
                Problem(self.space, **self.passing, **self.arguments, subject_to=[limit])
                good.append(limit)
        self.field("subject_to", lambda: good)


def shares_of(fields: JobFields) -> list[float]:
    """The fractions that a job file states: shares of the data, or epochs."""
    return [_fraction(said) for said in fields.fractions]


def _fraction(said: "float | str") -> float:
    if not isinstance(said, str):
        return said
    # Not by Fraction: of 1e9999999 it would make a whole number of ten million digits.
    over, slash, under = said.partition("/")
    try:
        return int(over) / int(under) if slash else float(said)
    except (ValueError, ArithmeticError) as error:
        shown = said if len(said) <= 40 else f"{said[:37]}..."
        raise ProblemError(f"fraction {shown!r}; expected a number such as 0.1 or 1/10") from error


def _billing(said: BillingFields) -> Billing:
    return Billing(quantity(said.tick, "time"), quantity(said.minimum, "time"))


def _tried(usd: Price, space: Space | None) -> Price:
    """The price, after it was asked for configs of the space: better now than after a trial."""
    if space is None:
        return usd
    if clusters := [p.name for p in space.parameters if isinstance(p, Cluster)]:
        raise ProblemError(
            f"the cluster {clusters[0]!r} has prices of its own, which this would replace; leave"
            " out price, or name a catalogue in the cluster"
        )
    for config in sample(space):
        if space.allows(config):
            usd(config)
    return usd


def sample(space: Space) -> list[Config]:
    """Configs to try expressions on: all of them, or the ends and many between."""
    if space.finite and (space.size or 0) <= _TRIED:
        return space.configs
    ends = [np.zeros(space.width), np.ones(space.width)]
    between = space.draw(fixed_points(_TRIED, len(space.parameters)))
    return [*space.decode(np.array(ends)), *between]
