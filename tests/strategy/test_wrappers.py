"""Every wrapper of a strategy passes on every question that a strategy can be asked."""

from collections.abc import Callable
from typing import Any

import pytest

import tunewise as tw
from tunewise.history import History, Trial
from tunewise.strategy.loop.delegating import Delegating
from tunewise.strategy.pruner import Pruner
from tunewise.strategy.scalarised import Scalarised
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion
from tunewise.study.define_by_run.restricted import Restricted

SPACE = tw.Space.of([{"x": x} for x in range(4)])
ONE = tw.Problem(SPACE, maximize="accuracy")
TWO = tw.Problem(SPACE, maximize=["accuracy"], minimize=["cost"])
TRIAL = Trial(0, {"x": 1})


class Answers(Pruner):
    def limit(self, history: History, trial: Trial) -> float | None:
        return 7.0

    def verdict(self, history: History, trial: Trial) -> str | None:
        return "outclassed"


class Inner(Strategy):
    """Answers each question with something that no default answers with."""

    def __init__(self, problem: tw.Problem, seed: int = 0) -> None:
        super().__init__(problem, seed)
        self.pruner = Answers()

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        return [Suggestion({"x": 3})] * count

    def recommend(self, history: History) -> Recommendation:
        return Recommendation({"x": 2})

    def expected_gain(self, history: History) -> float | None:
        return 0.5

    def stops(self, history: History) -> str | None:
        return "enough"


def public(contract: type) -> list[str]:
    return [name for name, member in vars(contract).items() if name[0] != "_" and callable(member)]


QUESTIONS: dict[str, tuple[Any, ...]] = {
    "suggest": (History(), 1),
    "recommend": (History(),),
    "expected_gain": (History(),),
    "stops": (History(),),
    "limit": (History(), TRIAL),
    "verdict": (History(), TRIAL),
}

WRAPPERS: dict[str, Callable[[], Strategy]] = {
    "delegating": lambda: Delegating(Inner(ONE)),
    "restricted": lambda: Restricted(Inner(ONE)),
    "scalarised": lambda: Scalarised(TWO, 0, lambda problem, seed, prior: Inner(problem, seed)),
}

OF_NO_USE = {("scalarised", "expected_gain")}
"""A gain of the distance to several objectives is none of any of them."""


def test_the_questions_are_all_that_can_be_asked() -> None:
    assert set(QUESTIONS) == {*public(Strategy), *public(Pruner)}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_wrapper_passes_every_question_on(wrapper: str, question: str) -> None:
    outer, inner, asked = WRAPPERS[wrapper](), Inner(ONE), QUESTIONS[question]
    asked_of = [s.pruner if question in public(Pruner) else s for s in (outer, inner)]
    answer, expected = (getattr(each, question)(*asked) for each in asked_of)
    assert answer == (None if (wrapper, question) in OF_NO_USE else expected)
