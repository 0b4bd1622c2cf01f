"""The arms that users choose from: every model at every fraction, and the priors over them."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunewise.errors import TenancyError, nearest
from tunewise.surrogate import Array
from tunewise.tenancy.checks import number
from tunewise.tenancy.latent import Latent
from tunewise.tenancy.log import Log
from tunewise.tenancy.priors.learned import Source, placed
from tunewise.tenancy.priors.prior import AccuracyPrior
from tunewise.tenancy.priors.seconds import SecondsPrior


class Arms:
    """Models times fractions, fractions ascending and the full data last, with what is believed.

    Attributes:
        models: Their names.
        fractions: Ascending, the last is 1.
        seconds: Of run times.
    """

    def __init__(
        self,
        models: Sequence[str],
        fractions: Sequence[float],
        log: Log | None,
        latent: Latent,
        *,
        spread: bool,
        features: bool,
    ) -> None:
        """Learn the priors from the log."""
        self.models, self.fractions = list(models), [*fractions, 1.0]
        self._place = {name: place for place, name in enumerate(self.models)}
        known = Log(np.empty((0, len(models)))) if log is None else log.of_models(models)
        self.seconds = SecondsPrior.learn(known.seconds, len(models), fractions)
        self._given = 0 if known.features is None else known.features.shape[1]
        described = self._features_of_log(known) if features else None
        self._source = Source(known, described, latent, fractions, spread)
        self._own: dict[bytes, AccuracyPrior] = {}

    def __len__(self) -> int:
        """How many arms there are."""
        return len(self.models) * len(self.fractions)

    def of(self, model: str, fraction: float = 1.0) -> int:
        """The arm of a model at a fraction."""
        if model not in self._place:
            raise TenancyError(f"unknown model {model!r}{nearest(model, self.models)}")
        if fraction not in self.fractions:
            raise TenancyError(f"fraction {fraction} is none of {self.fractions}")
        return self.fractions.index(fraction) * len(self.models) + self._place[model]

    def model(self, arm: int) -> str:
        """The model that an arm trains."""
        return self.models[arm % len(self.models)]

    def fraction(self, arm: int) -> float:
        """The share of the data that an arm trains on."""
        return self.fractions[arm // len(self.models)]

    def among(self, models: Sequence[str] | None) -> NDArray[np.bool_]:
        """The arms of these models, or of all, (A,)."""
        if models is None:
            return np.ones(len(self), bool)
        chosen = np.zeros(len(self.models), bool)
        chosen[[self.of(name) % len(self.models) for name in models]] = True
        return np.tile(chosen, len(self.fractions))

    @cached_property
    def prior(self) -> AccuracyPrior:
        """Of accuracy, on the latent scale of the rule, of a user whom all models suit."""
        return self._source.prior()

    @cached_property
    def _unknown(self) -> AccuracyPrior:
        """What is believed of all arms before any log."""
        nobody = np.zeros(len(self._source.log), bool)
        return self._source.of(nobody, np.ones(len(self.models), bool)).prior()

    def prior_of(self, models: Sequence[str] | None) -> AccuracyPrior:
        """The prior of a user whom only these models suit; None: all do.

        It comes from those of the log's users who ran any of them: those who ran none say how
        other models do on other kinds of data.
        """
        chosen = self.among(models)[: len(self.models)]
        users = self._source.tellers(chosen)
        if users.all():
            return self.prior
        ran = np.isfinite(self._source.log.accuracy[users]).any(axis=0)
        wanted = chosen | ran
        key = users.tobytes() + wanted.tobytes()
        if key not in self._own:
            at = np.flatnonzero(np.tile(wanted, len(self.fractions)))
            self._own[key] = placed(self._source.of(users, wanted).prior(), at, self._unknown)
        return self._own[key]

    def ranks(self, order: Sequence[str]) -> Array:
        """Where each arm's model stands in an order, (A,); those it leaves out come last."""
        rank = {name: place for place, name in enumerate(order)}
        ranks = [rank.get(name, len(rank)) for name in self.models]
        return np.tile(np.asarray(ranks, float), len(self.fractions))

    def given(self, seconds: Mapping[str, float] | Mapping[tuple[str, float], float]) -> Array:
        """Seconds (A,) by model, or by model and fraction; NaN where nobody said."""
        if not isinstance(seconds, Mapping):
            raise TenancyError(f"seconds is {seconds!r}; expected a dict of seconds by model")
        row = np.full(len(self), np.nan)
        for key, value in seconds.items():
            pair = key if isinstance(key, tuple) else (key,)
            if len(pair) not in (1, 2):
                raise TenancyError(f"seconds for {key!r}; expected a model, or (model, fraction)")
            arm = self.of(*pair)
            row[arm] = number(value, f"{value!r} seconds for {key!r}", least=0)
        return row

    def features(self, given: Sequence[float] | None, by_seconds: Array | None) -> Array | None:
        """A user's features: those given, then those that the run times show."""
        if given is not None and len(given) != self._given:
            raise TenancyError(f"{len(given)} features; the log's users have {self._given}")
        told = np.full(self._given, np.nan) if given is None else np.asarray(given, float)
        size = self.seconds.directions.shape[1]
        shown = np.full(size, np.nan) if by_seconds is None else by_seconds
        both = np.concatenate([told, shown])
        return both if np.isfinite(both).any() else None

    def _features_of_log(self, log: Log) -> Array | None:
        parts = [] if log.features is None else [log.features]
        if log.seconds is not None and self.seconds.directions.size:
            parts.append(np.array([self.seconds.features_of(row) for row in log.seconds]))
        return np.concatenate(parts, axis=1) if parts else None
