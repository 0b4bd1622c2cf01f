"""The surrogates by name, and a choice of one with its options."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tunewise.errors import StrategyError
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
        """Refuse an option that the surrogate does not have, or a value that it cannot take."""
        if not self.options:
            return
        SURROGATES.refuse_unknown(self.name, dict(self.options), _GIVEN)
        try:
            self.make()
        except (TypeError, ValueError) as error:
            given = ", ".join(f"{name}={value!r}" for name, value in self.options)
            raise StrategyError(f"surrogate {self.name!r} cannot take {given}: {error}") from error

    @classmethod
    def of(cls, given: "str | Mapping[str, Any] | SurrogateSpec") -> "SurrogateSpec":
        """From a name, a spec, or plain data such as `{"name": "trees", "trees": 50}`."""
        if isinstance(given, SurrogateSpec):
            return given
        name, options = SURROGATES.named(given)
        SURROGATES.load(name)
        return cls(name, tuple(options.items()))

    @cached_property
    def _factory(self) -> Callable[..., object]:
        """Looked up once: an ask makes one for each metric."""
        loaded: Callable[..., object] = SURROGATES.load(self.name)
        return loaded

    def make(self, basis: str = "none", spread: float = 0.0) -> Surrogate:
        """One that is not fitted yet."""
        made = self._factory(basis=basis, spread=spread, **dict(self.options))
        assert isinstance(made, Surrogate)
        return made
