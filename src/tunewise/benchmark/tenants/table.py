"""Measured tables of users and models: accuracy, seconds, and curves over fractions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tunewise.errors import ExecutionError
from tunewise.surrogate import Array
from tunewise.tenancy import Log


@dataclass(frozen=True, eq=False)
class TenantTable:
    """What every model of every user measures: a row a user, a column a model.

    Attributes:
        name: Of the table.
        models: The columns.
        accuracy: (N, K) at the full data; NaN where a model does not end.
        seconds: (N, K).
        fractions: (F,) ascending, below 1; empty where there are no curves.
        slices: (N, F, K) accuracy at the fractions.
        slice_seconds: (N, F, K).
        orders: Fixed orders of the models, by name.
    """

    name: str
    models: tuple[str, ...]
    accuracy: Array
    seconds: Array
    fractions: tuple[float, ...] = ()
    slices: Array | None = None
    slice_seconds: Array | None = None
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse tables that do not fit together."""
        if self.accuracy.shape != self.seconds.shape:
            raise ExecutionError(
                f"{self.name} has accuracies of shape {self.accuracy.shape} and seconds of shape"
                f" {self.seconds.shape}; expected the same users and models"
            )

    def __len__(self) -> int:
        """How many users there are."""
        return len(self.accuracy)

    def log(self, rows: Sequence[int], *, slices: bool = False) -> Log:
        """These users as a log, with their slices where asked."""
        at = list(rows)
        if slices and self.slices is not None:
            parts = self.slices[at], self.fractions
            return Log(self.accuracy[at], self.seconds[at], None, *parts, self.models)
        return Log(self.accuracy[at], self.seconds[at], models=self.models)
