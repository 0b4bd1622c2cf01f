"""The models on offer: what the log says of them, which have left, and their fixed orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunewise.errors import TenancyError
from tunewise.surrogate import Array
from tunewise.tenancy.arms import Arms
from tunewise.tenancy.checks import names, orders
from tunewise.tenancy.log import Log
from tunewise.tenancy.priors.seconds import Seconds
from tunewise.tenancy.rules.rule import Rule


@dataclass(frozen=True, eq=False)
class Moved:
    """A larger set of arms: where each old arm went, and which are new."""

    arms: NDArray[np.intp]
    added: NDArray[np.intp]


class Offer:
    """Candidate models that come and go, on the belief that a rule stands on.

    Attributes:
        arms: Models times fractions, with what is believed of a new user.
    """

    def __init__(
        self,
        models: Sequence[str],
        fractions: Sequence[float],
        log: Log | None,
        rule: type[Rule],
        order: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Learn from the log; the order is one of the models, or several by name."""
        listed = names(models)
        if log is not None and not isinstance(log, Log):
            raise TenancyError(f"log is a {type(log).__name__}; expected Log(accuracy, seconds)")
        self._fractions, self._rule = fractions, rule
        self._log = None if log is None else log.named(listed)
        self._orders = orders(order, listed)
        self._retired: set[str] = set()
        self.arms = self._learned(listed)

    @property
    def models(self) -> list[str]:
        """The names of all models that are offered."""
        return [name for name in self.arms.models if name not in self._retired]

    def among(self, models: Sequence[str] | None) -> NDArray[np.bool_]:
        """The arms (A,) of those on offer, or of some of them."""
        return self.arms.among(models) & ~self.arms.among(sorted(self._retired))

    def ranks(self) -> dict[str, Array]:
        """Where each arm's model stands in each order, (A,) by the order's name."""
        return {name: self.arms.ranks(order) for name, order in self._orders.items()}

    def features(self, given: Sequence[float] | None, seconds: Seconds) -> Array | None:
        """What is known of a user's data, where the rule makes anything of it."""
        return self.arms.features(given, seconds.features) if self._rule.features else None

    def add(self, models: Sequence[str]) -> Moved | None:
        """Offer models; None where all were known, and no arm has moved."""
        self._retired -= {*names(models)}
        new = [name for name in models if name not in self.arms.models]
        if not new:
            return None
        old, self.arms = self.arms, self._learned([*self.arms.models, *new])
        places = [self.arms.of(old.model(arm), old.fraction(arm)) for arm in range(len(old))]
        arms = np.array(places, np.intp)
        return Moved(arms, np.setdiff1d(np.arange(len(self.arms)), arms))

    def remove(self, name: str) -> NDArray[np.bool_]:
        """Offer a model no more: its arms, (A,)."""
        gone = self.arms.among([name])
        self._retired.add(name)
        return gone

    def _learned(self, models: Sequence[str]) -> Arms:
        rule = self._rule
        known = self._log, rule.latent
        return Arms(models, self._fractions, *known, spread=rule.spread, features=rule.features)
