"""What a person sees while a study runs: one live line, nothing when nobody looks."""

import logging
import math
import sys
import time
from typing import TYPE_CHECKING, Any

from tunewise.format import duration, headline, measured, money
from tunewise.history import Failure, History, Trial
from tunewise.screen import screen, shown

if TYPE_CHECKING:
    from rich.console import Console

    from tunewise.study.study import Study


class ProgressLine:
    """Trials done and running, money spent, best so far and time left, kept up to date."""

    def __init__(
        self, study: "Study", trials: int | None, show: bool | None, timeout: float | None = None
    ) -> None:
        """By default it shows itself only on a terminal."""
        self._study, self._trials = study, trials
        self._seconds = math.inf if timeout is None else timeout
        self._show = sys.stderr.isatty() if show is None else show
        self._bar: Any = None
        self._began = time.monotonic()
        self._already = 0
        self._failed = False

    def __enter__(self) -> "ProgressLine":
        """Draw the line."""
        self._already = len(self._study.history.ended)
        if self._show:
            self._draw(screen(stderr=True))
        return self

    def _draw(self, console: "Console") -> None:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

        self._bar = Progress(
            SpinnerColumn(),
            BarColumn(bar_width=20),
            TextColumn("{task.description}"),
            console=console,
            transient=True,
        )
        self._bar.add_task("", total=self._trials)
        self._bar.start()
        self.update(0)

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        if self._bar is not None:
            self._bar.stop()

    def told(self, trial: Trial) -> None:
        """A trial ended, or was preempted; the first that failed is spoken of."""
        outcome = trial.outcome
        if type(outcome) is not Failure or self._failed:
            return
        self._failed = True
        self.warn(f"trial {trial.number} failed: {shown(headline(outcome.reason))}")

    def warn(self, sentence: str) -> None:
        """Say a sentence that is not to be missed, also where no line is drawn."""
        if self._bar is not None:
            self.note(sentence)
        else:
            logging.getLogger("tunewise").warning("%s", sentence)

    def nothing_works(self, sentence: str, number: int, reason: str) -> None:
        """Say that no trial worked, and why the last one did not, whoever looks."""
        logging.getLogger("tunewise").error("%s; trial %d: %s", sentence, number, shown(reason))

    def note(self, sentence: str) -> None:
        """Print a sentence above the line."""
        if self._bar is not None:
            self._bar.console.print(sentence)

    def update(self, running: int) -> None:
        """Redraw, with so many trials running."""
        if self._bar is None:
            return
        history = self._study.history
        done = len(history.ended)
        self._bar.update(0, completed=done, description=self._describe(history, done, running))

    def _describe(self, history: History, done: int, running: int) -> str:
        problem = self._study.problem
        of = f"/{self._trials}" if self._trials else ""
        parts = [f"{done}{of} trials", f"{running} running"]
        cost = history.spent["cost"]
        if problem.budget is not None:
            parts.append(f"{money(cost).removesuffix(' USD')} of {money(problem.budget)}")
        elif cost:
            parts.append(money(cost))
        best = history.best(problem)
        if best is not None:
            metric = problem.metrics[problem.objective]
            parts.append(f"best {measured(metric, best.metrics[problem.objective])}")
        left = self._left(history, done)
        return " · ".join(parts) + (f" · ~{duration(left)} left" if left is not None else "")

    def _left(self, history: History, done: int) -> float | None:
        """Seconds until the first limit is met, at the pace so far; None while unknown."""
        elapsed = time.monotonic() - self._began
        limits = [self._seconds - elapsed]
        here = done - self._already
        if self._trials and here > 0:
            limits.append(elapsed / here * (self._trials - done))
        budget, spent = self._study.problem.budget, history.spent["cost"]
        if budget is not None and here > 0 and spent > 0:
            limits.append(elapsed / here * (budget - spent) / (spent / done))
        left = min(limits)
        if not math.isfinite(left):
            return None
        return float(round(max(left, 0.0)))
