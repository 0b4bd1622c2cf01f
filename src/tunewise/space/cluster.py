"""The cloud resources of a trial as one parameter: which VM type, and how many."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tunewise.errors import SpaceError, nearest
from tunewise.space.cloud.catalogue import Catalogue
from tunewise.space.cloud.fleet import Fleet
from tunewise.space.cloud.vm import VM
from tunewise.space.listed import Listed
from tunewise.space.parameter import Array, Value, plain

Counts = Iterable[int] | Mapping[str, Iterable[int]]


class Cluster(Listed):
    """Valid pairs of VM type and count, with values such as `t2.small:4`.

    Models see the type one-hot, and the number of VMs, total cores, total memory and hourly price
    on log scales: a config of another type but the same power is near in four of the features.
    """

    def __init__(
        self,
        name: str = "cluster",
        types: Sequence[str] | None = None,
        counts: Counts = (1,),
        catalogue: Catalogue | None = None,
        helpers: Sequence[str] = (),
        spot: bool = False,
        min_memory: float = 0.0,
        max_price: float = math.inf,
        when: Mapping[str, Value] | None = None,
        prior: str | None = None,
        confidence: str | None = None,
    ) -> None:
        """List the clusters that keep the limits.

        Args:
            name: The parameter's name.
            types: VM types; by default those that `counts` names, or the whole catalogue.
            counts: Numbers of VMs, for all types or by type.
            catalogue: Sizes and prices; by default your own imported prices, then the shipped ones.
            helpers: Types of VMs that are billed beside the workers: `same` is their own type.
            spot: Whether workers are bought on the spot market (helpers never are).
            min_memory: GiB that the workers need together.
            max_price: USD per hour that workers and helpers may cost together.
            when: By the name of another parameter, the value or values for which this one applies.
            prior: The cluster that you expect to be best, such as "t2.small:4".
            confidence: How sure that is: "low", "medium" or "high".
        """
        known = Catalogue.usual() if catalogue is None else catalogue
        fleets = [
            Fleet.of(vm, count, _texts("helpers", helpers), spot, known)
            for vm in _types(types, counts, known, spot)
            for count in _counts(vm, counts)
        ]
        kept = [f for f in fleets if f.memory >= min_memory and f.price <= max_price]
        if fleets and not kept:
            raise SpaceError(_refusal(name, fleets, min_memory, max_price))
        self._fleets = {str(fleet): fleet for fleet in kept}
        super().__init__(name, map(str, kept), when, prior, confidence)

    @classmethod
    def described(
        cls,
        name: str,
        values: Sequence[str],
        cores: Sequence[float],
        memory: Sequence[float],
        price: Sequence[float],
        when: Mapping[str, Value] | None = None,
        prior: str | None = None,
        confidence: str | None = None,
    ) -> "Cluster":
        """The cluster that `describe` told of; what workers and helpers cost apart is lost."""
        cluster = cls.__new__(cls)
        cluster._fleets = {
            value: _described_fleet(value, *sums)
            for value, *sums in zip(values, cores, memory, price, strict=True)
        }
        Listed.__init__(cluster, name, values, when, prior, confidence)
        return cluster

    def fleet(self, value: str) -> Fleet:
        """The machines that a value stands for."""
        return self._fleets[self.check(value)]

    def hourly(self, value: str) -> float:
        """USD per hour of workers and helpers."""
        return self.fleet(value).price

    def parts(self, value: str) -> dict[str, Any]:
        """Type, number of VMs, total cores, total memory (GiB) and price (USD per hour)."""
        fleet = self.fleet(value)
        return {
            "vm": fleet.vm.name,
            "vms": fleet.count,
            "cores": fleet.cores,
            "memory": fleet.memory,
            "price": fleet.price,
        }

    def neighbours(self, value: Value) -> list[Value]:
        """The next counts of the same type, and of each other type the cluster most alike."""
        centre = self._fleets[value]
        own = sorted(f.count for f in self._fleets.values() if f.vm == centre.vm)
        i = own.index(centre.count)
        near = [f"{centre.vm.name}:{own[j]}" for j in (i - 1, i + 1) if 0 <= j < len(own)]
        return near + self._alike(value)

    def _alike(self, value: Value) -> list[Value]:
        """Of each other type the cluster nearest in count, cores, memory and price."""
        features = self._table[:, -4:]
        distances = ((features - features[self._index[value]]) ** 2).sum(axis=1)
        nearest_of: dict[str, tuple[float, str]] = {}
        for other, distance in zip(self._fleets, distances.tolist(), strict=True):
            vm = self._fleets[other].vm.name
            nearest_of[vm] = min(nearest_of.get(vm, (math.inf, "")), (distance, other))
        return [o for vm, (_, o) in nearest_of.items() if vm != self._fleets[value].vm.name]

    def describe(self) -> dict[str, Any]:
        """Kind, name, values and what models and bills know about them."""
        parts = [self.parts(value) for value in self._values]
        known = {key: [part[key] for part in parts] for key in ("cores", "memory", "price")}
        return {**super().describe(), **known}

    def _encoded(self) -> Array:
        fleets = list(self._fleets.values())
        types = list(dict.fromkeys(fleet.vm.name for fleet in fleets))
        one_hot = np.eye(len(types))[[types.index(fleet.vm.name) for fleet in fleets]]
        sizes = np.array([[f.count, f.cores, f.memory, f.price] for f in fleets], float)
        return np.hstack([one_hot, *map(_log_scaled, sizes.T)])


def _described_fleet(value: str, cores: float, memory: float, price: float) -> Fleet:
    """A fleet with these totals; the whole bill is a helper's, so that it is exact."""
    vm, _, count = value.rpartition(":")
    vms = int(count)
    return Fleet(VM(vm, cores / vms, memory / vms), vms, (VM("bill", price=price),))


def _log_scaled(column: Array) -> Array:
    """Amounts of 0 or more as an `(n, 1)` column in [0, 1]; 0 goes to half of the least other."""
    positive = column[column > 0]
    floor = positive.min() / 2 if len(positive) else 1.0
    logs = np.log(np.maximum(column, floor))
    span = float(np.ptp(logs))
    return np.asarray((logs - logs.min()) / (span or 1.0), float).reshape(-1, 1)


def _types(
    types: Sequence[str] | None, counts: Counts, known: Catalogue, spot: bool
) -> tuple[str, ...]:
    if types is not None:
        listed = _texts("types", types)
    elif isinstance(counts, Mapping):
        listed = tuple(counts)
    else:
        listed = tuple((known.where(spot=True) if spot else known).names)
    if not listed:
        raise SpaceError(f"a cluster has no VM types to choose from{nearest('', known.names)}")
    return listed


def _counts(vm: str, counts: Counts) -> list[int]:
    if isinstance(counts, Mapping) and vm not in counts:
        raise SpaceError(f"no counts are given for the VM type {vm!r}{nearest(vm, counts)}")
    listed: Any = counts[vm] if isinstance(counts, Mapping) else counts
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise SpaceError(f"the counts of {vm!r} are {listed!r}: expected a list, such as [1, 2, 4]")
    return [plain(count) for count in listed]


def _texts(what: str, names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise SpaceError(f"{what} is {names!r}: expected a list, [{names!r}]")
    return tuple(names)


def _refusal(name: str, fleets: list[Fleet], min_memory: float, max_price: float) -> str:
    largest = max(fleet.memory for fleet in fleets)
    cheapest = min(fleet.price for fleet in fleets)
    return (
        f"no cluster of {name!r} has {min_memory:g} GiB or more for {max_price:g} USD per hour or"
        f" less: the largest of {len(fleets)} has {largest:g} GiB, the cheapest costs {cheapest:g}"
    )
