"""The command line: which commands there are, and what they share."""

import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from tunewise.cli import exit_codes
from tunewise.cli.backup import backup, restore
from tunewise.cli.clusters import clusters
from tunewise.cli.init import init
from tunewise.cli.prices import prices
from tunewise.cli.racing.collect import collect
from tunewise.cli.racing.race import race
from tunewise.cli.replay import replay
from tunewise.cli.report import report
from tunewise.cli.serve import serve
from tunewise.cli.strategies import strategies
from tunewise.cli.studies.delete import delete
from tunewise.cli.studies.enqueue import enqueue
from tunewise.cli.studies.export import export
from tunewise.cli.studies.listing import list_studies
from tunewise.cli.studies.show import show
from tunewise.cli.studies.stop import stop
from tunewise.cli.task import task
from tunewise.cli.training.command import train
from tunewise.cli.tune import tune
from tunewise.cli.tuning.work import work
from tunewise.cli.ui import ui
from tunewise.errors import TunewiseWarning
from tunewise.screen import guard_output

_INSTEAD = {
    "optimize": "tunewise tune job.yaml",
    "study": "tunewise list, tunewise show NAME or tunewise delete NAME",
    "create-study": "tunewise tune job.yaml",
    "best": "tunewise show NAME",
    "trials": "tunewise show NAME",
    "dashboard": "tunewise ui, or tunewise report NAME for one study",
}
"""What to write for commands that other tools have."""


class _Commands(TyperGroup):
    """The commands; those of other tools are answered with the line to write."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of these words."""
        if args and args[0] in _INSTEAD:
            ctx.fail(f"no such command {args[0]!r}; write {_INSTEAD[args[0]]}")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="tunewise",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)

_COMMANDS: dict[str, Callable[..., None]] = {
    "tune": tune,
    "train": train,
    "work": work,
    "show": show,
    "list": list_studies,
    "report": report,
    "export": export,
    "stop": stop,
    "enqueue": enqueue,
    "delete": delete,
    "init": init,
    "prices": prices,
    "strategies": strategies,
    "collect": collect,
    "replay": replay,
    "race": race,
    "clusters": clusters,
    "serve": serve,
    "backup": backup,
    "restore": restore,
    "ui": ui,
}
for _name, _command in _COMMANDS.items():
    app.command(_name)(exit_codes.polite(_command))
app.add_typer(task, name="task")


def _say_version(asked: bool) -> None:
    if asked:
        from tunewise import __version__

        typer.echo(f"tunewise {__version__}")
        raise typer.Exit


@app.callback()
def everything(
    version: Annotated[
        bool,
        typer.Option("--version", help="Say the version.", callback=_say_version, is_eager=True),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """Find the cloud resources and hyper-parameters that train a model best.

    Under your limits on cost and time. Start with: tunewise init, then tunewise tune job.yaml.
    """
    exit_codes.debug(debug)
    # The screen, the page and the JSON say themselves what Python programs are warned of.
    warnings.simplefilter("ignore", TunewiseWarning)


def main() -> None:
    """Run the command that the process was started with."""
    guard_output()
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(exit_codes.INTERRUPTED)
