"""`tunewise task`: declare a task, feed it, let it train, ask it."""

from collections.abc import Callable

import typer

from tunewise.cli import exit_codes
from tunewise.cli.task.client import client
from tunewise.cli.task.create import create
from tunewise.cli.task.delete import delete
from tunewise.cli.task.export import export
from tunewise.cli.task.feed import feed
from tunewise.cli.task.infer import infer
from tunewise.cli.task.models import models
from tunewise.cli.task.refine import refine
from tunewise.cli.task.status import status
from tunewise.cli.task.train import train
from tunewise.cli.task.work import work

__all__ = ["task"]

task = typer.Typer(
    no_args_is_help=True,
    help="Say what goes in and what comes out, feed examples, and ask the best model so far.",
)

_COMMANDS: dict[str, Callable[..., None]] = {
    "create": create,
    "feed": feed,
    "train": train,
    "infer": infer,
    "status": status,
    "models": models,
    "refine": refine,
    "work": work,
    "client": client,
    "export": export,
    "delete": delete,
}
for _name, _command in _COMMANDS.items():
    task.command(_name)(exit_codes.polite(_command))
