"""What a parameter server trains, whatever the setting."""

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np

from tunewise.errors import ExecutionError, nearest
from tunewise.paramserver.consistency import Consistency
from tunewise.paramserver.data import Batch, Dataset
from tunewise.paramserver.optimizer import optimizer
from tunewise.paramserver.setting import Setting
from tunewise.paramserver.worker import Trainable

_SCALINGS = ("none", "linear")


@dataclass(frozen=True)
class Training:
    """What is trained, whatever the setting.

    Attributes:
        model: The model.
        data: Its training data.
        rate: Learning rate.
        optimizer: "sgd", "momentum" or "svrg".
        seed: Of initial values and of the order of rows.
        evaluation: Rows, the same all the time, on which a book-keeper evaluates the loss.
        scaling: "none": a barrier applies the mean of its updates. "linear": it applies their sum,
            so that a clock brings as far as the same updates without a barrier.
    """

    model: Trainable
    data: Dataset
    rate: float
    optimizer: str = "sgd"
    seed: int = 0
    evaluation: int = 1000
    scaling: str = "none"

    def __post_init__(self) -> None:
        """Refuse what cannot be trained, by name."""
        told = self.rate
        if isinstance(told, bool) or not (isinstance(told, Real) and 0 < told < math.inf):
            raise ExecutionError(f"rate is {told!r}; expected a learning rate above 0, such as 0.1")
        optimizer(self.optimizer)
        inputs = getattr(self.model, "inputs", None)  # a model of your own need not tell
        if inputs is not None and inputs != self.data.features:
            raise ExecutionError(
                f"the model takes rows of {inputs} features, and the data has"
                f" {self.data.features}: expected as many"
            )
        if self.scaling not in _SCALINGS:
            raise ExecutionError(
                f"unknown scaling {self.scaling!r}{nearest(self.scaling, _SCALINGS)}"
            )

    def rate_under(self, setting: Setting) -> float:
        """The learning rate of a worker's updates under a setting."""
        together = Consistency.named(setting.consistency).barrier and self.scaling == "linear"
        return self.rate * setting.replicas if together else self.rate

    def evaluated(self) -> Batch:
        """The rows on which the loss is evaluated."""
        rng = np.random.default_rng([self.seed, 1])
        count = min(self.evaluation, self.data.rows)
        return self.data.batch(np.sort(rng.choice(self.data.rows, count, replace=False)))
