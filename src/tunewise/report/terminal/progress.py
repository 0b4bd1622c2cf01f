"""What a person sees while a job file is tuned: the study's live line, and a line a trial."""

from typing import TYPE_CHECKING

from tunewise.format import (
    MISSING,
    amount,
    headline,
    measured,
    value,
)
from tunewise.history import BOOKED, Failure, TimedOut, Trial, TrialState, alike
from tunewise.problem import Problem, quantity
from tunewise.report.standing import Standing, standing
from tunewise.study.run.progress import ProgressLine

if TYPE_CHECKING:
    from rich.text import Text

    from tunewise.space import Parameter
    from tunewise.study import Study

_STYLES = {
    Standing.KEEPS: ("✓", "green"),
    Standing.PARTIAL: ("✓", "cyan"),
    Standing.BREAKS: ("✗", "yellow"),
    Standing.FAILED: ("!", "red"),
    Standing.CANCELLED: ("–", "bright_black"),
    Standing.PENDING: ("↻", "bright_black"),
}


class TerminalProgress(ProgressLine):
    """Shows a run on standard error: a living line on a terminal, plain lines elsewhere."""

    def __init__(
        self, study: "Study", trials: int | None, timeout: float | str | None, show: bool = True
    ) -> None:
        """Nothing is drawn before the run begins, and nothing at all unless `show`."""
        seconds = None if timeout is None else quantity(timeout, "time")
        super().__init__(study, trials, False, seconds)
        from tunewise.screen import screen

        self._console = screen(stderr=True, quiet=not show)
        self._rows = Rows(study.problem)

    def __enter__(self) -> "TerminalProgress":
        """Say how far the study is, and draw the line."""
        super().__enter__()
        self._print(self._opening())
        for sentence in self._study.prior.notes:
            self.note(sentence)
        self._print(self._rows.header())
        if self.living:
            self._draw(self._console)
        return self

    @property
    def living(self) -> bool:
        """Whether a person sees this, now."""
        return self._console.is_terminal and not self._console.quiet

    @property
    def all_seen(self) -> bool:
        """Whether a person saw every trial of the study in this run."""
        return self.living and not self._already

    def _opening(self) -> "Text":
        from rich.text import Text

        strategy = self._study.record.strategy["name"]
        others = ", ".join(self._study.prior.studies)
        learned = f", learning from {others}" if others else ""
        done = f", resumed after {self._already} trials" if self._already else ""
        asked = f"{self._study.name}: {self._study.problem.goal}, by {strategy}"
        return Text(f"{asked}{learned}{done}")

    def _print(self, line: "Text") -> None:
        """A line of its own, cut where a terminal would wrap it."""
        if self._console.is_terminal:
            line.truncate(self._console.width - 1, overflow="ellipsis")
        self._console.print(line, soft_wrap=True)

    def told(self, trial: Trial) -> None:
        """A line for a trial that ended, or was preempted."""
        self._print(self._rows.line(trial))

    def nothing_works(self, sentence: str, number: int, reason: str) -> None:
        """The command says it at its end."""

    def note(self, sentence: str) -> None:
        """A sentence above the line."""
        self._console.print(sentence)

    def warn(self, sentence: str) -> None:
        """A sentence above the line."""
        self.note(sentence)


class Rows:
    """Trials as lines of one table: metrics and config in columns that stay in place."""

    def __init__(self, problem: Problem) -> None:
        """Lines for trials of this problem."""
        self._problem = problem
        self._failed: dict[str, int] = {}
        self._metrics = list(dict.fromkeys([*problem.needed, *BOOKED]))
        self._widths = {
            **{name: max(len(name), _METRIC_WIDTH) for name in self._metrics},
            **{p.name: max(len(p.name), _widest(p)) for p in problem.space.parameters},
            "cost": len("cost (USD)"),
            "data": max(map(len, [problem.resource, *map(problem.amount, problem.fractions)])),
        }

    def header(self) -> "Text":
        """The names of the columns."""
        from rich.text import Text

        names = ["data"] * self._partial + self._metrics + list(self._problem.space.names)
        shown = {"cost": "cost (USD)", "data": self._problem.resource}
        cells = (self._cell(name, shown.get(name, name)) for name in names)
        return Text(f"  {'trial':>5}" + "".join(cells), style="bold")

    def line(self, trial: Trial) -> "Text":
        """One trial."""
        from rich.text import Text

        sign, style = _STYLES[standing(self._problem, trial)]
        line = Text(f"{sign} ", style=style)
        line.append(f"{trial.number:>5}", style="bold")
        if self._partial:
            line.append(self._cell("data", self._problem.amount(trial.fraction)), style="default")
        line.append(self._outcome(trial), style="default" if trial.measurement else style)
        if trial.measurement is not None:
            names, absent = self._problem.space.names, MISSING
            config = (self._cell(n, value(trial.config.get(n, absent))) for n in names)
            line.append("".join(config), style="default")
        return line

    @property
    def _partial(self) -> bool:
        return len(self._problem.fractions) > 1

    def _outcome(self, trial: Trial) -> str:
        if isinstance(trial.outcome, Failure):
            ended = "timed out" if isinstance(trial.outcome, TimedOut) else trial.state.value
            ended = trial.status if trial.given_up else ended
            said = headline(trial.outcome.reason).removeprefix(f"{ended}: ")
            if isinstance(trial.outcome, TimedOut):
                return f"  {ended}: {said}"
            first = self._failed.setdefault(alike(said), trial.number)
            return f"  {ended}: {said if first == trial.number else f'as trial {first}'}"
        if trial.state is TrialState.PREEMPTED:
            again = "failed" if trial.retried else trial.status
            return f"  {again}: it runs again"
        return "".join(self._cell(name, self._measured(name, trial)) for name in self._metrics)

    def _measured(self, name: str, trial: Trial) -> str:
        told, metric = trial.metrics.get(name), self._problem.metrics[name]
        if told is None:
            return MISSING
        return amount(told) if metric.unit == "USD" else measured(metric, told)

    def _cell(self, column: str, text: str) -> str:
        return "  " + text.rjust(self._widths[column])


_METRIC_WIDTH = 8


def _widest(parameter: "Parameter") -> int:
    """The width of a parameter's widest value, as far as values are known."""
    if parameter.size is None or parameter.size > 1000:
        return 9
    return max(len(value(v)) for v in parameter.values())
