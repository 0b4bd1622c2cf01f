"""The machines of one trial, and what an hour of them costs."""

from dataclasses import dataclass

from tunewise.errors import SpaceError
from tunewise.space.cloud.catalogue import Catalogue
from tunewise.space.cloud.vm import VM

SAME = "same"
"""A helper of the workers' own type."""


@dataclass(frozen=True)
class Fleet:
    """Workers of one type, and helpers such as a parameter server or a book-keeper.

    Attributes:
        vm: The workers' type.
        count: How many workers there are.
        helpers: The helpers' types. They are bought on demand always: losing one loses the trial.
        spot: Whether workers are bought on the spot market.
    """

    vm: VM
    count: int
    helpers: tuple[VM, ...] = ()
    spot: bool = False

    def __post_init__(self) -> None:
        """Refuse a count that is no number of machines."""
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 1:
            raise SpaceError(
                f"{self.count!r} VMs of {self.vm.name!r}: expected a whole number of 1 or more"
            )

    @classmethod
    def of(
        cls,
        vm: str,
        count: int,
        helpers: tuple[str, ...] = (),
        spot: bool = False,
        catalogue: Catalogue | None = None,
    ) -> "Fleet":
        """By the names of a catalogue; the helper `same` is one more of the workers' type."""
        types = Catalogue.shipped() if catalogue is None else catalogue
        helping = tuple(types[vm if helper == SAME else helper] for helper in helpers)
        return cls(types[vm], count, helping, spot)

    def __str__(self) -> str:
        """Type and count, as in `t2.small:4`."""
        return f"{self.vm.name}:{self.count}"

    @property
    def cores(self) -> float:
        """Virtual cores of all workers."""
        return self.vm.vcpus * self.count

    @property
    def memory(self) -> float:
        """GiB of all workers."""
        return self.vm.memory * self.count

    @property
    def price(self) -> float:
        """USD per hour of workers and helpers."""
        return self.vm.hourly(self.spot) * self.count + sum(h.price for h in self.helpers)
