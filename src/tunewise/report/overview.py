"""The whole study in one glance, as plain data for pages and terminals."""

from collections import Counter
from dataclasses import dataclass

from tunewise.format import MISSING, measured, sentence
from tunewise.history import History, Trial, TrialState
from tunewise.problem import KNOWN, Metrics, Problem
from tunewise.report.standing import best
from tunewise.space import Config
from tunewise.strategy.strategy import UNKNOWN, Recommendation, in_words
from tunewise.study.infeasible import infeasible


@dataclass(frozen=True)
class Prediction:
    """What to expect of one metric of the recommended config, in words.

    Attributes:
        metric: Its name.
        expected: Its predicted value ± one standard deviation.
        limits: The constraints on it.
        measured: What a trial of the very config measured.
    """

    metric: str
    expected: str
    limits: tuple[str, ...]
    measured: str | None


@dataclass(frozen=True)
class Advice:
    """The recommended config, and how sure we are of it.

    Attributes:
        config: The value of each parameter.
        fraction: The share of the data to deploy with.
        feasible: The probability that all limits are kept; None without limits, and where a
            prediction is not known yet.
        predictions: What to expect of each metric; none where nothing measured supports numbers.
        trial: The number of a trial that measured the very config.
        predicted_best: What the models hold to be better still; None where they agree or do not
            say.
        note: Where there are no predictions, why; or that they are predictions alone, as no trial
            has run the config on so much data.
        warning: That no config keeps the limits as surely as was asked for; empty otherwise.
    """

    config: Config
    fraction: float
    feasible: float | None
    predictions: tuple[Prediction, ...]
    trial: int | None
    predicted_best: "Advice | None" = None
    note: str = ""
    warning: str = ""


@dataclass(frozen=True)
class Overview:
    """What was asked, answered and spent.

    Attributes:
        goal: The objective as a phrase.
        limits: The constraints as phrases.
        fractions: The shares of the data as words; empty where only the full data is used.
        budget: USD for the whole search.
        spent: Booked cost and time.
        spent_on: The part of the cost that went to trials of each state.
        counts: How many trials have each status, those that any has.
        best: The best feasible measured trial.
        advice: The recommended config.
        infeasible: Where no measured config keeps the limits, why: a sentence for people.
    """

    goal: str
    limits: tuple[str, ...]
    fractions: tuple[str, ...]
    budget: float | None
    spent: Metrics
    spent_on: dict[TrialState, float]
    counts: dict[str, int]
    best: Trial | None
    advice: Advice | None
    infeasible: str | None = None


def overview(
    problem: Problem, history: History, recommendation: Recommendation | None = None
) -> Overview:
    """Sum up a study."""
    ordered = sorted(history, key=lambda trial: list(TrialState).index(trial.state))
    spent_on = {s: sum(t.spent.get("cost", 0.0) for t in history.of(s)) for s in TrialState}
    several = len(problem.fractions) > 1
    missed = infeasible(problem, history)
    return Overview(
        goal=sentence(problem.aim).removesuffix("."),
        limits=problem.limits,
        fractions=tuple(map(problem.amount, problem.fractions)) if several else (),
        budget=problem.budget,
        spent=history.spent,
        spent_on={s: cost for s, cost in spent_on.items() if cost},
        counts=dict(Counter(trial.status for trial in ordered)),
        best=best(problem, list(history)),
        advice=_advice(problem, history, recommendation) if recommendation else None,
        infeasible=sentence(missed.sentence) if missed else None,
    )


def _note(given: Recommendation, measured: bool, supported: bool) -> str:
    if measured:
        return ""
    return UNTRIED if supported else given.note or UNSUPPORTED


def _advice(problem: Problem, history: History, given: Recommendation) -> Advice:
    same = [t for t in history.complete if (t.config, t.fraction) == (given.config, given.fraction)]
    trial = same[-1] if same else None
    known = [name for name in KNOWN if name in given.predicted]
    names = dict.fromkeys([*problem.needed, *known, *given.predicted])
    supported = bool(trial) or (given.supported and _supported(problem, history, given))
    beside = given.predicted_best
    if beside and not _better(problem, beside, given):
        beside = None
    return Advice(
        config=given.config,
        fraction=given.fraction,
        feasible=given.feasible if problem.constraints and supported and given.clear else None,
        predictions=tuple(
            _prediction(problem, given, name, trial) for name in names if supported or trial
        ),
        trial=trial.number if trial else None,
        predicted_best=_advice(problem, history, beside) if beside else None,
        note=_note(given, bool(trial), supported),
        warning=sentence(given.warning) if given.warning and supported else "",
    )


def _better(problem: Problem, other: Recommendation, given: Recommendation) -> bool:
    """Whether another answer is expected to be better by more than is unsure of this one."""
    if (other.config, other.fraction) == (given.config, given.fraction):
        return False
    here, there = (r.predicted.get(problem.objective) for r in (given, other))
    if here is None or there is None or given.warning:
        return True
    gain = there.mean - here.mean if problem.maximize else here.mean - there.mean
    return bool(gain > here.std)


def _prediction(
    problem: Problem, given: Recommendation, name: str, trial: Trial | None
) -> Prediction:
    metric, belief = problem.metric(name), given.predicted.get(name)
    limits = (problem.limit(c) for c in problem.constraints if c.metric == name)
    told = trial.metrics.get(name) if trial else None
    return Prediction(
        metric=name,
        expected=in_words(metric, belief) if belief else MISSING,
        limits=tuple(text.removeprefix(f"{name} ") for text in limits),
        measured=None if told is None else measured(metric, told),
    )


UNSUPPORTED = "Nothing that was measured says what to expect of this config: take it as a guess."
UNTRIED = "This very config was not measured itself: the numbers are predicted from others."


def _supported(problem: Problem, history: History, given: Recommendation) -> bool:
    """Whether anything was measured that speaks of the objective, and it can be told at all."""
    belief = given.predicted.get(problem.objective)
    known = any(problem.objective in t.metrics for t in history.complete)
    metric = problem.metrics[problem.objective]
    return known and belief is not None and in_words(metric, belief) != UNKNOWN
