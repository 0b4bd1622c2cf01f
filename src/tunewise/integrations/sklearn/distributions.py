"""What scikit-learn's searches are given, as a space: lists, and distributions of scipy."""

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from tunewise.errors import SpaceError
from tunewise.space import Choice, Config, Integer, Ordinal, Parameter, Real, Space

_WHICH = "which_of_the_dicts"
"""The parameter that says from which of several dicts a config is."""


class Values:
    """A space over the places of values that no space could hold, such as estimators."""

    def __init__(self, parameters: Space | Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        """Read a space, or a dict of parameter name to list or distribution, or a list of those."""
        self._listed: dict[str, list[Any]] = {}
        self._called: dict[str, str] = {}
        if isinstance(parameters, Space):
            self.space = deepcopy(parameters)  # it remembers what it has worked out
            return
        several = isinstance(parameters, list | tuple) and len(parameters) > 0
        dicts: list[Any] = list(parameters) if several else [parameters]
        if not all(isinstance(each, Mapping) for each in dicts) or not any(dicts):
            raise SpaceError(
                f"space is {parameters!r}; expected a tunewise.Space, or a dict of parameter name"
                " to a list of values or a distribution of scipy.stats, or a list of such dicts"
            )
        if len(dicts) == 1:
            found = [self._parameter(str(n), each) for n, each in dicts[0].items()]
        else:
            found = self._one_of(dicts)
        self.space = Space(*found)

    def _one_of(self, dicts: Sequence[Mapping[str, Any]]) -> list[Parameter]:
        """Which of the dicts, and its parameters under names of their own."""
        found: list[Parameter] = [Choice(_WHICH, range(len(dicts)))]
        for place, each in enumerate(dicts):
            for name, given in each.items():
                ours = f"{name}__of_{place}"
                self._called[ours] = name
                found.append(self._parameter(ours, given, {_WHICH: place}))
        return found

    def params(self, config: Config) -> dict[str, Any]:
        """The config as the estimator takes it."""
        return {
            self._called.get(name, name): self._listed[name][value]
            if name in self._listed
            else value
            for name, value in config.items()
            if name in self._called or not self._called
        }

    def _parameter(self, name: str, given: Any, when: dict[str, Any] | None = None) -> Parameter:
        if hasattr(given, "rvs"):
            return _of_distribution(name, given, when)
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise SpaceError(
                f"{self._called.get(name, name)!r} is {given!r}; expected a list of values or a"
                " distribution of scipy.stats"
            )
        values = list(given)
        numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
        if len(numbers) == len(values) == len(set(values)) and all(map(math.isfinite, numbers)):
            return Ordinal(name, sorted(values), when=when)
        self._listed[name] = values
        return Choice(name, range(len(values)), when=when)


def _of_distribution(name: str, given: Any, when: dict[str, Any] | None) -> Parameter:
    """The range of a frozen distribution, on a log scale where its density is one over x."""
    low, high = (float(bound) for bound in given.support())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise SpaceError(
            f"{name!r} is distributed from {low:g} to {high:g}; expected bounds at both ends, such"
            f" as scipy.stats.uniform or loguniform have"
        )
    log = given.dist.name in ("loguniform", "reciprocal")
    if hasattr(given.dist, "pmf"):
        return Integer(name, int(low), int(high), log, when=when)
    return Real(name, low, high, log, when=when)
