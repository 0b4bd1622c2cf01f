"""Workers that share one replica of a model: each computes with its own part of the parameters.

The first of a group pulls, pushes and waits for all of it. The others have the same rows, cut to
their columns: they are told their values, and answer with their share of each row's product, then
with their share of the gradient.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import ray
from threadpoolctl import threadpool_limits

from tunewise.errors import ExecutionError
from tunewise.online.affinity import pin
from tunewise.paramserver.data import Batch
from tunewise.paramserver.setting import Setting
from tunewise.paramserver.worker import Divisible, Trainable
from tunewise.surrogate import Array


def check(model: Trainable, setting: Setting) -> None:
    """Refuse groups where the model cannot be computed in parts.

    Raises:
        ExecutionError: It says so.
    """
    if setting.group > 1 and not isinstance(model, Divisible):
        raise ExecutionError(
            f"group is {setting.group}; a {type(model).__name__} cannot be computed in parts:"
            " expected 1"
        )


def cut(count: int, group: int, place: int) -> slice:
    """Which of so many columns a member of a group computes with."""
    bounds = np.linspace(0, count, group + 1).round().astype(int).tolist()
    return slice(bounds[place], bounds[place + 1])


class Columns:
    """The columns of each batch that a member computes with, cut once."""

    def __init__(self, batches: Sequence[Batch], group: int, place: int) -> None:
        """Take the columns of a place in the group."""
        self._batches, self._group, self._place = batches, group, place
        self._cut: dict[int, Any] = {}

    def of(self, number: int) -> Any:
        """Of a batch, (b, k)."""
        if number not in self._cut:
            x = self._batches[number].x
            self._cut[number] = x[:, cut(x.shape[1], self._group, self._place)]
        return self._cut[number]

    def products(self, number: int, values: Array) -> Array:
        """The share of each row's product, (b,)."""
        return np.asarray(self.of(number) @ values, float)

    def gradient(self, number: int, slope: Array) -> Array:
        """The share of the gradient, (k,), given the loss's slope by each row's product."""
        return np.asarray(self.of(number).T @ slope, float) / len(slope)


class MemberActor:
    """A worker of a group but for its first."""

    def __init__(self, training: Any) -> None:
        """Keep what is trained; `prepare` says how."""
        self._training = training

    def prepare(self, setting: Setting, replica: int, place: int) -> None:
        """Cut the rows of a replica into batches, and the batches to a place's columns."""
        training = self._training
        wanted = (setting.batch_size, setting.data_partition, setting.replicas, replica)
        batches = training.data.batches(*wanted, training.seed)
        self._columns = Columns(batches, setting.group, place)
        threadpool_limits(setting.threads)
        pin(setting.affinity, setting.threads, replica * setting.group + place)

    def products(self, number: int, values: Array) -> Array:
        """The share of each row's product, (b,)."""
        return self._columns.products(number, values)

    def gradient(self, number: int, slope: Array) -> Array:
        """The share of the gradient, (k,)."""
        return self._columns.gradient(number, slope)


class Group:
    """The others of a group, as its first one has them."""

    def __init__(self, shared: Any, options: Mapping[str, Any]) -> None:
        """None as yet.

        Args:
            shared: Where the cluster's store has the training, in a list.
            options: Of Ray, for each.
        """
        self._shared = shared
        self._options = {name: what for name, what in options.items() if name != "max_concurrency"}
        self._members: list[Any] = []

    def prepare(self, setting: Setting, replica: int) -> None:
        """Have as many as a setting needs, with their rows."""
        made = ray.remote(MemberActor).options(**self._options)
        while len(self._members) > setting.group - 1:
            ray.kill(self._members.pop())
        while len(self._members) < setting.group - 1:
            self._members.append(made.remote(*self._shared))
        ready = [
            member.prepare.remote(setting, replica, place)
            for place, member in enumerate(self._members, start=1)
        ]
        ray.get(ready)

    def model(self, whole: Trainable, batches: Sequence[Batch]) -> Trainable:
        """A model whose gradients the group computes together; the model itself where alone."""
        if not self._members:
            return whole
        assert isinstance(whole, Divisible), "others are refused"
        return Together(whole, batches, tuple(self._members))


class Together:
    """A model that a group computes; it knows the group's own batches alone."""

    def __init__(self, whole: Divisible, batches: Sequence[Batch], members: Sequence[Any]) -> None:
        """Divide a model among the caller and others."""
        self._whole, self._members = whole, members
        self._numbers = {id(batch): number for number, batch in enumerate(batches)}
        self._own = Columns(batches, 1 + len(members), 0)

    @property
    def size(self) -> int:
        """How many parameters."""
        return self._whole.size

    def initial(self, seed: int) -> Array:
        """Where the training begins."""
        return self._whole.initial(seed)

    def work(self, batch: Batch) -> float:
        """Multiplications of one gradient."""
        return self._whole.work(batch)

    def loss(self, values: Array, batch: Batch) -> float:
        """Loss over a batch, given all parameters."""
        return self._whole.loss(values, batch)

    def gradient(self, values: Array, batch: Batch) -> tuple[float, Array]:
        """Loss over a batch and its gradient, by parts."""
        number, group = self._numbers[id(batch)], 1 + len(self._members)
        mine, *theirs = (values[cut(len(values), group, place)] for place in range(group))
        asked = [
            member.products.remote(number, part)
            for member, part in zip(self._members, theirs, strict=True)
        ]
        products = self._own.products(number, mine) + sum(ray.get(asked))
        loss, slope = self._whole.slopes(products, batch)
        asked = [member.gradient.remote(number, slope) for member in self._members]
        parts = [self._own.gradient(number, slope), *ray.get(asked)]
        penalty, regular = self._whole.penalty(values, batch)
        return loss + penalty, np.concatenate(parts) + regular
