"""Objective, constraints, fractions and budget over a space, all checked."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from numbers import Real
from typing import Any, Literal, TypeAlias

from tunewise.errors import ProblemError, TunewiseError, answering, nearest
from tunewise.format import card, measured, money, share_of_data
from tunewise.format import config as one_line
from tunewise.problem.constraint import (
    Constraint,
    is_triple,
    parse_constraint,
    refuse_contradiction,
)
from tunewise.problem.epochs import full_epochs
from tunewise.problem.listed import described_machines, listed, machines_described
from tunewise.problem.metric import KNOWN, Metric, Metrics, by_name, hourly, quantity
from tunewise.problem.objective import aim_of, objectives_of
from tunewise.space import Billing, Catalogue, Config, Space

Price: TypeAlias = Callable[[Config], float]

_INSTEAD = {
    "direction": "maximize='accuracy' or minimize='loss', with the metric's name",
    "directions": "what is wanted, as in maximize=['accuracy'], minimize=['cost']",
    "objective": "maximize={} or minimize={}",
    "metric": "maximize={} or minimize={}",
    "constraints": "subject_to={}",
    "limits": "subject_to={}",
}

_PLAIN = frozenset(
    [
        "maximize",
        "minimize",
        "subject_to",
        "fractions",
        "deploy",
        "budget",
        "price",
        "metrics",
        "resource",
    ]
)
"""The arguments that a description has as they were given."""


class Problem:
    """Objective, constraints, fractions and budget over a space. Read only.

    Attributes:
        space: What may be chosen.
        objectives: What to maximise or minimise; several make a Pareto front.
        objective: The metric of the first of them.
        maximize: Whether more of it is better.
        constraints: Limits on the config that will be deployed.
        fractions: Shares of the training data a trial may use, ascending, the last one is 1.
        deploy: "full" recommends at fraction 1; with "any" the fraction is part of the answer.
        budget: USD for the whole search, or None.
        price: USD per hour of a config, where known: then only time is unknown.
        billing: How price and time make a cost.
        machines: VM types that values of the space name, by imported prices; shipped ones apart.
        metrics: All metrics by name, with their kinds.
        discovers: Whether trainings say what may be chosen, and the space grows.
        epochs: How many epochs are a full training, where fractions are of epochs; else None.
        lost: Functions of the original that a description could not keep: "where", "price".
    """

    @answering("tunewise.Problem", ProblemError, _INSTEAD)
    def __init__(
        self,
        space: Space | None = None,
        *,
        maximize: str | Sequence[str] | None = None,
        minimize: str | Sequence[str] | None = None,
        subject_to: "str | Constraint | Iterable[str | Sequence[Any] | Constraint]" = (),
        fractions: Sequence[float] = (1.0,),
        deploy: Literal["full", "any"] = "full",
        budget: float | str | None = None,
        price: Price | float | str | None = None,
        billing: Billing | None = None,
        metrics: "Iterable[str] | Mapping[str, str]" = (),
        catalogue: Catalogue | None = None,
        resource: Literal["data", "epochs"] = "data",
    ) -> None:
        """Check everything, so that a problem that exists is sound.

        Several objectives are given as lists: `maximize=["accuracy"], minimize=["cost"]`. The
        catalogue tells sizes and prices of VM types that a choice names, where no price is known;
        by default your own imported prices count, then the shipped ones. A price is a number of
        USD per hour, an amount such as "0.36 USD/h", or a function of the config.

        Without a space, trainings say what may be chosen, by `trial.suggest_float` and its like.
        With `resource="epochs"` trials differ in how long they train, not in their data, and
        fractions are whole epochs, such as (1, 3, 9, 27): the last is a full training.
        """
        if space is not None and not isinstance(space, Space):
            raise ProblemError(
                f"space is {space!r}; expected a tunewise.Space, such as"
                " tunewise.Space(tunewise.Choice('optimizer', ['adam', 'sgd']))"
            )
        self.space, self.discovers = space or Space.unknown(), space is None
        self.metrics = {**KNOWN, **_declared(metrics)}
        self.objectives = objectives_of(maximize, minimize, self.metrics)
        self.objective, self.maximize = self.objectives[0].metric, self.objectives[0].maximize
        for wanted in self.objectives:
            self.metrics.setdefault(wanted.metric, by_name(wanted.metric))
        self.lost: tuple[str, ...] = ()
        self.constraints = self._checked_constraints(subject_to)
        self.epochs = full_epochs(resource, fractions)
        self.fractions = _checked_fractions(
            fractions if self.epochs is None else [e / self.epochs for e in fractions]
        )
        if deploy not in ("full", "any"):
            raise ProblemError(f"deploy is {deploy!r}{nearest(str(deploy), ['full', 'any'])}")
        self.deploy = deploy
        self.budget = None if budget is None else _checked_budget(budget)
        if price is not None and not callable(price):
            price = _checked_price(price)
        self._own_price = "a function" if callable(price) else price
        self.price = self.space.price if price is None else _everywhere(price)
        if billing is not None and not isinstance(billing, Billing):
            raise ProblemError(f"billing is {billing!r}; expected a tunewise.Billing")
        self.billing = billing or Billing()
        if catalogue is not None and not isinstance(catalogue, Catalogue):
            raise ProblemError(f"catalogue is {catalogue!r}; expected a tunewise.Catalogue")
        self.machines = listed(self.space, catalogue)

    def _checked_constraints(self, subject_to: Any) -> tuple[Constraint, ...]:
        single = isinstance(subject_to, str | Constraint) or is_triple(subject_to)
        if not single and not isinstance(subject_to, Iterable):
            raise ProblemError(
                f"subject_to is {subject_to!r}; expected constraints such as 'cost <= 0.10'"
            )
        listed = [subject_to] if single else list(subject_to)
        constraints = tuple(parse_constraint(c, self.metrics) for c in listed)
        refuse_contradiction(constraints)
        return constraints

    @property
    def needed(self) -> tuple[str, ...]:
        """The metrics that every measurement must bring, in order of first mention."""
        wanted = [objective.metric for objective in self.objectives]
        return tuple(dict.fromkeys([*wanted, *(c.metric for c in self.constraints)]))

    def metric(self, name: str) -> Metric:
        """The metric of that name; one that a job told unasked is any number."""
        return self.metrics.get(name, Metric(name))

    def cost(self, config: Config, seconds: float) -> float | None:
        """What a trial of so many seconds costs in USD, None when the price is unknown."""
        if self.price is None:
            return None
        return float(self.billing.charge(self.hourly(config), seconds))

    def hourly(self, config: Config) -> float:
        """USD per hour of a config; only where prices are known."""
        assert self.price is not None
        try:
            price = float(self.price(config))
        except Exception as error:
            raise self._unpriced(config, error) from error
        if not math.isfinite(price) or price < 0:
            raise ProblemError(
                f"price gave {price:g} for the config {one_line(config)}; expected 0 or more"
            )
        return price

    def _unpriced(self, config: Config, error: Exception) -> ProblemError:
        """The error for a price that failed; often it reads a parameter that may be absent."""
        name = error.args[0] if isinstance(error, KeyError) and error.args else None
        if name in self.space.names and name not in config:
            return ProblemError(
                f"price reads {name!r}, which does not apply to the config {one_line(config)};"
                f" say what it costs there, such as with config.get({name!r}, 0)"
            )
        failed = str(error) if isinstance(error, TunewiseError) else repr(error)
        return ProblemError(f"price failed on the config {one_line(config)}: {failed}")

    @property
    def aim(self) -> str:
        """The objectives as a phrase, such as "maximise accuracy"."""
        return aim_of(self.objectives)

    @property
    def limits(self) -> tuple[str, ...]:
        """The constraints as people write them, such as "cost ≤ 0.02 USD"."""
        return tuple(map(self.limit, self.constraints))

    @property
    def goal(self) -> str:
        """All that is wanted in one phrase, such as "maximise accuracy with cost ≤ 0.02 USD"."""
        return self.aim + (f" with {' and '.join(self.limits)}" if self.limits else "")

    def limit(self, constraint: Constraint) -> str:
        """A constraint as people write it."""
        sign = {"<=": "≤", ">=": "≥"}[constraint.sign]
        bound = measured(self.metrics[constraint.metric], constraint.bound)
        return f"{constraint.metric} {sign} {bound}"

    def deployable(self, fraction: float) -> bool:
        """Whether a config may be deployed at this fraction of the data."""
        return self.deploy == "any" or fraction == 1.0

    def feasible(self, metrics: Metrics) -> bool:
        """Whether measured metrics keep every constraint."""
        return all(c.metric in metrics and c.holds(metrics[c.metric]) for c in self.constraints)

    def violation(self, metrics: Metrics) -> float:
        """How far the constraints are missed, as a sum of shares of their bounds; 0 is feasible."""
        return math.fsum(c.violation(metrics[c.metric]) for c in self.constraints)

    def better(self, a: float, b: float) -> bool:
        """Whether objective value a is better than b."""
        return a > b if self.maximize else a < b

    def dominates(self, a: Metrics, b: Metrics) -> bool:
        """Whether metrics are as good as others in every objective, and better in one."""
        losses = [(o.loss(a[o.metric]), o.loss(b[o.metric])) for o in self.objectives]
        return all(x <= y for x, y in losses) and any(x < y for x, y in losses)

    def priced(self, config: Config, metrics: Metrics) -> Metrics:
        """The metrics, with the cost filled in where only the time was told and it has a price."""
        if "cost" in metrics or "time" not in metrics or self.price is None:
            return metrics
        cost = self.billing.charge(self.hourly(config), metrics["time"])
        return {**metrics, "cost": float(cost)}

    def describe(self) -> dict[str, Any]:
        """The problem as plain data, to recognise it when a study is resumed."""
        return {
            "space": self.space.describe(),
            **self._described_objectives(),
            "subject_to": [str(c) for c in self.constraints],
            "fractions": [
                s if self.epochs is None else round(s * self.epochs) for s in self.fractions
            ],
            "deploy": self.deploy,
            "budget": self.budget,
            "billing": {"tick": self.billing.tick, "minimum": self.billing.minimum},
            "metrics": {m.name: m.kind for m in self.metrics.values() if m.name not in KNOWN},
            **({} if self._own_price is None else {"price": self._own_price}),
            **({} if self.epochs is None else {"resource": "epochs"}),
            **({"discovers": True} if self.discovers else {}),
            **({"machines": described_machines(self.machines)} if len(self.machines) else {}),
        }

    def _described_objectives(self) -> dict[str, Any]:
        if len(self.objectives) == 1:
            return {"maximize" if self.maximize else "minimize": self.objective}
        more = [o.metric for o in self.objectives if o.maximize]
        less = [o.metric for o in self.objectives if not o.maximize]
        described = {"maximize": more, "minimize": less}
        return {name: metrics for name, metrics in described.items() if metrics}

    def with_space(self, space: Space) -> "Problem":
        """This problem over another space, which its trainings have told of."""
        same = copy(self)
        same.space, same.machines = space, listed(space, None)
        same.price = space.price if self._own_price is None else self.price
        return same

    def with_machines(self, described: Mapping[str, Any]) -> "Problem":
        """This problem with the VM types that a description knew, not those of today's prices."""
        known = machines_described(described.get("machines", ()))
        if known == self.machines:
            return self
        same = copy(self)
        same.machines = known
        return same

    @classmethod
    def from_description(cls, described: Mapping[str, Any]) -> "Problem":
        """The problem that described itself so; `lost` names functions it is without.

        Raises:
            ProblemError: When a newer or older Tunewise described it in another way.
        """
        given = dict(described)
        try:
            priced = given.get("price") == "a function"
            if priced:
                del given["price"]
            space = Space.from_description(given.pop("space"))
            billing = Billing(**given.pop("billing", {}))
            machines = machines_described(given.pop("machines", ()))
            discovers = bool(given.pop("discovers", False))
            if unknown := given.keys() - _PLAIN:
                raise KeyError(*unknown)
            problem = cls(space, billing=billing, catalogue=machines, **given)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ProblemError(f"the described problem is not understood: {error!r}") from error
        problem.discovers = discovers
        lost = {"where": space.describe() != described["space"], "price": priced}
        problem.lost = tuple(name for name, gone in lost.items() if gone)
        return problem

    @property
    def resource(self) -> str:
        """What trials use a fraction of: "data" or "epochs"."""
        return "data" if self.epochs is None else "epochs"

    def amount(self, fraction: float) -> str:
        """How much a trial uses, in one word: such as "1/9", or the number of its epochs."""
        if self.epochs is None:
            return share_of_data(fraction)
        return str(round(fraction * self.epochs))

    def part(self, fraction: float) -> str:
        """How much a trial uses: such as "1/9 of the data", or "3 of 27 epochs"."""
        of = "of the data" if self.epochs is None else f"of {self.epochs} epochs"
        return f"{self.amount(fraction)} {of}"

    def _repr_html_(self) -> str:
        """For notebooks."""
        several = len(self.fractions) > 1
        facts = {
            "goal": self.goal,
            "budget": "" if self.budget is None else money(self.budget),
            self.resource: ", ".join(map(self.amount, self.fractions)) if several else "",
        }
        return card("Problem", facts) + self.space._repr_html_()

    def __repr__(self) -> str:
        """As it would be written by hand."""
        wanted = "".join(f", {k}={v!r}" for k, v in self._described_objectives().items())
        limits = f", subject_to={[str(c) for c in self.constraints]}" if self.constraints else ""
        listed = ", ".join("1" if s == 1 else share_of_data(s) for s in self.fractions)
        fractions = f", fractions=({listed})" if len(self.fractions) > 1 else ""
        deploy = f", deploy={self.deploy!r}" if self.deploy != "full" else ""
        budget = f", budget={self.budget:g}" if self.budget is not None else ""
        return f"Problem({self.space!r}{wanted}{limits}{fractions}{deploy}{budget})"


def _checked_price(price: Any) -> float:
    """USD per hour, where it is the same for all configs."""
    expected = "expected USD per hour: a number, '0.36 USD/h', or a function of a config"
    if isinstance(price, bool) or not isinstance(price, int | float | str):
        raise ProblemError(f"price is {price!r}; {expected}")
    try:
        value = hourly(price)
    except ProblemError as error:
        raise ProblemError(f"price is {price!r}; {expected}: {error}") from None
    if not 0 <= value < math.inf:
        raise ProblemError(f"price is {price!r}; {expected}")
    return value


def _everywhere(price: Price | float) -> Price:
    """As a function of a config."""
    if callable(price):
        return price
    return lambda config: price


def _declared(metrics: "Iterable[str] | Mapping[str, str]") -> dict[str, Metric]:
    kinds = ("real", "share", "positive")
    declared = dict(metrics) if isinstance(metrics, Mapping) else dict.fromkeys(metrics, "real")
    for name, kind in declared.items():
        if kind not in kinds:
            raise ProblemError(f"metric {name!r} is declared as {kind!r}{nearest(kind, kinds)}")
    return {name: KNOWN.get(name, Metric(name, kind)) for name, kind in declared.items()}  # type: ignore[arg-type] # the kind was checked above


def _checked_fractions(fractions: Sequence[float]) -> tuple[float, ...]:
    if isinstance(fractions, str):
        raise ProblemError(f"fractions is {fractions!r}; expected a list of numbers, as [0.1, 1]")
    listed = list(fractions) if isinstance(fractions, Iterable) else [fractions]
    for s in listed:
        if isinstance(s, bool) or not isinstance(s, Real) or not 0 < s <= 1:
            raise ProblemError(f"fraction {s!r}; expected a number above 0 and at most 1")
    values = sorted({float(s) for s in listed})
    if not values or values[-1] != 1.0:
        raise ProblemError(f"fractions {values} must include 1 (the full data)")
    return tuple(values)


def _checked_budget(budget: float | str) -> float:
    value = quantity(budget, "cost")
    if not math.isfinite(value) or value <= 0:
        raise ProblemError(f"budget is {budget!r}; expected an amount of USD above 0")
    return value
