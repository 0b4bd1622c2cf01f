"""Running the training of a job file: begin or go on, follow, and say how it ended."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tunewise.cli.options import print_json
from tunewise.cli.training.folder import training_folder
from tunewise.cli.training.live import Live
from tunewise.errors import ExecutionError
from tunewise.format import config, duration, money
from tunewise.job.training import workload
from tunewise.job.training.file import TrainFile, load
from tunewise.online import Tuner, follow
from tunewise.online.deadline import missed
from tunewise.problem import quantity
from tunewise.storage import open_store

_STORAGE = "tunewise.db"


def run(
    path: Path,
    changes: dict[str, Any],
    storage: str | None,
    report: Path | None,
    *,
    json: bool,
    quiet: bool,
    dry_run: bool,
) -> None:
    """Run the training of a job file, or go on with it."""
    file = load(path, changes)
    url = storage or _from(file.fields.storage, file) or _STORAGE
    if dry_run:
        _say_plan(file, json)
        return
    folder = training_folder(url, file.fields.namespace or "", file.name)
    tuner = _tuner(file, url)
    page = report or (Path(said) if (said := _from(file.fields.report, file)) else None)
    try:
        _follow(file, tuner, folder, Live(tuner, file, json=json, quiet=quiet))
    finally:
        if page is not None:
            from tunewise.report.training import write

            write(page, file.name, tuner, file.price, file.deadline)
    _say_end(file, tuner, json)


def _tuner(file: TrainFile, url: str) -> Tuner:
    return Tuner(
        file.space,
        file.until,
        default=file.default,
        each=workload.each(file),
        together=workload.together(file),
        price=file.saved_price,
        deadline=None if file.saved_price is None else file.deadline,
        classify=workload.kinds(file),
        manager=file.fields.manager,
        storage=open_store(url).within(file.fields.namespace or ""),
        name=file.name,
        transfer=file.fields.transfer,
        seed=file.fields.seed or 0,
    )


def _follow(file: TrainFile, tuner: Tuner, folder: Path, live: Live) -> None:
    if tuner.done:
        return
    make, every = workload.maker(file), quantity(file.fields.checkpoint, "time")
    with ExitStack() as ending:
        job = workload.begin(file, tuner.setting, folder, ending)
        if tuner.iterations:
            job.restore(folder)
            # A checkpoint may be of another setting than the last one.
            job.switch(make(tuner.setting))
        with live:
            follow(job, tuner, make, folder=folder, every=every, look=live.look)


def _from(said: str | None, file: TrainFile) -> str | None:
    """A path of the job file, from its folder; a URL as it is."""
    if said is None or "://" in said:
        return said
    return str(file.path.parent / said)


def _say_plan(file: TrainFile, json: bool) -> None:
    first = file.default or {}
    plan = {
        "name": file.name,
        "settings": file.space.size,
        "until": str(file.until),
        "minimize": file.fields.minimize,
        "deadline": file.deadline,
        "first": first,
    }
    if json:
        print_json(plan, indent=None)
        return
    from typer import echo

    size = "many" if file.space.size is None else f"{file.space.size:,}"
    echo(f"{file.name}: until {file.until}, {size} settings, least {file.fields.minimize}")


def _say_end(file: TrainFile, tuner: Tuner, json: bool) -> None:
    if not tuner.done:
        raise ExecutionError(f"the training {file.name!r} stopped before it was done")
    spent = file.spent(tuner)
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
        }
        print_json(end, indent=None)
        return
    from typer import echo

    cost = "" if spent is None else f", {money(spent)}"
    echo(
        f"{file.name}: done after {duration(tuner.seconds)}{cost}, {tuner.iterations:,} iterations;"
        f" under {config(tuner.setting)}. The first setting alone would have taken about"
        f" {duration(stay)}."
    )
    if late and file.deadline is not None:
        echo(f"{file.name}: {missed(file.deadline)}.")
