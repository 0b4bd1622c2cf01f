"""VM types with their prices, and rented clusters, for terminals."""

from typing import TYPE_CHECKING

from tunewise.execution.sky.leases import Lease
from tunewise.format import MISSING, money
from tunewise.report.terminal.lines import listed
from tunewise.space import VM, Catalogue

if TYPE_CHECKING:
    from rich.table import Table

_PRICES = ("VM type", "cores", "GiB", "accelerators", "USD/h", "spot USD/h")
_CLUSTERS = ("cluster", "machines", "trial", "USD per hour", "cost until now", "state")
_WORDS = ("VM type", "accelerators", "cluster", "machines", "state")


def prices_table(vms: Catalogue, spot: bool) -> "Table":
    """A line for each VM type, the cheapest first, without columns that say nothing."""
    rows = [_vm(vm) for vm in sorted(vms, key=lambda vm: (vm.hourly(spot), vm.name))]
    filled = [i for i in range(len(_PRICES)) if any(row[i] for row in rows)]
    cells = ([row[i] for i in filled] for row in rows)
    return listed([_PRICES[i] for i in filled], cells, _WORDS)


def _vm(vm: VM) -> list[str]:
    return [
        vm.name,
        f"{vm.vcpus:.4g}" if vm.vcpus else "",
        f"{vm.memory:.4g}" if vm.memory else "",
        f"{vm.accelerators:g} × {vm.accelerator}" if vm.accelerator else "",
        f"{vm.price:.4g}",
        "" if vm.spot_price is None else f"{vm.spot_price:.4g}",
    ]


def clusters_table(leases: list[Lease]) -> "Table":
    """A line for each cluster that is rented."""
    return listed(_CLUSTERS, map(_cluster, leases), _WORDS)


def _cluster(lease: Lease) -> list[str]:
    state = "in use" if lease.in_use else "left behind"
    known = [str(lease.trial), f"{lease.hourly:g}", money(lease.cost()), state]
    return [lease.name, lease.machines, *([MISSING] * 4 if lease.unreadable else known)]
