"""What a run of a job file would do, without doing it."""

from dataclasses import dataclass

from tunewise.format import money, value
from tunewise.history import History
from tunewise.job.jobfile import JobFile
from tunewise.problem import Problem
from tunewise.storage.secrets import redacted
from tunewise.study.budget_ledger import cheapest

_ENDLESS = "when you stop it: no trials, timeout, target or budget is given"


@dataclass(frozen=True)
class Resumed:
    """A study that is there: its trials that have ended, and whether its problem would change."""

    ended: int
    anew: bool


def plan(file: JobFile, url: str, before: Resumed | None, shortest: float = 0.0) -> dict[str, str]:
    """What would be run, on what there is; None for a new study.

    No trial is begun whose money lasts for less than the shortest time, in seconds.
    """
    problem, fields = file.problem, file.fields
    size = problem.space.size
    ends = {
        "trials": fields.trials,
        "timeout": fields.timeout,
        "target": fields.target,
        "min_gain": fields.min_gain,
        "budget": _budget(problem, shortest),
    }
    options = "".join(f", {k}={v}" for k, v in file.strategy.options.items())
    return {
        "study": f"{file.name} in {redacted(url)}{resumed(before)}",
        **({"namespace": file.fields.namespace} if file.fields.namespace else {}),
        "goal": problem.goal,
        "space": f"{', '.join(problem.space.names)}: {'many' if size is None else f'{size:,}'}"
        " configs",
        problem.resource: ", ".join(map(problem.amount, problem.fractions)),
        "price": prices(problem),
        "strategy": f"{file.strategy.name}{options}",
        "job": _job(file),
        "ends": ", ".join(f"{k} {v}" for k, v in ends.items() if v is not None)
        or ("when every config was tried" if size else _ENDLESS),
        "parallel": str(fields.parallel),
        "first": _first(file)
        if before is None or not before.ended
        else "chosen by what the study has measured",
    }


def resumed(before: Resumed | None) -> str:
    """That a study goes on, and after what."""
    if before is None:
        return ""
    trials = f"{before.ended:,} trial{'' if before.ended == 1 else 's'}"
    anew = ", whose limits, budget or space are new from then on" if before.anew else ""
    return f", which is there and goes on after {trials}{anew}"


def _budget(problem: Problem, shortest: float) -> str | None:
    """The money, and that it pays for nothing where that is known."""
    if problem.budget is None:
        return None
    least = cheapest(problem, shortest)
    short = f", which pays for no trial: the cheapest costs {money(least)} at least"
    return money(problem.budget) + (short if least > problem.budget else "")


def _job(file: JobFile) -> str:
    said = file.fields.command if file.fields.command is not None else file.fields.python
    return " ".join(said.split() if isinstance(said, str) else map(str, said or []))


def prices(problem: Problem) -> str:
    """What an hour of a config costs."""
    if problem.price is None:
        return "as the job measures it"
    if not problem.space.finite:
        return "known for every config"
    usd = [problem.price(config) for config in problem.space.configs]
    low, high = money(min(usd)), money(max(usd))
    return f"{low} per hour" if low == high else f"{low} to {high} per hour"


def _first(file: JobFile) -> str:
    """The trial that would be run first, where the seed is known."""
    if file.fields.warm_start:
        return "chosen by what other studies measured"
    if file.fields.seed is None:
        return "chosen by a new seed"
    suggested = file.strategy.build(file.problem, file.fields.seed).suggest(History(), 1)
    shown = (f"{k}={value(v)}" for trial in suggested for k, v in trial.config.items())
    return " ".join(shown)
