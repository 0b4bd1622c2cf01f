"""How often what was said came true: stated probabilities and intervals against the truth.

A search says of the config it would deploy how probably it keeps the limits, and what each metric
will be. Where the truth is known both can be checked, by how much of the config had been seen.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tunewise.errors import StrategyError
from tunewise.history import History
from tunewise.problem import Metrics, Problem
from tunewise.strategy.strategy import Recommendation, Strategy
from tunewise.study.stored import StoredStudy
from tunewise.surrogate.scale import SCALES

SURE = 0.9
"""What is said with this probability or more is counted on."""

INTERVAL = 0.9
"""The probability of the intervals that are checked."""

_EDGES = (0.0, 0.05, 0.3, 0.999, 1.0)
"""Largest fractions seen of a config: never measured, on the smallest slices, and so on."""

_NAMES = ("never measured", "up to 5 %", "up to 30 %", "below 100 %", "100 %")


@dataclass(frozen=True)
class Claim:
    """What was said of a config, and what is true of it.

    Attributes:
        said: The probability with which it keeps the limits.
        true: Whether it does.
        largest: The largest fraction on which it was measured by then; 0 for none.
        held: By metric, whether the truth lies within the interval that was said.
    """

    said: float
    true: bool
    largest: float
    held: dict[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Reliability:
    """The claims about configs of which as much had been seen.

    Attributes:
        seen: The largest fraction seen, in words.
        claims: How many there are.
        said: The mean of the probabilities that were said.
        true: The share of the claims that keep the limits.
        sure: How many claims were made with a probability of `SURE` or more.
        sure_true: The share of these that keep the limits; None without any.
        held: The share of the intervals that hold the truth; None without any.
    """

    seen: str
    claims: int
    said: float
    true: float
    sure: int
    sure_true: float | None
    held: float | None


def claimed(
    problem: Problem, history: History, answer: Recommendation, truth: Metrics | None
) -> Claim | None:
    """What an answer says, against the truth (None: it fails); None where it says nothing."""
    if not answer.predicted:
        return None
    key = problem.space.key
    seen = [t.fraction for t in history.complete if key(t.config) == key(answer.config)]
    metrics = truth or {}
    held = {
        name: _holds(problem, name, answer, metrics[name])
        for name in answer.predicted
        if name in metrics
    }
    true = truth is not None and problem.feasible(truth)
    return Claim(answer.feasible, true, max(seen, default=0.0), held)


def looked_back(strategy: Strategy, history: History) -> Iterator[Claim]:
    """What a strategy would have said after each trial, where the history knows the truth by now.

    That is where the config it would have recommended was measured as it would be deployed,
    before or after.
    """
    problem, key = strategy.problem, strategy.problem.space.key
    truths = {(key(t.config), t.fraction): t.metrics for t in history.complete}
    trials = list(history)
    for end in range(1, len(trials) + 1):
        if trials[end - 1].state.pending:
            continue
        before = History(trials[:end])
        try:
            answer = strategy.recommend(before)
        except StrategyError:
            continue
        truth = truths.get((key(answer.config), answer.fraction))
        claim = None if truth is None else claimed(problem, before, answer, truth)
        if claim is not None:
            yield claim


def _holds(problem: Problem, name: str, answer: Recommendation, truth: float) -> bool:
    scale = SCALES[problem.metrics[name].kind if name in problem.metrics else "real"]
    low, high = scale.interval(answer.predicted[name], INTERVAL)
    # What was measured is known to the last digit but one.
    slack = 1e-9 * max(abs(truth), abs(high))
    return low - slack <= truth <= high + slack


def of_study(study: StoredStudy) -> list[Reliability]:
    """How often what a study would have said after each trial came true, as far as is known."""
    return reliability(looked_back(study.strategy, study.relevant))


def reliability(claims: Iterable[Claim]) -> list[Reliability]:
    """One row for each range of the largest fraction seen that has claims, smallest first."""
    groups: list[list[Claim]] = [[] for _ in _EDGES]
    for claim in claims:
        groups[next(i for i, edge in enumerate(_EDGES) if claim.largest <= edge)].append(claim)
    return [_row(name, group) for name, group in zip(_NAMES, groups, strict=True) if group]


def _row(name: str, claims: Sequence[Claim]) -> Reliability:
    sure = [claim.true for claim in claims if claim.said >= SURE]
    held = [hit for claim in claims for hit in claim.held.values()]
    return Reliability(
        seen=name,
        claims=len(claims),
        said=sum(claim.said for claim in claims) / len(claims),
        true=sum(claim.true for claim in claims) / len(claims),
        sure=len(sure),
        sure_true=sum(sure) / len(sure) if sure else None,
        held=sum(held) / len(held) if held else None,
    )
