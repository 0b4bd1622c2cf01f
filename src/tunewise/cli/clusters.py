"""`tunewise clusters`: which rented clusters are up, and what they cost."""

from typing import Annotated

import typer

from tunewise.cli.exit_codes import FAILED, complain
from tunewise.cli.options import Json, print_json, say


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
    from tunewise.report.terminal.machines import clusters_table

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
        say(clusters_table(found))
    if failed:
        raise typer.Exit(failed)
