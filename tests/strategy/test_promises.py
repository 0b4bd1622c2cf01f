"""Whether a recommendation keeps its word where every training takes another time."""

import math

import numpy as np
import pytest

import tunewise as tw
from tunewise.errors import TunewiseWarning
from tunewise.history import History, Trial
from tunewise.space import Config

NOISE = 0.1


def wanted(seconds: float) -> tw.Problem:
    space = tw.Space(tw.Real("x", 0, 1), tw.Real("y", 0, 1))
    limit = f"time <= {seconds}"
    return tw.Problem(space, maximize="accuracy", subject_to=limit, fractions=(0.25, 1.0))


def measured(trial: Trial, rng: np.random.Generator) -> dict[str, float]:
    x, y, f = trial.config["x"], trial.config["y"], trial.fraction
    return {
        "accuracy": 0.6 + 0.3 * x - 0.2 * (y - 0.5) ** 2 - 0.05 * (1 - f),
        "time": 4 * f * math.exp(x - 0.7) * math.exp(NOISE * rng.standard_normal()),
    }


def told(problem: tw.Problem, seed: int, count: int = 22) -> History:
    rng = np.random.default_rng(seed)
    configs = problem.space.sample(count, rng)
    trials = [Trial(n, c, 0.25 if n % 2 else 1.0) for n, c in enumerate(configs)]
    return History(t.told(tw.Measurement(measured(t, rng))) for t in trials)


def truly_kept(answer: tw.Recommendation, seconds: float) -> float:
    away = (math.log(seconds / 4) - (answer.config["x"] - 0.7)) / NOISE
    return 0.5 * math.erfc(-away / math.sqrt(2))


def test_a_new_training_of_what_is_recommended_keeps_the_limit() -> None:
    """Of six searches, each with configs that were within the limit by luck."""
    problem = wanted(3.0)
    answers = [
        tw.strategy("trimtuner").build(problem, seed).recommend(told(problem, seed))
        for seed in range(6)
    ]
    kept = [truly_kept(answer, 3.0) for answer in answers]
    assert sum(chance >= 0.85 for chance in kept) >= 5
    assert np.mean([answer.feasible for answer in answers]) == pytest.approx(np.mean(kept), abs=0.1)


def test_a_search_under_a_noisy_limit_looks_for_what_it_may_recommend() -> None:
    """Not where half of all trainings keep the limit: no such config could be the answer."""
    space = tw.Space(tw.Real("x", 0, 1), tw.Real("y", 0, 1))
    metrics = {"memory": "positive", "score": "real"}
    problem = tw.Problem(space, maximize="score", subject_to="memory <= 4", metrics=metrics)

    def true(config: Config) -> tuple[float, float]:
        x, y = config["x"], config["y"]
        return 1 - (x - 0.7) ** 2 - (y - 0.4) ** 2, 2 + 3 * x + 2 * y

    def found(seed: int) -> tuple[float, float]:
        rng = np.random.default_rng(seed)
        with tw.Study(problem, "cherrypick", seed=seed) as study:
            for _ in range(18):
                trial = study.ask()
                score, memory = true(trial.config)
                memory *= math.exp(NOISE * rng.standard_normal())
                study.tell(trial, {"score": score, "memory": memory, "time": 1.0})
            answer = study.recommend()
        assert answer.feasible >= 0.9
        return true(answer.config)

    scores, memories = np.array([found(seed) for seed in (2, 5, 7)]).T
    assert np.median(scores) >= 0.75  # at best 0.85 where nine of ten trainings keep the limit
    assert np.median(memories) <= 0.95 * 4.0


def test_where_no_config_surely_keeps_the_limit_a_warning_says_so() -> None:
    problem = wanted(1.9)  # the quickest config takes 1.99 s on average
    with tw.Study(problem, seed=0) as study:
        for trial in told(problem, 0, 8):
            study.enqueue(trial.config, trial.fraction)
            study.tell(study.ask(), trial.metrics)
        with pytest.warns(
            TunewiseWarning, match="no config was found that keeps all limits"
        ) as caught:
            answer = study.recommend()
    assert caught[0].filename == __file__  # the user's own line, none of ours
    assert answer.feasible < 0.9 and answer.warning
    assert "90 %" in answer.describe()["warning"]


def test_a_bolder_answer_is_given_to_those_who_ask_for_it() -> None:
    problem = wanted(3.0)
    history = told(problem, 1)
    sure, bold = (
        tw.strategy("trimtuner", feasible=least).build(problem, 1).recommend(history)
        for least in (0.9, 0.5)
    )
    assert 0.5 <= bold.feasible < sure.feasible
    assert bold.config["x"] > sure.config["x"]
    assert not bold.warning
