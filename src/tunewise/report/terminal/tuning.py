"""What `tunewise tune` says when it has ended, for terminals."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tunewise.report import text
from tunewise.report.failures import failures
from tunewise.study.stored import StoredStudy

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHOWN = 60
"""So many trials are shown at the end; `tunewise show` and the report have all."""


def ending(
    study: StoredStudy, where: str, page: Path | None, *, seen: bool
) -> "Iterator[RenderableType]":
    """What was tried (unless just seen), what it cost, what to deploy, where everything is."""
    from rich.text import Text

    history, noted = study.history, study.noted
    if not seen:
        yield text.trials_table(study.problem, history, _SHOWN)
    yield text.summary(study.problem, history, study.recommendation)
    if noted.stopped:
        yield Text(f"ended: {noted.stopped}")
    name = shlex.quote(study.name)
    places = {
        "report": str(page) if page else f"write it with: tunewise report {name}{where}",
        "logs": f"{short(Path(noted.folder))}/TRIAL/log.txt" if noted.folder else "not kept",
        "again": f"tunewise show {name}{where}",
    }
    yield from (Text(f"{name:<7} {place}") for name, place in places.items())


def nothing_measured(study: StoredStudy) -> str:
    """Why there is no answer: the reason most trials failed for, and where to read on."""
    history = study.history
    groups = failures(history)
    if not groups:
        return "no trial was measured, so nothing can be recommended"
    first = groups[0]
    log = study.log(history[first.numbers[0]])
    seen = f" (its output is in {short(log)})" if log and log.stat().st_size else ""
    return f"no trial was measured: trial {first.numbers[0]} failed: {first.reason}{seen}"


def short(path: Path) -> str:
    """A path from here, where that is shorter."""
    absolute = path.absolute()
    try:
        return str(absolute.relative_to(Path.cwd()))
    except ValueError:
        return str(absolute)
