"""What other users' models measured: the evidence behind every prior."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tunewise.errors import TenancyError, answering
from tunewise.surrogate import Array
from tunewise.tenancy.checks import fractions as checked_fractions
from tunewise.tenancy.checks import names


@dataclass(frozen=True, eq=False)
class Log:
    """Measured scores and run times of other users, a row a user and a column a model.

    Attributes:
        accuracy: (users, models), NaN where a model was not run. Scores of other kinds are brought
            to the scale of accuracy first: 1 is perfect, 0 is worthless.
        seconds: (users, models), NaN where unknown; None where nobody measured time.
        features: (users, features) numbers that describe each user's data, such as the logarithms
            of rows, columns and classes; None where there are none.
        slices: (users, fractions, models) accuracy on fractions below 1, NaN where not tried.
        fractions: The fractions of `slices`, ascending and below 1.
        models: The names of the columns; None where they are those of the scheduler, in its order.
    """

    accuracy: Array
    seconds: Array | None = None
    features: Array | None = None
    slices: Array | None = None
    fractions: tuple[float, ...] = ()
    models: tuple[str, ...] | None = None

    @answering("Log", TenancyError, {}, {"looks": "slices"})
    def __init__(
        self,
        accuracy: ArrayLike,
        seconds: ArrayLike | None = None,
        features: ArrayLike | None = None,
        slices: ArrayLike | None = None,
        fractions: Sequence[float] = (),
        models: Sequence[str] | None = None,
    ) -> None:
        """Check that all tables speak of the same users and models."""
        scores = _table("accuracy", accuracy, 2)
        users, columns = scores.shape
        _within("accuracy", scores)
        set_ = object.__setattr__
        set_(self, "accuracy", scores)
        set_(self, "seconds", _like("seconds", seconds, (users, columns)))
        if self.seconds is not None and (self.seconds < 0).any():
            raise TenancyError(
                f"a log's seconds go down to {np.nanmin(self.seconds):g}; expected 0 or more"
            )
        described = None if features is None else _table("features", features, 2)
        if described is not None and len(described) != users:
            raise TenancyError(f"features of {len(described)} users in a log of {users}")
        set_(self, "features", described)
        set_(self, "fractions", checked_fractions(fractions))
        set_(self, "slices", _like("slices", slices, (users, len(self.fractions), columns)))
        if self.slices is not None:
            _within("slices", self.slices)
        set_(self, "models", None if models is None else tuple(names(models)))
        if self.models is not None and len(self.models) != columns:
            raise TenancyError(f"{len(self.models)} names for {columns} models in a log")

    def __len__(self) -> int:
        """How many users are in the log."""
        return len(self.accuracy)

    def named(self, models: Sequence[str]) -> "Log":
        """The same log with names for its columns, unless it has them."""
        if self.models is not None:
            return self
        if self.accuracy.shape[1] != len(models):
            raise TenancyError(
                f"a log of {self.accuracy.shape[1]} models for {len(models)} models;"
                " name its columns with Log(..., models=names)"
            )
        return Log(self.accuracy, self.seconds, self.features, self.slices, self.fractions, models)

    def of_models(self, models: Sequence[str]) -> "Log":
        """The same users with these models as columns; a model nobody ran is a column of NaN."""
        place = {name: column for column, name in enumerate(self.models or models)}
        columns = [place.get(name, -1) for name in models]
        return Log(
            _columns(self.accuracy, columns),
            None if self.seconds is None else _columns(self.seconds, columns),
            self.features,
            None if self.slices is None else _columns(self.slices, columns),
            self.fractions,
            models,
        )


def _columns(table: Array, columns: list[int]) -> Array:
    missing = np.full((*table.shape[:-1], 1), np.nan)
    return np.asarray(np.concatenate([table, missing], axis=-1)[..., columns], float)


def _table(name: str, values: ArrayLike, axes: int) -> Array:
    try:
        table = np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise TenancyError(f"a log's {name} must be a table of numbers: {error}") from error
    if table.ndim != axes:
        raise TenancyError(f"a log's {name} has {table.ndim} axes; expected {axes}")
    if np.isinf(table).any():
        raise TenancyError(f"a log's {name} holds infinite values; use NaN where nothing was run")
    return table


def _within(name: str, table: Array) -> None:
    """Refuse scores that are not on the scale of accuracy."""
    if ((table < 0) | (table > 1)).any():
        raise TenancyError(
            f"a log's {name} goes from {np.nanmin(table):g} to {np.nanmax(table):g};"
            " expected values from 0 to 1"
        )


def _like(name: str, values: ArrayLike | None, shape: tuple[int, ...]) -> Array | None:
    if values is None:
        return None
    table = _table(name, values, len(shape))
    if table.shape != shape:
        raise TenancyError(f"a log's {name} has the shape {table.shape}; expected {shape}")
    return table
