"""A type of virtual machine, with its size and hourly prices."""

import math
from dataclasses import dataclass

from tunewise.errors import SpaceError


@dataclass(frozen=True)
class VM:
    """A type of virtual machine. Sizes of 0 are not stated.

    Attributes:
        name: What the cloud calls it; `local` is one core of this machine.
        vcpus: Virtual cores.
        memory: GiB.
        accelerator: What its accelerators are called, empty without any.
        accelerators: How many it has.
        price: USD per hour on demand.
        spot_price: USD per hour while nobody pays more, None where it is not sold so.
    """

    name: str
    vcpus: float = 0.0
    memory: float = 0.0
    accelerator: str = ""
    accelerators: float = 0.0
    price: float = 0.0
    spot_price: float | None = None

    def __post_init__(self) -> None:
        """Refuse a nameless type, and sizes and prices that are no amounts."""
        if not isinstance(self.name, str) or not self.name.strip():
            raise SpaceError(f"a VM type is named {self.name!r}: expected a name, such as t2.small")
        for name in ("vcpus", "memory", "accelerators", "price", "spot_price"):
            value = getattr(self, name)
            if name == "spot_price" and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise SpaceError(f"{name} of {self.name!r} is {value!r}: expected a number")
            if not (math.isfinite(value) and value >= 0):
                raise SpaceError(f"{name} of {self.name!r} is {value!r}: expected 0 or more")

    def hourly(self, spot: bool = False) -> float:
        """USD per hour, on demand or on the spot market."""
        if not spot:
            return self.price
        if self.spot_price is None:
            raise SpaceError(
                f"{self.name!r} has no spot price: expected a type with one; use it on demand at"
                f" {self.price:g} USD per hour"
            )
        return self.spot_price

    def has(self, accelerators: str) -> bool:
        """Whether it has these accelerators: `V100` in any number, or `V100:8` as exactly 8."""
        name, _, count = accelerators.partition(":")
        if count and not count.isdigit():
            raise SpaceError(f"accelerators {accelerators!r}: expected a name and count, V100:8")
        return self.accelerator.lower() == name.lower() and (
            not count or self.accelerators == int(count)
        )
