"""Running the training of a job file: begin or go on, follow, and say how it ended."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from typer import Exit, echo

from tunewise.cli.exit_codes import FAILED, Interrupted, complain
from tunewise.cli.options import print_json
from tunewise.cli.report import refuse_unwritable
from tunewise.cli.training.folder import training_folder
from tunewise.cli.training.live import Live
from tunewise.cli.training.price import keep_price
from tunewise.cli.tuning import messages
from tunewise.cli.tuning.run import terminable
from tunewise.errors import ExecutionError, TunewiseError
from tunewise.format import config, duration, money
from tunewise.job.training import workload
from tunewise.job.training.file import TrainFile, load
from tunewise.job.training.outcome import check_output, predictions, validated, write_model
from tunewise.online import Tuner, follow
from tunewise.online.deadline import missed
from tunewise.online.managers.named import check_manager
from tunewise.problem import quantity
from tunewise.storage import open_store
from tunewise.storage.secrets import stated

_STORAGE = "tunewise.db"


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
    url = storage or _from(file.fields.storage, file) or _STORAGE
    page = report or (Path(said) if (said := _from(file.fields.report, file)) else None)
    if page is not None:
        refuse_unwritable(page)
    if output is not None:
        check_output(file)
        refuse_unwritable(output)
    if dry_run:
        _say_plan(file, json)
        workload.refuse_missing(file)
        return
    folder = training_folder(url, file.fields.namespace or "", file.name)
    tuner = _tuner(file, url)
    keep_price(folder, file)
    written = True
    try:
        with _interruptible(tuner):
            told = _follow(file, tuner, folder, Live(tuner, file, json=json, quiet=quiet), output)
        _say_end(file, tuner, told, json)
    finally:
        written = page is None or _wrote(page, file, tuner)
    if not written:
        raise Exit(FAILED)


def _wrote(page: Path, file: TrainFile, tuner: Tuner) -> bool:
    """Write the page; where that fails it is said, and hides nothing that was said before."""
    from tunewise.report.training import write

    try:
        write(page, file.name, tuner, file.price, file.deadline)
    except (TunewiseError, OSError) as error:
        complain(f"the report {str(page)!r} was not written: {error}")
        return False
    return True


def _tuner(file: TrainFile, url: str) -> Tuner:
    return Tuner(
        file.space,
        file.until,
        default=file.default,
        each=workload.each(file),
        together=workload.together(file),
        price=file.saved_price,
        deadline=file.deadline,
        classify=workload.kinds(file),
        manager=file.manager,
        storage=open_store(url).within(file.fields.namespace or ""),
        name=file.name,
        transfer=file.fields.transfer,
        tries=file.fields.tries,
        seed=file.fields.seed or 0,
    )


def predict_rows(path: Path, changes: dict[str, Any], output: Path | None, rows: Path) -> None:
    """Print what a written model says of the rows of a file, a line each."""
    if output is None:
        raise ExecutionError("--predict asks a model that was written; expected --output beside")
    for row in predictions(load(path, changes), output, rows):
        print_json(row, indent=None)


def _follow(
    file: TrainFile, tuner: Tuner, folder: Path, live: Live, output: Path | None
) -> dict[str, float] | None:
    """Train to the end; what the model is worth on rows that it has not seen."""
    if tuner.done and output is None:
        return None
    make, every = workload.maker(file), quantity(file.fields.checkpoint, "time")
    with ExitStack() as ending:
        job = workload.begin(file, tuner.setting, folder, ending)
        if tuner.iterations:
            if not job.restore(folder):
                tuner.lost()
            # A checkpoint may be of another setting than the last one.
            job.switch(make(tuner.setting))
        with live:
            follow(job, tuner, make, folder=folder, every=every, look=live.look)
        if file.fields.paramserver is None:
            return None
        values = job.values  # type: ignore[attr-defined] # of a simulation, and on Ray
        if output is not None:
            write_model(output, values)
        return validated(file, values)


@contextmanager
def _interruptible(tuner: Tuner) -> Iterator[None]:
    """An interruption, which ends what was started, says how to go on."""
    try:
        with terminable():
            yield
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted after {tuner.iterations:,} iterations. Go on with: {messages.again()}"
        ) from None


def _from(said: str | None, file: TrainFile) -> str | None:
    """A path of the job file, from its folder; a URL as it is."""
    said = None if said is None else stated(said, file.path.parent)
    if said is None or "://" in said:
        return said
    return str(file.path.parent / said)


def _say_plan(file: TrainFile, json: bool) -> None:
    plan = {
        "name": file.name,
        "settings": file.space.size,
        "until": str(file.until),
        "minimize": file.fields.minimize,
        "deadline": file.deadline,
        "first": file.first,
    }
    if json:
        print_json(plan, indent=None)
        return
    size = "many" if file.space.size is None else f"{file.space.size:,}"
    due = "" if file.deadline is None else f", within {duration(file.deadline)}"
    echo(
        f"{file.name}: until {file.until}, {size} settings, least {file.fields.minimize}{due};"
        f" begins under {config(file.first)}"
    )


def _spent(file: TrainFile, tuner: Tuner) -> float | None:
    """USD; what a price of a large space cannot tell hides nothing else."""
    try:
        return file.spent(tuner)
    except TunewiseError as error:
        complain(f"price: {error}")
        return None


def _say_end(
    file: TrainFile, tuner: Tuner, validation: dict[str, float] | None, json: bool
) -> None:
    if not tuner.done:
        raise ExecutionError(f"the training {file.name!r} stopped before it was done")
    spent = _spent(file, tuner)
    stay = float(tuner.staying.mean)
    late = file.deadline is not None and tuner.seconds > file.deadline
    if json:
        end = {
            "event": "end",
            "done": True,
            "seconds": tuner.seconds,
            "iterations": tuner.iterations,
            "setting": tuner.setting,
            "switches": len(tuner.switches) - 1,
            "staying": stay,
            "cost": spent,
            "deadline": file.deadline,
            "missed": late,
            "validation": validation,
        }
        print_json(end, indent=None)
        return
    cost = "" if spent is None else f", {money(spent)}"
    echo(
        f"{file.name}: done after {duration(tuner.seconds)}{cost}, {tuner.iterations:,} iterations;"
        f" under {config(tuner.setting)}. The first setting alone would have taken about"
        f" {duration(stay)}."
    )
    if validation is not None:
        loss, accuracy = validation["loss"], validation["accuracy"]
        echo(f"{file.name}: validation loss {loss:.4g}, accuracy {accuracy:.1%}.")
    if late and file.deadline is not None:
        echo(f"{file.name}: {missed(file.deadline)}.")
