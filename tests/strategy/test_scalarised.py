"""Several objectives: each ask poses one weighting of them to a strategy that knows one."""

import math
from typing import Any

import numpy as np
import pytest

import tunewise as tw
from tunewise.errors import ProblemError, StrategyError
from tunewise.history import Failure, History, Measurement, Trial
from tunewise.problem import Problem
from tunewise.strategy import STRATEGIES, StrategySpec
from tunewise.strategy.scalarised import DERIVED

STEPS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
ONE_METRIC_ONLY = ("machines",)
"""Strategies that know nothing but cost and time, and so no distance from several bests."""


def problem(listed: bool = False, **more: object) -> Problem:
    space = tw.Space(tw.Real("x", 0.0, 1.0), tw.Real("y", 0.0, 1.0))
    if listed:
        space = tw.Space(tw.Ordinal("x", STEPS), tw.Ordinal("y", STEPS))
    wanted = {"maximize": ["accuracy"], "minimize": ["cost"], **more}
    return Problem(space, **wanted)  # type: ignore[arg-type] # a mix of keywords


def measured(config: dict[str, float], fraction: float = 1.0) -> Measurement:
    """Accuracy is best at x = 0.8 and dear there; y only costs."""
    x, y = config["x"], config["y"]
    accuracy = 0.9 - (x - 0.8) ** 2 - 0.1 * y
    return Measurement({"accuracy": accuracy, "cost": 0.1 + x**2 + y, "time": 1.0})


def quick(name: str) -> StrategySpec:
    """The strategy with few candidates, where it has that option."""
    try:
        return StrategySpec(name, {"candidates": 100})
    except StrategyError:
        return StrategySpec(name)


def played(name: str, count: int, seed: int = 0, **more: Any) -> History:
    strategy = quick(name).build(problem(**more), seed)
    told: list[Trial] = []
    for number in range(count):
        (asked,) = strategy.suggest(History(told), 1)
        trial = Trial(number, asked.config, asked.fraction)
        told.append(trial.told(measured(asked.config)))
    return History(told)


def volume(history: History) -> float:
    losses = np.array([[-t.metrics["accuracy"], t.metrics["cost"]] for t in history])
    return hypervolume(losses, np.array([0.0, 2.1]))


def trials(*values: tuple[float, float]) -> History:
    return History(
        Trial(i, {"x": i / 10, "y": 0.0}).told(Measurement({"accuracy": a, "cost": c, "time": 1.0}))
        for i, (a, c) in enumerate(values)
    )


def hypervolume(losses: np.ndarray, reference: np.ndarray) -> float:
    """The volume between `(n, d)` losses and a worse `(d,)` reference: more is a better front.

    Exact, by slicing along the last objective; meant for fronts of up to some hundred trials.
    """
    kept = losses[(losses < reference).all(axis=1)]
    if not len(kept):
        return 0.0
    if losses.shape[1] == 1:
        return float(reference[0] - kept.min())
    kept = kept[np.argsort(kept[:, -1], kind="stable")]
    ends = [*kept[1:, -1].tolist(), float(reference[-1])]
    return math.fsum(
        (end - float(row[-1])) * hypervolume(kept[: i + 1, :-1], reference[:-1])
        for i, (row, end) in enumerate(zip(kept, ends, strict=True))
        if end > row[-1]
    )


def test_the_front_by_hand() -> None:
    history = trials((0.9, 2.0), (0.8, 1.0), (0.7, 1.5), (0.8, 1.0), (0.6, 0.5))
    assert [t.number for t in history.front(problem())] == [0, 1, 4]
    limited = problem(subject_to=["cost <= 1.2"])
    assert [t.number for t in history.front(limited)] == [1, 4]


def test_hypervolume_by_hand() -> None:
    corner = np.array([4.0, 4.0])
    assert hypervolume(np.array([[1.0, 3.0], [2.0, 2.0]]), corner) == pytest.approx(3 + 4 - 2)
    assert hypervolume(np.array([[5.0, 1.0]]), corner) == 0.0
    cube = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    assert hypervolume(cube, np.array([2.0, 2.0, 2.0])) == pytest.approx(8.0)


def test_the_balanced_trial_of_the_front_is_recommended() -> None:
    history = trials((0.9, 2.0), (0.85, 0.6), (0.2, 0.5))
    recommended = StrategySpec("random").build(problem(), 0).recommend(history)
    # Weighted by one half each: 0.5 * 1, 0.5 * max(0.071, 0.067) and 0.5 * 1, and the sums.
    assert recommended.config == history[1].config
    assert recommended.predicted["accuracy"].mean == pytest.approx(0.85)
    assert DERIVED not in recommended.predicted


def test_before_there_is_a_front_no_other_trial_is_foreseen_beside_the_recommended_one() -> None:
    wanted = problem(subject_to=["accuracy >= 0.95"])
    history, few = trials((0.9, 2.0), (0.8, 1.0), (0.7, 1.5)), {"candidates": 20}
    single = Problem(wanted.space, maximize="accuracy", subject_to=["accuracy >= 0.95"])
    foreseen = StrategySpec("nephele", few).build(single, 0).recommend(history)
    assert foreseen.predicted_best is not None
    # With several objectives it would be foreseen by their distance, which nobody asked for.
    recommended = StrategySpec("nephele", few).build(wanted, 0).recommend(history)
    assert recommended.predicted_best is None
    assert DERIVED not in recommended.predicted


def test_a_model_finds_a_larger_front_than_chance() -> None:
    seeds = range(3)
    modelled = [volume(played("cherrypick", 18, seed)) for seed in seeds]
    random = [volume(played("random", 18, seed)) for seed in seeds]
    assert np.mean(modelled) > np.mean(random) + 0.02


@pytest.mark.parametrize("name", [n for n in STRATEGIES.names() if n not in ONE_METRIC_ONLY])
def test_every_strategy_searches_a_front_and_depends_on_the_history_alone(name: str) -> None:
    fractions = (0.3, 1.0) if name in ("hyperband", "bohb", "bohb_paper") else (1.0,)
    asked = problem(listed=True, fractions=fractions)
    history = played(name, 7, listed=True, fractions=fractions)
    again, rebuilt = quick(name).build(asked, 0), quick(name).build(asked, 0)
    assert again.suggest(history, 2) == rebuilt.suggest(history, 2)
    assert len({tuple(t.config.values()) + (t.fraction,) for t in history}) == len(history)
    recommended = again.recommend(history)
    assert {"accuracy", "cost"} <= set(recommended.predicted)


@pytest.mark.parametrize("name", ONE_METRIC_ONLY)
def test_a_strategy_for_cost_and_time_alone_says_so(name: str) -> None:
    with pytest.raises(StrategyError, match="does not take several objectives"):
        StrategySpec(name).build(problem(), 0).suggest(History(), 1)


def test_a_metric_with_the_name_of_the_distance_is_refused_as_that() -> None:
    asked = tw.Problem(tw.Space(tw.Integer("x", 1, 9)), minimize=[DERIVED, "cost"])
    with pytest.raises(StrategyError, match="may not be named 'chebyshev_distance'"):
        StrategySpec("cherrypick").build(asked, 0)


def test_nothing_is_recommended_before_anything_was_measured() -> None:
    failed = History([Trial(0, {"x": 0.1, "y": 0.1}).told(Failure("crash"))])
    for history in (History(), failed):
        with pytest.raises(StrategyError, match="nothing can be recommended"):
            StrategySpec("cherrypick").build(problem(), 0).recommend(history)


@pytest.mark.parametrize(
    "wanted, said",
    [
        ({"maximize": "accuracy", "minimize": "cost"}, r"give lists: maximize=\['accuracy'\]"),
        ({"maximize": ["accuracy", "accuracy"]}, "given twice"),
        ({"maximize": []}, "give exactly one of"),
        ({"directions": ["maximize"]}, "no argument 'directions'; write what is wanted"),
    ],
)
def test_objectives_that_cannot_be_meant_are_refused(wanted: dict[str, object], said: str) -> None:
    with pytest.raises(ProblemError, match=said):
        Problem(tw.Space(tw.Real("x", 0, 1)), **wanted)  # type: ignore[arg-type] # wrong on purpose


def test_a_problem_of_several_objectives_describes_itself() -> None:
    described = problem().describe()
    assert (described["maximize"], described["minimize"]) == (["accuracy"], ["cost"])
    again = Problem.from_description(described)
    assert again.objectives == problem().objectives
    assert again.goal == "maximise accuracy and minimise cost"


def test_a_study_shows_its_front() -> None:
    study = tw.Study(problem(), "cherrypick", seed=1)
    study.optimize(lambda trial: measured(trial.config), trials=8, progress=False)
    front = study.pareto()
    assert front
    assert not any(problem().dominates(a.metrics, b.metrics) for a in study.history for b in front)
