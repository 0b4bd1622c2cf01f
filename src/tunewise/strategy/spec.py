"""A strategy as data: its name and options, from which it can be rebuilt anywhere."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tunewise.errors import MetricsRefused, StrategyError
from tunewise.history.prior import Prior
from tunewise.problem import Problem
from tunewise.registry import Registry
from tunewise.strategy.scalarised import Scalarised
from tunewise.strategy.strategy import Strategy

STRATEGIES = Registry("strategy", "tunewise.strategies", StrategyError)
_ELSEWHERE = {
    **dict.fromkeys(
        ("tpe", "hyperopt", "smac", "bo", "gp", "bayesian", "botorch"),
        ("cherrypick", "or 'bohb_paper' with slices, whose model is that of TPE"),
    ),
    **dict.fromkeys(("asha", "sha", "halving"), ("hyperband", "which halves by slices")),
    "grid": ("random", "which tries each config of a finite space once"),
}
"""What is nearest to the names that other tools give their strategies, and why."""
_GIVEN = ("problem", "seed")
_FORMER = {"stop_hopeless": "prune", "first_slice": ""}
"""What options in job files and stores are called now; nothing for one that is gone."""


@dataclass(frozen=True)
class StrategySpec:
    """The name of a strategy and its options, checked when built."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse unknown names and options."""
        if self.name not in STRATEGIES.names() and (ours := _ELSEWHERE.get(str(self.name).lower())):
            raise StrategyError(
                f"there is no strategy {self.name!r}; write strategy={ours[0]!r}, {ours[1]}, or"
                " none at all: then one that suits the problem is taken"
            )
        options = {_FORMER.get(name, name): value for name, value in self.options.items()}
        options.pop("", None)
        object.__setattr__(self, "options", options)
        STRATEGIES.refuse_unknown(self.name, self.options, _GIVEN)

    @classmethod
    def of(cls, strategy: "str | StrategySpec | Mapping[str, Any]") -> "StrategySpec":
        """From a name, a spec, or plain data such as `{"name": "cherrypick", "initial": 4}`."""
        if isinstance(strategy, StrategySpec):
            return strategy
        return cls(*STRATEGIES.named(strategy))

    def build(self, problem: Problem, seed: int, prior: Prior | None = None) -> Strategy:
        """The strategy at work on a problem, with what other studies measured.

        Several objectives are posed to it one weighting at a time.
        """
        if len(problem.objectives) > 1:
            built: Strategy = self._scalarised(problem, seed)
        else:
            built = self._built(problem, seed)
        if prior:
            built.prior = prior
        return built

    def _scalarised(self, problem: Problem, seed: int) -> Strategy:
        try:
            return Scalarised(problem, seed, self.build)
        except MetricsRefused as error:  # its sentence names a metric that only we have heard of
            raise StrategyError(
                f"strategy {self.name!r} does not take several objectives ({problem.aim});"
                " cherrypick and trimtuner take any"
            ) from error

    def _built(self, problem: Problem, seed: int) -> Strategy:
        try:
            built = STRATEGIES.load(self.name)(problem, seed, **self.options)
        except (TypeError, ValueError) as error:
            raise StrategyError(
                f"strategy {self.name!r} cannot use its options {self.options}: {error}"
            ) from error
        assert isinstance(built, Strategy)
        return built

    def describe(self) -> dict[str, Any]:
        """As plain data; `StrategySpec.of` reads it back."""
        return {"name": self.name, **self.options}


def default_strategy(problem: Problem) -> StrategySpec:
    """What suits a problem when nobody has chosen: slices of the data where there are any."""
    if len(problem.fractions) > 1:
        return StrategySpec("nephele" if problem.deploy == "any" else "trimtuner")
    only_cost_and_time = not problem.maximize and {*problem.needed} <= {"cost", "time"}
    return StrategySpec("lynceus" if only_cost_and_time else "cherrypick")


def named(name: str, /, **options: Any) -> StrategySpec:
    """A strategy by name, with options of its own: what `tunewise.strategy(...)` returns."""
    return StrategySpec(name, options)


def described() -> list[dict[str, Any]]:
    """Every strategy with what it does, and its options with their defaults."""
    return [_described(name, STRATEGIES.load(name)) for name in STRATEGIES.names()]


def _described(name: str, loaded: Callable[..., Any]) -> dict[str, Any]:
    documentation = inspect.getdoc(loaded) or ""
    parameters = list(inspect.signature(loaded).parameters.values())[len(_GIVEN) :]
    return {
        "name": name,
        "summary": documentation.partition("\n\n")[0].replace("\n", " "),
        "options": {
            p.name: None if p.default is p.empty else p.default
            for p in parameters
            if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
        },
    }
