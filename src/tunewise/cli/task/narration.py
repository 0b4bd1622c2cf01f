"""What is trained, for whom and why, while it happens: lines, and on a terminal bars as well."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from tunewise.declarative.schema import Program
    from tunewise.declarative.training.work import Progress

_KINDS = {"picked": "training", "told": "trained", "failed": "failed", "given up": "stopped"}


def said(progress: "Progress") -> str:
    """What happens, in one line for a terminal."""
    parts = [progress.sentence]
    if progress.kind == "told":
        parts.append(f"{progress.seconds:.1f} s")
    elif progress.kind == "picked" and progress.low is not None:
        parts.append(f"itself likely between {progress.low:.2f} and {progress.high:.2f}")
    slice_ = "" if progress.fraction == 1 else f" on {progress.fraction:.0%} of the data"
    words = ", ".join(part for part in parts if part)
    return f"{progress.task}: {_KINDS[progress.kind]} {progress.model}{slice_}: {words}"


def say_left_out(*programs: "Program") -> None:
    """Say which candidates are not offered for want of a package."""
    from tunewise.declarative.templates import left_out

    for sentence in sorted({each for program in programs for each in left_out(program)}):
        typer.echo(sentence, err=True)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show on a terminal that something is being done, and for how long."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from tunewise.screen import screen

    out = screen(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as drawn:
        drawn.add_task(what, total=None)
        yield


@contextmanager
def narrated(quiet: bool) -> Iterator[Callable[["Progress"], None]]:
    """Somebody who hears of trainings, and says it on standard error; failures in any case."""
    from tunewise.screen import screen

    out = screen(stderr=True)
    if quiet:
        yield _failures
    elif not out.is_terminal:
        yield lambda progress: typer.echo(said(progress), err=True)
    else:
        bars = _Bars(out)
        try:
            yield bars.hear
        finally:
            bars.end()


def _failures(progress: "Progress") -> None:
    if progress.kind == "failed":
        typer.echo(said(progress), err=True)


class _Bars:
    """A bar for each training that runs, as long as it was expected to take."""

    def __init__(self, out: Any) -> None:
        from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
        from rich.progress_bar import ProgressBar

        class Elapsed(ProgressColumn):
            """How much of the expected seconds is over."""

            def render(self, task: Any) -> Any:
                over = min(task.elapsed or 0.0, task.total)
                return ProgressBar(total=task.total, completed=over, width=BarColumn().bar_width)

        class Seconds(ProgressColumn):
            """Seconds that are over, of those expected."""

            def render(self, task: Any) -> str:
                return f"{task.elapsed or 0.0:.0f} of about {task.total:.0f} s"

        columns = (TextColumn("{task.description}", markup=False), Elapsed(), Seconds())
        self._drawn = Progress(*columns, console=out, transient=True)
        self._running: dict[tuple[str, str, float], Any] = {}

    def hear(self, progress: "Progress") -> None:
        """Draw what begins, and take away what has ended."""
        # Not before the first training: the processes that train are forked without threads.
        self._drawn.start()
        self._drawn.console.print(said(progress))
        key = progress.task, progress.model, progress.fraction
        if progress.kind == "picked":
            total = max(progress.seconds, 0.1)
            described = f"{progress.task}: {progress.model}"
            self._running[key] = self._drawn.add_task(described, total=total)
        elif key in self._running:
            self._drawn.remove_task(self._running.pop(key))

    def end(self) -> None:
        """Leave the lines alone."""
        self._drawn.stop()
