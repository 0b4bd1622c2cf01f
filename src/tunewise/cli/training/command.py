"""`tunewise train`: run a training that tunes itself."""

from pathlib import Path
from typing import Annotated

import typer

from tunewise.cli.options import DryRun, JsonLines, Namespace, Quiet, ReportFile, Storage, given

Nodes = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Run torchrun over so many nodes (a shared folder)."),
]
Address = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="The first node, as the others reach it.")
]
Node = Annotated[
    int, typer.Option(metavar="K", min=0, help="This node: 0 tunes, the others join it.")
]


def train(
    job: Annotated[Path, typer.Argument(metavar="JOB", help="The training's job file (YAML).")],
    storage: Storage = None,
    namespace: Namespace = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The training's name; else the job file's.")
    ] = None,
    manager: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who decides: pace, or selftf and its kin."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Makes the choices repeatable.")
    ] = None,
    report: ReportFile = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the model to this .npz or .safetensors file."),
    ] = None,
    predict: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ask the model in --output about the rows of this file."),
    ] = None,
    nnodes: Nodes = None,
    address: Address = None,
    node: Node = 0,
    json: JsonLines = False,
    quiet: Quiet = False,
    dry_run: DryRun = False,
) -> None:
    """Run a training that finds its best system settings while it runs.

    What happens is kept in tunewise.db in this folder, unless --storage or the job file says
    otherwise. Ctrl-C is safe: run the same command again to go on.
    """
    from tunewise.cli.training.run import join, predict_rows, run

    changes = given(name=name, namespace=namespace, manager=manager)
    changes |= given(seed=seed, nnodes=nnodes, address=address)
    if predict is not None:
        predict_rows(job, changes, output, predict)
    elif node:
        join(job, changes, storage, node)
    else:
        run(job, changes, storage, report, output, json=json, quiet=quiet, dry_run=dry_run)
