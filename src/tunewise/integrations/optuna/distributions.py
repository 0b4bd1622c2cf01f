"""Optuna's distributions as parameters of a space, and the values of both."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial

from tunewise.errors import SpaceError
from tunewise.space import Choice, Config, Integer, Parameter, Real, Space
from tunewise.space.condition import applying, condition


@dataclass(frozen=True)
class Dimension:
    """A distribution as a parameter, and how values go from one to the other.

    Attributes:
        parameter: What our space searches: an index where Optuna has steps or unlike choices.
        ours: The parameter's value of a value of the distribution.
        theirs: The distribution's value of a value of the parameter.
    """

    parameter: Parameter
    ours: Callable[[Any], Any]
    theirs: Callable[[Any], Any]


def dimension(name: str, distribution: BaseDistribution) -> Dimension | None:
    """The distribution as a dimension of a space, None where no space can have it."""
    try:
        if isinstance(distribution, CategoricalDistribution):
            return _categorical(name, distribution)
        if isinstance(distribution, IntDistribution):
            return _whole(name, distribution)
        if isinstance(distribution, FloatDistribution):
            return _real(name, distribution)
    except SpaceError:  # bounds beyond what a space can hold: Optuna draws it by itself
        return None
    return None


def _categorical(name: str, distribution: CategoricalDistribution) -> Dimension:
    """By the index of a choice: Optuna tells True from 1, and may choose None."""
    choices = distribution.choices
    parameter = Choice(name, range(len(choices)))
    return Dimension(
        parameter, lambda value: int(distribution.to_internal_repr(value)), choices.__getitem__
    )


def _whole(name: str, distribution: IntDistribution) -> Dimension:
    low, step = distribution.low, distribution.step
    if step == 1:
        return Dimension(Integer(name, low, distribution.high, distribution.log), int, int)
    steps = (distribution.high - low) // step
    return Dimension(
        Integer(name, 0, steps), lambda value: (int(value) - low) // step, lambda k: low + k * step
    )


def _real(name: str, distribution: FloatDistribution) -> Dimension:
    low, high, step = distribution.low, distribution.high, distribution.step
    if step is None:
        real = Real(name, low, high, distribution.log)
        return Dimension(real, float, lambda value: min(max(float(value), low), high))
    steps = round((high - low) / step)
    return Dimension(
        Integer(name, 0, steps),
        lambda value: round((value - low) / step),
        lambda k: min(max(low + k * step, low), high),
    )


class Translation:
    """A search space of Optuna's as a space, and the params of its trials as configs."""

    def __init__(
        self,
        distributions: Mapping[str, BaseDistribution],
        trials: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Of distributions that all have a dimension, and of the params of complete trials.

        What only some of the trials have gets its condition. Without one it is left out.
        """
        found = {name: dimension(name, each) for name, each in distributions.items()}
        self._dimensions = {name: each for name, each in found.items() if each is not None}
        self.distributions = dict(distributions)
        configs = [self._translated(params) for params in trials]
        parameters = [each.parameter for each in self._dimensions.values()]
        applied = {p.name: _applied(p, parameters, configs) for p in parameters}
        self.space = _possible(p for p in applied.values() if p is not None)
        self._dimensions = {name: self._dimensions[name] for name in self.space.names}

    def config(self, params: Mapping[str, Any]) -> Config | None:
        """The params as a config; None where one is missing or outside of its distribution."""
        config = self._translated(params)
        return self.space.check(config) if config in self.space else None

    def _translated(self, params: Mapping[str, Any]) -> Config:
        return {
            name: each.ours(params[name])
            for name, each in self._dimensions.items()
            if name in params and _contains(self.distributions[name], params[name])
        }

    def params(self, config: Config) -> dict[str, Any]:
        """The config as params."""
        return {name: self._dimensions[name].theirs(value) for name, value in config.items()}


def shared(trials: Iterable[FrozenTrial]) -> dict[str, BaseDistribution]:
    """What trials chose from, by name, as far as a space can hold it and all agree about it."""
    found: dict[str, BaseDistribution] = {}
    unlike = set()
    for trial in trials:
        for name, distribution in trial.distributions.items():
            if found.setdefault(name, distribution) != distribution:
                unlike.add(name)
    return {
        name: distribution
        for name, distribution in found.items()
        if name not in unlike and dimension(name, distribution) is not None
    }


def _applied(
    parameter: Parameter, parameters: Sequence[Parameter], configs: Sequence[Config]
) -> Parameter | None:
    """The parameter with its condition; None where some configs lack it and nothing says which."""
    if all(parameter.name in config for config in configs):
        return parameter
    when = condition(parameters, parameter.name, configs)
    return None if when is None else applying(parameter, when)


def _possible(parameters: Iterable[Parameter]) -> Space:
    """The space of those whose conditions are about one of them."""
    kept = list(parameters)
    while True:
        names = {p.name for p in kept}
        whole = [p for p in kept if names.issuperset(p.when)]
        if len(whole) == len(kept):
            return Space(*kept) if kept else Space.unknown()
        kept = whole


def _contains(distribution: BaseDistribution, value: Any) -> bool:
    try:
        return distribution._contains(distribution.to_internal_repr(value))
    except (ValueError, TypeError):
        return False
