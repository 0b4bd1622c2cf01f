"""Running the training of a job file: begin or go on, follow, and say how it ended."""

from functools import partial
from pathlib import Path
from typing import Any

from typer import Exit, echo

from tunewise.cli.exit_codes import FAILED, complain, notice, resumable
from tunewise.cli.options import print_json
from tunewise.errors import ExecutionError, TunewiseError
from tunewise.job.loading import DEFAULT
from tunewise.job.training import workload
from tunewise.job.training.file import TrainFile, load
from tunewise.job.training.outcome import check_output, predictions
from tunewise.job.training.price import keep_price
from tunewise.job.training.run import ended, place, planned, train, tuner_of
from tunewise.job.tuning.places import looked_into, refuse_unwritable
from tunewise.online import Tuner
from tunewise.online.managers.named import check_manager
from tunewise.online.record.folder import training_folder
from tunewise.report.terminal.live import Live
from tunewise.report.terminal.training import beginning, ending


def run(
    path: Path,
    changes: dict[str, Any],
    storage: str | None,
    report: Path | None,
    output: Path | None = None,
    *,
    json: bool,
    quiet: bool,
    dry_run: bool,
) -> None:
    """Run the training of a job file, or go on with it."""
    if "manager" in changes:
        check_manager(changes["manager"])
    file = load(path, changes)
    url = storage or place(file.fields.storage, file) or DEFAULT
    page = report or (Path(said) if (said := place(file.fields.report, file)) else None)
    if page is not None:
        refuse_unwritable(page)
    if output is not None:
        check_output(file, output)
        refuse_unwritable(output)
    for sentence in workload.notices(file):
        notice(sentence)
    if dry_run:
        print_json(planned(file), indent=None) if json else echo(beginning(planned(file)))
        workload.refuse_missing(file)
        looked_into(url, file.fields.namespace).close()
        return
    folder = training_folder(url, file.fields.namespace or "", file.name)
    tuner = tuner_of(file, url)
    keep_price(folder, file)
    hears = partial(print_json, indent=None) if json else None
    written = True
    try:
        validation = None
        if not tuner.done or output is not None:
            live = Live(tuner, file, quiet=quiet, hears=hears)
            with resumable(lambda: f" after {tuner.iterations:,} iterations"), live:
                validation = train(file, tuner, folder, live.look, output)
        end = ended(file, tuner, _spent(file, tuner), validation)
        print_json(end, indent=None) if json else echo(ending(file.name, end))
    finally:
        written = page is None or _wrote(page, file, tuner)
    if not written:
        raise Exit(FAILED)


def join(path: Path, changes: dict[str, Any], storage: str | None, node: int) -> None:
    """Take part in a training that the first node tunes, until that is done."""
    file = load(path, changes)
    url = storage or place(file.fields.storage, file) or DEFAULT
    folder = training_folder(url, file.fields.namespace or "", file.name)
    groups = workload.join_group(file, node, folder)
    echo(f"{file.name}: node {node} took part in {groups} groups")


def predict_rows(path: Path, changes: dict[str, Any], output: Path | None, rows: Path) -> None:
    """Print what a written model says of the rows of a file, a line each."""
    if output is None:
        raise ExecutionError("--predict asks a model that was written; expected --output beside")
    for row in predictions(load(path, changes), output, rows):
        print_json(row, indent=None)


def _wrote(page: Path, file: TrainFile, tuner: Tuner) -> bool:
    """Write the page; where that fails it is said, and hides nothing that was said before."""
    from tunewise.report.training import write

    try:
        write(page, file.name, tuner, file.price, file.deadline)
    except (TunewiseError, OSError) as error:
        complain(f"the report {str(page)!r} was not written: {error}")
        return False
    return True


def _spent(file: TrainFile, tuner: Tuner) -> float | None:
    """USD; what a price of a large space cannot tell hides nothing else."""
    try:
        return file.spent(tuner)
    except TunewiseError as error:
        complain(f"price: {error}")
        return None
