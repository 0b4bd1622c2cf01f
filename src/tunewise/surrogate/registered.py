"""The surrogates by name, and a choice of one with its options."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tunewise.errors import StrategyError, nearest
from tunewise.registry import Registry
from tunewise.surrogate.surrogate import Surrogate

SURROGATES = Registry("surrogate", "tunewise.surrogates", StrategyError)
_GIVEN = ("self", "basis", "spread", "seed")
"""What a strategy decides by itself: these are no options."""


@dataclass(frozen=True)
class SurrogateSpec:
    """The name of a surrogate and its options, checked when built."""

    name: str
    options: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        """Refuse an option that the surrogate does not have."""
        if not self.options:
            return
        parameters = inspect.signature(SURROGATES.load(self.name)).parameters
        valid = [name for name in parameters if name not in _GIVEN]
        for option, _ in self.options:
            if option not in valid:
                known = nearest(option, valid) if valid else "; it takes none"
                raise StrategyError(f"surrogate {self.name!r} has no option {option!r}{known}")

    @classmethod
    def of(cls, given: "str | Mapping[str, Any] | SurrogateSpec") -> "SurrogateSpec":
        """From a name, a spec, or plain data such as `{"name": "trees", "trees": 50}`."""
        if isinstance(given, SurrogateSpec):
            return given
        if isinstance(given, Mapping) and isinstance(given.get("name"), str):
            options = tuple((key, value) for key, value in given.items() if key != "name")
            spec = cls(given["name"], options)
        elif isinstance(given, str):
            spec = cls(given)
        else:
            names = nearest("", SURROGATES.names())
            raise StrategyError(f"surrogate is {given!r}; expected a name{names}")
        SURROGATES.load(spec.name)
        return spec

    def make(self, basis: str = "none", spread: float = 0.0) -> Surrogate:
        """One that is not fitted yet."""
        made = SURROGATES.load(self.name)(basis=basis, spread=spread, **dict(self.options))
        assert isinstance(made, Surrogate)
        return made
