"""`tunewise clusters`: which rented clusters are up, and what they cost."""

from typing import Annotated

import typer

from tunewise.cli.options import Json, console, print_json


def clusters(
    down: Annotated[
        bool, typer.Option("--down", help="Tear down those that a crash has left behind.")
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
    from tunewise.format import money

    leases = Leases()
    if down:
        command = Sky(sky)
        command.check()
        clean(leases, command)
    found = list(leases)
    if json:
        print_json([{**vars(each), "in_use": each.in_use, "cost": each.cost()} for each in found])
        return
    if not found:
        typer.echo("no rented cluster is up")
        return
    from rich.table import Table

    table = Table("cluster", "machines", "trial", "USD per hour", "cost until now", "state")
    for each in found:
        state = "in use" if each.in_use else "left behind"
        cost = money(each.cost())
        table.add_row(each.name, each.machines, str(each.trial), f"{each.hourly:g}", cost, state)
    console().print(table)
