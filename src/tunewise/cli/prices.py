"""`tunewise prices`: VM types with what an hour of them costs."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunewise.cli.exit_codes import notice
from tunewise.cli.options import Json, console, print_json

if TYPE_CHECKING:
    from tunewise.space import VM, Catalogue


def prices(
    import_from: Annotated[
        Path | None,
        typer.Option(
            "--import",
            metavar="PATH",
            help="Add the prices of a CSV file, or of a SkyPilot catalogue, to your own.",
        ),
    ] = None,
    region: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Import the prices of this region only."),
    ] = None,
    min_cores: Annotated[
        float, typer.Option(metavar="N", help="Only VMs with so many cores.")
    ] = 0.0,
    min_memory: Annotated[
        float, typer.Option(metavar="GIB", help="Only VMs with so much memory.")
    ] = 0.0,
    max_price: Annotated[
        float | None, typer.Option(metavar="USD", help="Only VMs that cost at most this an hour.")
    ] = None,
    accelerator: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only VMs with this accelerator, such as V100 or T4:2."),
    ] = None,
    spot: Annotated[bool, typer.Option("--spot", help="Only VMs with a spot price.")] = False,
    json: Json = False,
) -> None:
    """List VM types with hourly prices, or import your own.

    Your own prices are kept in ~/.config/tunewise/prices.csv and count before the shipped ones.
    """
    from tunewise.job import pricebook

    if import_from is not None:
        _import(import_from, region)
        return
    if region is not None:
        raise typer.BadParameter("it goes with --import", param_hint="--region")
    listed = pricebook.known().where(
        min_vcpus=min_cores,
        min_memory=min_memory,
        max_price=float("inf") if max_price is None else max_price,
        accelerators=accelerator,
        spot=spot,
    )
    if json:
        print_json([asdict(vm) for vm in listed])
    elif len(listed):
        _print(listed, spot)
    else:
        typer.echo("no VM type is like that; `tunewise prices` lists all")


def _import(path: Path, region: str | None) -> None:
    from tunewise.job import pricebook

    imported = pricebook.catalogue_at(path, region)
    mine = pricebook.own()
    kept = pricebook.keep(imported if mine is None else mine | imported)
    are = "VM type is" if len(imported) == 1 else "VM types are"
    typer.echo(f"{len(imported)} {are} imported into {kept}")
    if apart := pricebook.left_out(path, imported):
        notice(
            f"{', '.join(apart)} can be attached to VMs of one's choice, and are left out: add rows"
            " of your own for VMs that have them, with the price of both together"
        )


def _print(listed: "Catalogue", spot: bool) -> None:
    from rich.table import Table

    rows = [_cells(vm) for vm in sorted(listed, key=lambda vm: (vm.hourly(spot), vm.name))]
    table = Table(box=None, pad_edge=False, header_style="bold")
    filled = [i for i in range(len(_HEAD)) if any(row[i] for row in rows)]
    for i in filled:
        left = _HEAD[i] in ("VM type", "accelerators")
        table.add_column(_HEAD[i], justify="left" if left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(row[i] for i in filled))
    console().print(table)


_HEAD = ("VM type", "cores", "GiB", "accelerators", "USD/h", "spot USD/h")


def _cells(vm: "VM") -> list[str]:
    return [
        vm.name,
        f"{vm.vcpus:.4g}" if vm.vcpus else "",
        f"{vm.memory:.4g}" if vm.memory else "",
        f"{vm.accelerators:g} × {vm.accelerator}" if vm.accelerator else "",
        f"{vm.price:.4g}",
        "" if vm.spot_price is None else f"{vm.spot_price:.4g}",
    ]
