"""`tunewise tune`: run or resume the study of a job file."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from tunewise.cli.options import (
    DryRun,
    JsonLines,
    Namespace,
    Quiet,
    ReportFile,
    Server,
    Storage,
    given,
    print_json,
)
from tunewise.errors import JobFileError

MinGain = Annotated[
    str | None,
    typer.Option(
        metavar="GAIN",
        help="Stop when a trial is expected to bring less: an amount, or such as '10 %'.",
    ),
]
MinTrials = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Trials before --min-gain may stop the search."),
]
WarmStart = Annotated[
    list[str] | None,
    typer.Option(metavar="STUDY", help="Learn from this study too; may be repeated."),
]


class OnChange(StrEnum):
    """What becomes of a study when its job file states another problem."""

    REFUSE = "refuse"
    NEW_PROBLEM = "new-problem"


Change = Annotated[
    OnChange,
    typer.Option(help="Whether to go on with a study whose problem the job file changed."),
]
Name = Annotated[
    str | None, typer.Option(metavar="NAME", help="The study's name; else the job file's.")
]
Trials = Annotated[int | None, typer.Option(metavar="N", min=1, help="Trials in the study in all.")]


def tune(
    job: Annotated[Path, typer.Argument(metavar="JOB", help="The job file (YAML).")],
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    send: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="With --server: what the job reads besides; repeatable."),
    ] = None,
    name: Name = None,
    trials: Trials = None,
    timeout: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop after a time such as 600 or '10 min'.")
    ] = None,
    min_gain: MinGain = None,
    min_trials: MinTrials = None,
    parallel: Annotated[
        int | None, typer.Option(metavar="K", min=1, help="Trials at once.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="USD", help="Money for the whole search.")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who decides; see `tunewise strategies`.")
    ] = None,
    warm_start: WarmStart = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Makes the search repeatable.")
    ] = None,
    report: ReportFile = None,
    json: JsonLines = False,
    on_change: Change = OnChange.REFUSE,
    quiet: Quiet = False,
    dry_run: DryRun = False,
) -> None:
    """Run the study of a job file, or resume it.

    Its storage is tunewise.db in this folder, unless --storage or the job file says otherwise.
    Logs and results of trials are kept beside the storage. Ctrl-C is safe: run the same command
    again to go on.
    """
    changes = given(
        name=name, namespace=namespace, trials=trials, seed=seed, timeout=timeout,
        min_gain=min_gain, min_trials=min_trials, parallel=parallel, budget=budget,
        strategy=strategy, warm_start=warm_start or None,
    )  # fmt: skip
    if server is not None:
        _submit(server, job, changes, send or [], json)
        return
    if send:
        raise JobFileError("--send is for a job that a service runs; expected --server URL, too")
    from tunewise.cli.tuning.run import run

    run(job, changes, storage, report, json=json, quiet=quiet, dry_run=dry_run, on_change=on_change)


def _submit(server: str, job: Path, changes: dict[str, Any], send: list[Path], json: bool) -> None:
    """Have a service run the job."""
    from tunewise.service.client import Client

    changes.pop("namespace", None)
    told = Client(server).submit(job, changes.pop("name", None), files=send, **changes)
    if json:
        print_json(told, indent=None)
    else:
        where = f"{server.rstrip('/')}/studies/{quote(told['study'], safe='')}"
        typer.echo(f"study {told['study']!r} is {told['state']}; look at it at {where}")
