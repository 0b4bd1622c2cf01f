"""What scikit-learn's searches are given, as a space: lists, and distributions of scipy."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from tunewise.errors import SpaceError
from tunewise.space import Choice, Config, Integer, Ordinal, Parameter, Real, Space


class Values:
    """A space over the places of values that no space could hold, such as estimators."""

    def __init__(self, parameters: Space | Mapping[str, Any]) -> None:
        """Read a space, or a dict of parameter name to list or distribution."""
        self._listed: dict[str, list[Any]] = {}
        if isinstance(parameters, Space):
            self.space = parameters
            return
        if not isinstance(parameters, Mapping) or not parameters:
            raise SpaceError(
                f"space is {parameters!r}; expected a tunewise.Space, or a dict of parameter name"
                " to a list of values or a distribution of scipy.stats"
            )
        self.space = Space(*(self._parameter(n, each) for n, each in parameters.items()))

    def params(self, config: Config) -> dict[str, Any]:
        """The config as the estimator takes it."""
        return {
            name: self._listed[name][value] if name in self._listed else value
            for name, value in config.items()
        }

    def _parameter(self, name: str, given: Any) -> Parameter:
        if hasattr(given, "rvs"):
            return _of_distribution(name, given)
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise SpaceError(
                f"{name!r} is {given!r}; expected a list of values or a distribution of scipy.stats"
            )
        values = list(given)
        numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
        if len(numbers) == len(values) == len(set(values)) and all(map(math.isfinite, numbers)):
            return Ordinal(name, sorted(values))
        self._listed[name] = values
        return Choice(name, range(len(values)))


def _of_distribution(name: str, given: Any) -> Parameter:
    """The range of a frozen distribution, on a log scale where its density is one over x."""
    low, high = (float(bound) for bound in given.support())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise SpaceError(
            f"{name!r} is distributed from {low:g} to {high:g}; expected bounds at both ends, such"
            f" as scipy.stats.uniform or loguniform have"
        )
    log = given.dist.name in ("loguniform", "reciprocal")
    if hasattr(given.dist, "pmf"):
        return Integer(name, int(low), int(high), log)
    return Real(name, low, high, log)
