"""`tunewise prices`: VM types with what an hour of them costs."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tunewise.cli.exit_codes import notice
from tunewise.cli.options import Json, print_json, say


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
    from tunewise.report.terminal.machines import prices_table

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
        say(prices_table(listed, spot))
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
