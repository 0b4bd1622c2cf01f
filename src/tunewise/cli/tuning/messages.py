"""What `tunewise tune` says before it begins, in a dry run, and when it has ended."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tunewise.cli.options import console
from tunewise.cli.studies import stored_study
from tunewise.format import money, share_of_data, value
from tunewise.report.failures import failures

if TYPE_CHECKING:
    from tunewise.cli.studies.stored_study import StoredStudy
    from tunewise.job.jobfile import JobFile
    from tunewise.problem import Problem

_SHOWN = 60
"""So many trials are shown at the end; `tunewise show` and the report have all."""

_ENDLESS = "when you stop it: no trials, timeout, target or budget is given"


@dataclass(frozen=True)
class Resumed:
    """A study that is there: its trials that have ended, and whether its problem would change."""

    ended: int
    anew: bool


def options(url: str, namespace: str | None) -> str:
    """What a command needs to find the study again, beside its name."""
    from tunewise.storage.secrets import redacted

    where = "" if url == stored_study.DEFAULT else f" --storage {shlex.quote(redacted(url))}"
    return where + (f" --namespace {shlex.quote(namespace)}" if namespace else "")


def again() -> str:
    """The command that this process was started with, without a password."""
    from tunewise.storage.secrets import redacted

    return shlex.join(["tunewise", *map(redacted, sys.argv[1:])])


def print_end(kept: "StoredStudy", where: str, page: Path | None, *, seen: bool) -> None:
    """What was tried (unless just seen), what it cost, what to deploy, where everything is."""
    from rich.text import Text

    from tunewise.report import text

    out = console()
    if not (seen and out.is_terminal):
        out.print(text.trials_table(kept.problem, kept.history, _SHOWN))
    out.print(text.summary(kept.problem, kept.history, kept.recommend()))
    if stopped := kept.record.noted.stopped:
        out.print(Text(f"ended: {stopped}"))
    study = shlex.quote(kept.record.name)
    places = {
        "report": str(page) if page else f"write it with: tunewise report {study}{where}",
        "logs": f"{short(kept.folder)}/TRIAL/log.txt" if kept.folder else "not kept",
        "again": f"tunewise show {study}{where}",
    }
    for name, place in places.items():
        out.print(Text(f"{name:<7} {place}"), soft_wrap=True)


def nothing_measured(kept: "StoredStudy") -> str:
    """Why there is no answer: the reason most trials failed for, and where to read on."""
    groups = failures(kept.history)
    if not groups:
        return "no trial was measured, so nothing can be recommended"
    first = groups[0]
    log = kept.log(kept.history[first.numbers[0]])
    seen = f" (its output is in {short(log)})" if log and log.stat().st_size else ""
    return f"no trial was measured: trial {first.numbers[0]} failed: {first.reason}{seen}"


def print_plan(file: "JobFile", url: str, before: Resumed | None) -> None:
    """What would be run, on what there is; None for a new study."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for name, said in _plan(file, url, before).items():
        grid.add_row(Text(name, "dim"), Text(said))
    console().print(grid)


def _plan(file: "JobFile", url: str, before: Resumed | None) -> dict[str, str]:
    from tunewise.storage.secrets import redacted

    problem, fields = file.problem, file.fields
    size = problem.space.size
    ends = {
        "trials": fields.trials,
        "timeout": fields.timeout,
        "target": fields.target,
        "min_gain": fields.min_gain,
        "budget": None if problem.budget is None else money(problem.budget),
    }
    options = "".join(f", {k}={v}" for k, v in file.strategy.options.items())
    return {
        "study": f"{file.name} in {redacted(url)}{_resumed(before)}",
        **({"namespace": file.fields.namespace} if file.fields.namespace else {}),
        "goal": problem.goal,
        "space": f"{', '.join(problem.space.names)}: {'many' if size is None else f'{size:,}'}"
        " configs",
        "data": ", ".join(share_of_data(s) for s in problem.fractions),
        "price": _prices(problem),
        "strategy": f"{file.strategy.name}{options}",
        "job": _job(file),
        "ends": ", ".join(f"{k} {v}" for k, v in ends.items() if v is not None)
        or ("when every config was tried" if size else _ENDLESS),
        "parallel": str(fields.parallel),
        "first": _first(file)
        if before is None or not before.ended
        else "chosen by what the study has measured",
    }


def _resumed(before: Resumed | None) -> str:
    if before is None:
        return ""
    trials = f"{before.ended:,} trial{'' if before.ended == 1 else 's'}"
    anew = ", whose limits, budget or space are new from then on" if before.anew else ""
    return f", which is there and goes on after {trials}{anew}"


def _job(file: "JobFile") -> str:
    said = file.fields.command if file.fields.command is not None else file.fields.python
    return " ".join(said.split() if isinstance(said, str) else map(str, said or []))


def _prices(problem: "Problem") -> str:
    if problem.price is None:
        return "as the job measures it"
    if not problem.space.finite:
        return "known for every config"
    usd = [problem.price(config) for config in problem.space.configs]
    low, high = money(min(usd)), money(max(usd))
    return f"{low} per hour" if low == high else f"{low} to {high} per hour"


def _first(file: "JobFile") -> str:
    """The trial that would be run first, where the seed is known."""
    from tunewise.history import History

    if file.fields.warm_start:
        return "chosen by what other studies measured"
    if file.fields.seed is None:
        return "chosen by a new seed"
    suggested = file.strategy.build(file.problem, file.fields.seed).suggest(History(), 1)
    shown = (f"{k}={value(v)}" for trial in suggested for k, v in trial.config.items())
    return " ".join(shown)


def short(path: Any) -> str:
    """A path from here, where that is shorter."""
    absolute = Path(path).absolute()
    try:
        return str(absolute.relative_to(Path.cwd()))
    except ValueError:
        return str(absolute)
