"""What the name of a VM type says about its size: the catalogue's word, a known size, a guess."""

import re
from dataclasses import dataclass
from functools import cache
from statistics import median

from tunewise.space.cloud.catalogue import Catalogue
from tunewise.space.cloud.sizes import size_of
from tunewise.space.cloud.vm import VM

_NAME = re.compile(r"(?P<family>[a-z][a-z0-9-]*)\.(?:(?P<times>\d*)x)?(?P<size>[a-z]+)\Z")
_VCPUS = {"nano": 0.125, "micro": 0.25, "small": 0.5, "medium": 1.0, "large": 2.0}
_MEMORY_PER_VCPU = {"c": 2.0, "m": 4.0, "t": 4.0, "r": 8.0, "i": 8.0}
"""GiB by the family's first letter: made for computing, general, bursting, memory, storage."""


@dataclass(frozen=True)
class Machine:
    """The size of a VM type.

    Attributes:
        family: Types of one family differ in size only.
        vcpus: Virtual cores.
        memory: GiB, None where nothing tells.
        price: USD per hour by a price list; None where it lists none of the family.
    """

    family: str
    vcpus: float
    memory: float | None = None
    price: float | None = None

    @classmethod
    def of(cls, name: object, listed: Catalogue | None = None) -> "Machine | None":
        """The machine of that name, None where the name does not tell its size.

        Args:
            name: What the cloud calls it.
            listed: VM types that count before those that ship with Tunewise.
        """
        if not isinstance(name, str):
            return None
        if listed is None or not len(listed):
            return _known(name)
        known = Catalogue.shipped() | listed
        return _looked_up(name, known, _listed_price(family_of(name), known))

    @classmethod
    def like(cls, vm: VM) -> "Machine | None":
        """The machine that a VM type states, None where its cores are not stated."""
        if not vm.vcpus:
            return None
        return cls(family_of(vm.name), vm.vcpus, vm.memory or None, vm.price or None)


@cache
def _known(name: str) -> Machine | None:
    return _looked_up(name, Catalogue.shipped(), _shipped_price(family_of(name)))


def _looked_up(name: str, known: Catalogue, per_vcpu: float | None) -> Machine | None:
    """By a catalogue, else by its size or its name with the price of its family per core."""
    machine = Machine.like(known[name]) if name in known else None
    if machine is not None:
        return machine
    if (size := size_of(name)) is None:
        return _parsed(name, per_vcpu)
    return Machine(size.family, size.vcpus, size.memory, per_vcpu and per_vcpu * size.vcpus)


def _parsed(name: str, price: float | None) -> Machine | None:
    """From names such as c4.2xlarge: an xlarge has 4 virtual cores, in every family."""
    found = _NAME.match(name)
    if found is None:
        return None
    if found["times"] is not None:
        vcpus = 4.0 * int(found["times"] or 1) if found["size"] == "large" else 0.0
    else:
        vcpus = _VCPUS.get(found["size"], 0.0)
    if not vcpus:
        return None
    family, per_vcpu = found["family"], _MEMORY_PER_VCPU.get(found["family"][0])
    return Machine(family, vcpus, per_vcpu and per_vcpu * vcpus, price and price * vcpus)


@cache
def _shipped_price(family: str) -> float | None:
    return _listed_price(family, Catalogue.shipped())


def _listed_price(family: str, known: Catalogue) -> float | None:
    """USD per virtual core and hour, of the largest listed type of the family."""
    listed = [vm for vm in known if family_of(vm.name) == family and vm.price and vm.vcpus]
    largest = max(listed, key=lambda vm: vm.vcpus, default=None)
    return None if largest is None else largest.price / largest.vcpus


@cache
def usual_price() -> float:
    """USD per virtual core and hour of a machine of which nothing is known."""
    return median(vm.price / vm.vcpus for vm in Catalogue.shipped() if vm.price and vm.vcpus)


def family_of(name: str) -> str:
    """Types of one family differ in size only: m5 of m5.large, n1-standard of n1-standard-4."""
    size = size_of(name)
    return name.partition(".")[0] if size is None else size.family
