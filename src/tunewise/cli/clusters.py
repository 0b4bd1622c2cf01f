"""`tunewise clusters`: which rented clusters are up, and what they cost."""

from typing import TYPE_CHECKING, Annotated

import typer

from tunewise.cli.exit_codes import FAILED, complain
from tunewise.cli.options import Json, console, print_json

if TYPE_CHECKING:
    from tunewise.execution.sky.leases import Lease


def clusters(
    down: Annotated[
        bool, typer.Option("--down", help="Tear down those that were left behind.")
    ] = False,
    sky: Annotated[
        str, typer.Option(metavar="COMMAND", help="SkyPilot's command, for --down.")
    ] = "sky",
    json: Json = False,
) -> None:
    """List the rented clusters that are up, and what they cost.

    One that is left behind is torn down by the next run on rented machines, or by --down.
    """
    from tunewise.execution.sky.command import Sky
    from tunewise.execution.sky.executor import clean
    from tunewise.execution.sky.leases import Leases

    leases, failed = Leases(), 0
    if down:
        command = Sky(sky)
        command.check()
        for each in clean(leases, command, unreadable=True):
            complain(f"the cluster {each.name} may still be up: `sky down` failed")
            failed = FAILED
    found = list(leases)
    if json:
        print_json([{**vars(each), "in_use": each.in_use, "cost": each.cost()} for each in found])
    elif not found:
        typer.echo("no rented cluster is up")
    else:
        _print(found)
    if failed:
        raise typer.Exit(failed)


def _print(found: "list[Lease]") -> None:
    from rich.table import Table

    from tunewise.format import MISSING, money

    table = Table("cluster", "machines", "trial", "USD per hour", "cost until now", "state")
    for each in found:
        state = "in use" if each.in_use else "left behind"
        known = [str(each.trial), f"{each.hourly:g}", money(each.cost())]
        shown = [MISSING] * 4 if each.unreadable else [*known, state]
        table.add_row(each.name, each.machines, *shown)
    console().print(table)
