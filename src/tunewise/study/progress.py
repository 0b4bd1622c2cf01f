"""What a person sees while a study runs: one live line, nothing when nobody looks."""

import logging
import sys
import time
from typing import TYPE_CHECKING, Any

from tunewise.history import Trial, TrialState

if TYPE_CHECKING:
    from tunewise.study.study import Study


class ProgressLine:
    """Trials done and running, money spent, best so far and time left, kept up to date."""

    def __init__(self, study: "Study", trials: int | None, show: bool | None) -> None:
        """By default it shows itself only on a terminal."""
        self._study, self._trials = study, trials
        self._show = sys.stderr.isatty() if show is None else show
        self._bar: Any = None
        self._began = time.monotonic()
        self._told_here = 0

    def __enter__(self) -> "ProgressLine":
        """Draw the line."""
        if self._show:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("[bold]{task.fields[name]}[/]"),
                BarColumn(bar_width=24),
                TextColumn("{task.description}"),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.add_task("", total=self._trials, name=self._study.name)
            self._bar.start()
            self.update(0)
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        if self._bar is not None:
            self._bar.stop()

    def told(self, trial: Trial) -> None:
        """Count a trial that ended."""
        self._told_here += trial.state != TrialState.PREEMPTED

    def nothing_works(self, sentence: str, number: int, reason: str) -> None:
        """Say that no trial worked, and why the last one did not, whoever looks."""
        logging.getLogger("tunewise").error("%s; trial %d: %s", sentence, number, reason)

    def note(self, sentence: str) -> None:
        """Print a sentence above the line."""
        if self._bar is not None:
            self._bar.console.print(sentence)

    def update(self, running: int) -> None:
        """Redraw, with so many trials running."""
        if self._bar is None:
            return
        history = self._study.history
        done = sum(not t.state.pending for t in history)
        self._bar.update(0, completed=done, description=self._describe(history, done, running))

    def _describe(self, history: Any, done: int, running: int) -> str:
        problem = self._study.problem
        of = f"/{self._trials}" if self._trials else ""
        parts = [f"{done}{of} done, {running} running"]
        cost = history.spent["cost"]
        if problem.budget is not None:
            parts.append(f"{cost:.4g} of {problem.budget:g} USD")
        elif cost:
            parts.append(f"{cost:.4g} USD")
        best = history.best(problem)
        parts.append(
            f"best {best.metrics[problem.objective]:.5g}" if best else "nothing feasible yet"
        )
        if self._trials and self._told_here:
            left = (time.monotonic() - self._began) / self._told_here * (self._trials - done)
            parts.append(f"about {left:.0f} s left")
        return " · ".join(parts)
