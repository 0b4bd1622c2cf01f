"""What a person's own price list says of the machines that a space names."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from tunewise.space import VM, Catalogue, Choice, Ordinal, Space
from tunewise.space.cloud.machine import family_of


def listed(space: Space, catalogue: Catalogue | None) -> Catalogue:
    """The VM types of a catalogue that are of a family which a choice in the space names.

    What ships with Tunewise is known anyway and left out: most problems have none then.

    Args:
        space: Whose choices may name VM types.
        catalogue: None for the usual one: imported prices, where there are any.
    """
    values = [
        value
        for parameter in space.parameters
        if isinstance(parameter, Choice | Ordinal)
        for value in parameter.values()
        # Clouds number their types: no price list is read for a choice of optimisers.
        if isinstance(value, str) and any(map(str.isdigit, value))
    ]
    if not values:
        return Catalogue([])
    families, shipped = {family_of(value) for value in values}, Catalogue.shipped()
    known = Catalogue.usual() if catalogue is None else catalogue
    return Catalogue(
        vm
        for vm in known
        if family_of(vm.name) in families and (vm.name not in shipped or shipped[vm.name] != vm)
    )


def described_machines(machines: Catalogue) -> list[dict[str, Any]]:
    """As plain data."""
    return [asdict(vm) for vm in machines]


def machines_described(machines: Iterable[Mapping[str, Any]]) -> Catalogue:
    """The VM types that `described_machines` told of."""
    return Catalogue(VM(**vm) for vm in machines)
