"""VM types with their sizes and hourly prices."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import cache
from importlib.resources import files
from typing import Self

from tunewise.errors import SpaceError, nearest
from tunewise.space.cloud import skypilot
from tunewise.space.cloud.pricelist import Row, read_rows, refuse_row, write_rows
from tunewise.space.cloud.sizes import size_of
from tunewise.space.cloud.vm import VM

SHIPPED = "aws-2018.csv"

Lines = str | Iterable[str]


class Catalogue:
    """VM types by name, in order."""

    def __init__(self, vms: Iterable[VM]) -> None:
        """Take VM types with distinct names."""
        self._vms: dict[str, VM] = {}
        for vm in vms:
            if vm.name in self._vms:
                raise SpaceError(f"the catalogue lists {vm.name!r} twice: expected distinct names")
            self._vms[vm.name] = vm

    @classmethod
    def shipped(cls) -> "Catalogue":
        """The AWS types of 2018 that the published measurements used, and `local` cores."""
        return _shipped()

    @classmethod
    def usual(cls) -> "Catalogue":
        """What counts where nobody says otherwise: the shipped one, or what `make_usual` named."""
        return _usual[-1]()

    @staticmethod
    def make_usual(source: "Callable[[], Catalogue]") -> None:
        """Take the usual prices from here: only who reads files knows a person's own ones."""
        _usual[:] = [source]

    @classmethod
    def read(cls, text: Lines, source: str = "the catalogue") -> Self:
        """From CSV with the columns name and price, and any of the other fields of a VM.

        A file in SkyPilot's format is recognised by its header. `source` names it in errors.
        """
        columns, rows = read_rows(text, source)
        if "InstanceType" in columns:
            return cls(skypilot.vms(columns, rows, region=None, source=source))
        known = [field.name for field in fields(VM)]
        if unknown := [column for column in columns if column not in known]:
            raise SpaceError(f"{source} has a column {unknown[0]!r}{nearest(unknown[0], known)}")
        if missing := [column for column in ("name", "price") if column not in columns]:
            raise SpaceError(f"{source} has no column {missing[0]!r}; Valid: {', '.join(known)}")
        vms: dict[str, VM] = {}
        for row in rows:
            vm = _vm(row)
            if vm.name in vms:
                raise refuse_row(row, f"{vm.name!r} is listed twice; expected distinct names")
            vms[vm.name] = vm
        return cls(vms.values())

    @classmethod
    def from_skypilot(
        cls, text: Lines, region: str | None = None, source: str = "the catalogue"
    ) -> Self:
        """From SkyPilot's `vms.csv`: of each type the cheapest offer, in one region or anywhere."""
        return cls(skypilot.vms(*read_rows(text, source), region=region, source=source))

    def __getitem__(self, name: str) -> VM:
        """The VM type of that name."""
        if name not in self._vms and (size := size_of(str(name))) is not None:
            raise SpaceError(
                f"the VM type {name!r} ({size.vcpus:g} cores, {size.memory:g} GiB) has no price in"
                " this catalogue: import a current list with `tunewise prices --import FILE`, or"
                " give one with catalogue="
            )
        if name not in self._vms:
            raise SpaceError(f"unknown VM type {name!r}{nearest(str(name), self._vms)}")
        return self._vms[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is a type of that name."""
        return name in self._vms

    def __iter__(self) -> Iterator[VM]:
        """The VM types in order."""
        return iter(self._vms.values())

    def __len__(self) -> int:
        """How many types there are."""
        return len(self._vms)

    def __eq__(self, other: object) -> bool:
        """Equal with the same types in the same order."""
        return isinstance(other, Catalogue) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment] # compared by content, so not a key

    def __or__(self, other: "Catalogue") -> "Catalogue":
        """Both together; where both know a type, the right one's price counts."""
        return Catalogue({**self._vms, **other._vms}.values())

    @property
    def names(self) -> list[str]:
        """The names of the types, in order."""
        return list(self._vms)

    def where(
        self,
        *,
        min_vcpus: float = 0,
        min_memory: float = 0,
        max_price: float = math.inf,
        accelerators: str | None = None,
        spot: bool = False,
    ) -> "Catalogue":
        """The types whose single VM is large and cheap enough.

        Args:
            min_vcpus: Virtual cores at least.
            min_memory: GiB at least.
            max_price: USD per hour at most, on demand or, with spot, on the spot market.
            accelerators: `V100`, `V100:8`, or an empty text for types without any.
            spot: Only types that are sold on the spot market.
        """
        return Catalogue(
            vm
            for vm in self
            if vm.vcpus >= min_vcpus
            and vm.memory >= min_memory
            and (accelerators is None or vm.has(accelerators))
            and (not spot or vm.spot_price is not None)
            and vm.hourly(spot) <= max_price
        )

    def csv(self) -> str:
        """As text that `read` understands."""
        names = [field.name for field in fields(VM)]
        return write_rows(names, ([getattr(vm, name) for name in names] for vm in self))


_usual: list[Callable[[], Catalogue]] = [Catalogue.shipped]


@cache
def _shipped() -> Catalogue:
    return Catalogue.read(
        files("tunewise.space.cloud").joinpath(SHIPPED).read_text("utf-8"), SHIPPED
    )


def _vm(row: Row) -> VM:
    price = row.number("price")
    if price is None:
        raise refuse_row(row, f"{row.get('name')!r} has no price; expected USD per hour")
    return row.build(
        lambda: VM(
            name=row.get("name"),
            vcpus=row.number("vcpus") or 0.0,
            memory=row.number("memory") or 0.0,
            accelerator=row.get("accelerator"),
            accelerators=row.number("accelerators") or 0.0,
            price=price,
            spot_price=row.number("spot_price"),
        )
    )
