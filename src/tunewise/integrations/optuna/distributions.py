"""Optuna's distributions as parameters of a space, and the values of both."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from tunewise.errors import SpaceError
from tunewise.space import Choice, Config, Integer, Parameter, Real, Space


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

    def __init__(self, distributions: Mapping[str, BaseDistribution]) -> None:
        """Of distributions that all have a dimension."""
        self.distributions = dict(distributions)
        found = {name: dimension(name, each) for name, each in distributions.items()}
        self._dimensions = {name: each for name, each in found.items() if each is not None}
        self.space = Space(*(each.parameter for each in self._dimensions.values()))

    def config(self, params: Mapping[str, Any]) -> Config | None:
        """The params as a config; None where one is missing or outside of its distribution."""
        config: Config = {}
        for name, each in self._dimensions.items():
            if name not in params or not _contains(self.distributions[name], params[name]):
                return None
            config[name] = each.ours(params[name])
        return self.space.check(config)

    def params(self, config: Config) -> dict[str, Any]:
        """The config as params."""
        return {name: each.theirs(config[name]) for name, each in self._dimensions.items()}


def _contains(distribution: BaseDistribution, value: Any) -> bool:
    try:
        return distribution._contains(distribution.to_internal_repr(value))
    except (ValueError, TypeError):
        return False
