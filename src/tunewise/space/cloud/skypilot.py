"""VM types out of SkyPilot's catalogue files (`~/.sky/catalogs/v8/<cloud>/vms.csv`).

There is a row for each type in each zone. On GCP, accelerators have rows of their own, without a
type, and the row of a type that cannot be had without accelerators holds the price of the bare
machine: what one pays is the sum of both.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tunewise.errors import SpaceError, nearest
from tunewise.space.cloud.pricelist import Row
from tunewise.space.cloud.vm import VM

Place = tuple[str, str]  # region and zone
Apart = dict[tuple[Place, str, float], VM]  # accelerators sold apart, by place, name and count

# GCP's accelerator types: their names end in the number of accelerators, "a2-highgpu-4g".
BUNDLES = {
    "a2-highgpu": "A100",
    "a2-megagpu": "A100",
    "a2-ultragpu": "A100-80GB",
    "a3-edgegpu": "H100",
    "a3-highgpu": "H100",
    "a3-megagpu": "H100-MEGA",
    "a3-ultragpu": "H200",
    "a4-highgpu": "B200",
}
# Or in the number of vCPUs, "g2-standard-24".
BUNDLES_BY_VCPUS: dict[str, tuple[str, dict[int, float]]] = {
    "g2-standard": ("L4", {4: 1, 8: 1, 12: 1, 16: 1, 24: 2, 32: 1, 48: 4, 96: 8}),
    "g4-standard": ("RTXPRO6000", {6: 1 / 8, 12: 1 / 4, 24: 1 / 2, 48: 1, 96: 2, 192: 4, 384: 8}),
}
_TYPE = re.compile(r"(?P<family>[ag]\d+\w*-[a-z]+)-(?P<number>\d+)(?P<g>g)?")


def vms(
    columns: list[str], rows: Iterable[Row], *, region: str | None, source: str
) -> Iterable[VM]:
    """Of each type the cheapest offer, in one region or anywhere.

    Left out is what has no price (not on sale), no type (accelerators to be added to others), or
    a price that is known to be incomplete.
    """
    needed = ("InstanceType", "Price") if region is None else ("InstanceType", "Price", "Region")
    if missing := [column for column in needed if column not in columns]:
        raise SpaceError(
            f"{source} has no column {missing[0]!r}, so it is not a catalogue of SkyPilot;"
            f" it has: {', '.join(columns)}"
        )
    sold = [row for row in _in_region(list(rows), region, source) if row.get("Price")]
    apart = {_offer_of(row): _vm(row) for row in sold if not row.get("InstanceType")}
    best: dict[str, VM] = {}
    for vm in _complete((row for row in sold if row.get("InstanceType")), apart):
        best[vm.name] = min(best.get(vm.name, vm), vm, key=_prices)
    return best.values()


def sold_apart(columns: list[str], rows: Iterable[Row]) -> list[str]:
    """The accelerators that are sold without a VM type, sorted: to be added to VMs by hand."""
    if "InstanceType" not in columns:
        return []
    apart = (row for row in rows if row.get("Price") and not row.get("InstanceType"))
    return sorted({name for row in apart if (name := row.get("AcceleratorName"))})


def _in_region(rows: list[Row], region: str | None, source: str) -> list[Row]:
    if region is None:
        return rows
    regions = sorted({row.get("Region") for row in rows})
    if region not in regions:
        raise SpaceError(f"{source} has no region {region!r}{nearest(region, regions)}")
    return [row for row in rows if row.get("Region") == region]


def _complete(rows: Iterable[Row], apart: Apart) -> Iterator[VM]:
    """The VMs of the rows, with the accelerators that must be bought with them."""
    for row in rows:
        vm = _vm(row)
        found = _TYPE.match(vm.name)
        if not apart or vm.accelerator or found is None:
            yield vm
        elif (bundle := _bundle(found)) and (extra := _sold_apart(apart, _place(row), *bundle)):
            yield _together(vm, extra)


def _bundle(found: re.Match[str]) -> tuple[str, float] | None:
    """Name and number of the accelerators of a GCP type; None for a family not known here."""
    family, number = found["family"], int(found["number"])
    if found["g"]:
        return (BUNDLES[family], number) if family in BUNDLES else None
    accelerator, counts = BUNDLES_BY_VCPUS.get(family, ("", {}))
    return (accelerator, counts[number]) if number in counts else None


def _sold_apart(apart: Apart, place: Place, name: str, count: float) -> VM | None:
    """So many accelerators at a place; parts of one at their part of its price."""
    one = apart.get((place, name, 1.0))
    if exact := apart.get((place, name, count)):
        return exact
    if one is None or count >= 1:
        return None
    spot = None if one.spot_price is None else one.spot_price * count
    return replace(one, accelerators=count, price=one.price * count, spot_price=spot)


def _together(vm: VM, extra: VM) -> VM:
    spots = [price for price in (vm.spot_price, extra.spot_price) if price is not None]
    return replace(
        vm,
        accelerator=extra.accelerator,
        accelerators=extra.accelerators,
        price=round(vm.price + extra.price, 6),
        spot_price=round(sum(spots), 6) if len(spots) == 2 else None,
    )


def _vm(row: Row) -> VM:
    return row.build(
        lambda: VM(
            name=row.get("InstanceType") or row.get("AcceleratorName"),
            vcpus=row.number("vCPUs") or 0.0,
            memory=row.number("MemoryGiB") or 0.0,
            accelerator=row.get("AcceleratorName"),
            accelerators=row.number("AcceleratorCount") or 0.0,
            price=row.number("Price") or 0.0,
            spot_price=row.number("SpotPrice"),
        )
    )


def _place(row: Row) -> Place:
    return row.get("Region"), row.get("AvailabilityZone")


def _offer_of(row: Row) -> tuple[Place, str, float]:
    return _place(row), row.get("AcceleratorName"), row.number("AcceleratorCount") or 0.0


def _prices(vm: VM) -> tuple[float, float]:
    return vm.price, math.inf if vm.spot_price is None else vm.spot_price
