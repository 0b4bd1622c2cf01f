from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tunewise as tw
from benchmarks.course import Course, Stand, course
from benchmarks.rules import CheapestNext, SuccessiveHalving
from benchmarks.tournament import by_group, left_out, reliable
from benchmarks.worlds.continuous import LANDSCAPES, Landscape
from benchmarks.worlds.every import every
from benchmarks.worlds.lcdb import DataSet, Repeat, most_accurate
from benchmarks.worlds.world import World
from tests.tables import table_path
from tunewise.benchmark.entrants import entrants
from tunewise.benchmark.measures.reliability import Claim
from tunewise.benchmark.replay import ReplayExecutor
from tunewise.history import Failure, Measurement, Trial

FRACTIONS = (0.25, 0.5, 1.0)
LEARNERS = {"good": (0.9, 8.0), "slow": (0.95, 100.0), "fair": (0.88, 4.0), "poor": (0.5, 2.0)}


@pytest.fixture
def data_set() -> DataSet:
    repeats = {
        (name, s): [Repeat(accuracy - 0.1 * (1 - s), accuracy, seconds * s)]
        for name, (accuracy, seconds) in LEARNERS.items()
        for s in FRACTIONS
        if name != "poor" or s < 1
    }
    return DataSet("7", repeats)


def regret(world: World, learner: str) -> float:
    return world.regret({"learner": learner})


def test_the_best_has_no_regret_and_what_breaks_the_limit_or_never_finishes_all_of_it(
    data_set: DataSet,
) -> None:
    world = data_set.world("lcdb", maximize="accuracy", subject_to=["time <= 99"])
    assert world is None  # 0.9 is the median: such a data set says nothing
    every_one = data_set.world("lcdb", maximize="accuracy", subject_to=["time <= 100"])
    assert every_one is not None
    assert every_one.unit == pytest.approx(np.mean([100, 8, 4]))
    assert regret(every_one, "slow") == 0
    assert regret(every_one, "good") == 1
    assert regret(every_one, "poor") == 1


def test_a_learner_that_never_finishes_fails_after_the_time_of_the_slowest(
    data_set: DataSet,
) -> None:
    failed = data_set.job(0)(Trial(0, {"learner": "poor"}, 1.0))
    assert isinstance(failed, Failure)
    assert failed.metrics["time"] == 100.0


def test_repeats_come_in_an_order_of_the_seed_and_each_once_before_any_comes_again() -> None:
    repeats = [Repeat(i / 10, 0.5, 1.0) for i in range(5)]
    job = DataSet("8", {("a", 1.0): repeats}).job(3)
    told = [job(Trial(i, {"learner": "a"}, 1.0)).metrics["accuracy"] for i in range(10)]
    assert sorted(told[:5]) == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert told[:5] == told[5:]


@pytest.mark.parametrize("rule", [CheapestNext, SuccessiveHalving])
def test_rules_stop_what_takes_twice_its_part_of_the_limit_and_find_the_best(
    data_set: DataSet, rule: Callable[[tw.Problem, int], CheapestNext]
) -> None:
    space = tw.Space(tw.Choice("learner", data_set.learners))
    problem = tw.Problem(space, maximize="accuracy", subject_to=["time <= 10"], fractions=FRACTIONS)
    strategy = rule(problem, 0)
    study = tw.Study(problem, "random", 0)
    study.strategy = strategy
    study.optimize(data_set.job(0), trials=30, executor=ReplayExecutor(), progress=False)
    stopped = study.history.timed_out
    assert stopped[0].config == {"learner": "slow"}
    assert [t.fraction for t in study.history if t.config["learner"] == "slow"] == [0.25]
    assert stopped[0].metrics["time"] == pytest.approx(2 * 0.25 * 10)
    assert study.recommend().config == {"learner": "good"}


def test_a_course_stands_where_the_last_trial_that_ended_by_then_left_it() -> None:
    stands = tuple(Stand(units, regret, 0.5, True) for units, regret in [(0, 0.9), (1.5, 0.3)])
    ran = Course("w", "g", "s", 0, stands)
    assert ran.regrets([1, 1.5, 2]) == [0.9, 0.3, 0.3]


def test_a_level_is_reached_where_it_is_not_left_again() -> None:
    shares = [(0.0, 0.95), (0.5, 0.5), (1.0, 0.91), (2.0, 0.97)]
    ran = Course("w", "g", "s", 0, tuple(Stand(units, 0.0, share, True) for units, share in shares))
    assert (ran.units_to(0.9), ran.units_to(0.95), ran.units_to(0.99)) == (1.0, 2.0, np.inf)


def test_a_course_asks_at_its_marks_what_it_would_have_said_after_every_trial() -> None:
    world = next(one for one in LANDSCAPES if one.name == "peaks2").world()
    often, seldom = (
        course(world, entrants("random")[0].build(world.problem, 0), "random", 4.0, 99, marks)
        for marks in (np.linspace(0, 4, 400).tolist(), (1.0, 2.0))
    )
    assert [seldom.at(mark) for mark in (1.0, 2.0)] == [often.at(mark) for mark in (1.0, 2.0)]
    assert often.trials == seldom.trials == len(often.stands) - 1 > len(seldom.stands) - 1


def test_the_chosen_variant_is_the_best_of_the_other_groups() -> None:
    def ran(strategy: str, group: str, regret: float) -> Course:
        return Course(
            group, group, strategy, 0, (Stand(0, regret, 0, True, Claim(0.95, True, 0.0)),)
        )

    courses = [ran("a", "g", 0.0), ran("a", "h", 0.9), ran("b", "g", 0.5), ran("b", "h", 0.1)]
    rows = list(left_out(courses))[2:]
    assert rows == [
        "| g | `b` | 0.500 | 0.000 |",
        "| h | `a` | 0.900 | 0.100 |",
        "| none | `b` | | |",
    ]
    assert "| `a` | g | 0.000 | 0.000 | 0.000 | 0.000 | – | 100% |" in by_group(courses)
    assert "| `b` | never measured | 2 | 95 % | 100 % | 2 | 100 % | – |" in reliable(courses), (
        "what stands at several marks was said once"
    )


@pytest.mark.parametrize("landscape", LANDSCAPES, ids=lambda each: each.name)
def test_no_config_drawn_beats_the_best_of_a_landscape_and_slices_are_cheaper(
    landscape: Landscape,
) -> None:
    world = landscape.world()
    drawn = world.problem.space.sample(200, np.random.default_rng(1))
    within = [c for c in drawn if world.feasible(c)]
    assert all(world.share(c) <= 1 for c in drawn)
    assert all(world.truth(c)["accuracy"] <= world.best + 1e-6 for c in within)  # type: ignore[index] # all finish
    slices = [world.job(0)(Trial(0, drawn[0], s)) for s in world.problem.fractions]
    assert all(isinstance(told, Measurement) for told in slices)
    assert slices[0].metrics["time"] < slices[-1].metrics["time"]


def test_the_family_has_sixty_problems_in_seven_groups(tmp_path: Path) -> None:
    table_path("lcdb/curves.csv")
    worlds = list(every(tmp_path))
    assert len(worlds) >= 60
    assert len({w.group for w in worlds}) == 7
    assert len({w.name for w in worlds}) == len(worlds)


def test_the_rule_of_the_smallest_slices_does_as_it_was_published() -> None:
    table_path("lcdb/curves.csv")
    worlds = list(most_accurate())[:6]
    regrets = [course(w, CheapestNext(w.problem, 0), "rule").regrets() for w in worlds]
    early, late = np.mean(regrets, axis=0)[[0, -1]]
    assert late < 0.2 < early


def test_only_the_groups_asked_for_are_made(tmp_path: Path) -> None:
    made = list(every(tmp_path, ["made-up tables"]))
    assert {world.group for world in made} == {"made-up tables"}
    assert len(made) == 5
