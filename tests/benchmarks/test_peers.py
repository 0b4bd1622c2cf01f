from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import tunewise as tw
from benchmarks.peers.arena import Arena, Told, run
from benchmarks.peers.axes import Axes
from benchmarks.peers.entrants import entrants, in_turns
from benchmarks.peers.standing import ratio, standings, table
from tunewise.benchmark.contest import Contest
from tunewise.benchmark.race import Run, Step

ROWS = """vm,vms,fraction,accuracy,time,cost
small,4,0.5,0.5,10,0.01
small,4,1.0,0.6,20,0.02
small,8,0.5,0.7,10,0.03
small,8,1.0,0.8,20,0.06
large,1,0.5,0.6,10,0.10
large,1,1.0,0.9,20,0.20
large,2,0.5,0.2,10,0.02
large,2,1.0,0.4,20,0.05
"""


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    path = tmp_path / "table.csv"
    path.write_text(ROWS, encoding="utf-8")
    measured = tw.Table(path, ["vm", "vms"])
    problem = tw.Problem(
        measured.space,
        maximize="accuracy",
        subject_to="cost <= 0.1",
        fractions=measured.fractions,
        budget=0.25,
    )
    return Arena.of(Contest(measured, problem, trials=3))


def ended(name: str, *steps: tuple[float, float]) -> Run:
    return Run(name, 0, tuple(Step(cost, cost, share, True) for cost, share in steps), 0.0)


def test_a_share_is_of_the_best_config_within_the_cap_and_less_where_the_cap_is_missed(
    arena: Arena,
) -> None:
    np.testing.assert_allclose(arena.shares, [0.75, 1.0, 0.9 * 0.1 / 0.2 / 0.8, 0.5])


def test_the_harness_books_what_the_table_says_and_stops_at_the_budget(arena: Arena) -> None:
    def peer(arena: Arena, seed: int) -> Iterator[Told]:
        yield from (Told(2, fraction, 2) for fraction in (0, 1, 1))

    steps = run("peer", peer, arena, 0).steps
    assert [step.cost for step in steps] == pytest.approx([0.10, 0.30])
    assert [step.time for step in steps] == [10, 30]
    assert not steps[-1].feasible


def test_the_harness_stops_at_the_number_of_trials(arena: Arena) -> None:
    def peer(arena: Arena, seed: int) -> Iterator[Told]:
        return (Told(0, 0, None) for _ in count())

    steps = run("peer", peer, arena, 0).steps
    assert len(steps) == 3
    assert {step.share for step in steps} == {0.0}


def test_the_best_within_the_cap_is_deployed_and_the_cheapest_where_none_is(arena: Arena) -> None:
    assert arena.best_measured([]) is None
    assert arena.best_measured([2]) == 2
    assert arena.best_measured([0, 1, 2, 3]) == 1


def test_a_latin_start_is_the_one_of_our_own_strategies(arena: Arena) -> None:
    configs = arena.contest.table.configs
    ours = arena.contest.problem.space.latin(2, np.random.default_rng(5))
    assert [configs[i] for i in arena.latin(2, 5)] == ours


def test_numbers_that_depend_on_a_choice_are_ranked_within_it(arena: Arena) -> None:
    axes = Axes.of(arena.contest.table.configs)
    assert (axes.sizes, axes.ordered) == ((2, 2), (False, True))
    assert axes.places == ((1, 0), (1, 1), (0, 0), (0, 1))
    assert [axes.nearest(place) for place in axes.places] == [0, 1, 2, 3]


def test_a_place_without_a_config_goes_to_the_nearest_one() -> None:
    axes = Axes.of([{"a": "x", "n": 1}, {"a": "x", "n": 2}, {"a": "x", "n": 3}, {"a": "y", "n": 1}])
    assert axes.nearest((1, 2)) == 3
    assert axes.nearest((0, 2)) == 2


def test_a_ratio_says_how_many_times_the_cost_was_needed() -> None:
    slow, fast = [ended("slow", (1.0, 0.5), (4.0, 1.0))], [ended("fast", (0.5, 0.95))]
    assert ratio(slow, fast, 0.9).times == pytest.approx(8.0)
    assert ratio(slow, fast, 0.99).times is None
    assert ratio(fast, slow, 0.99).times == np.inf


def test_the_ends_of_a_ratio_enclose_it_and_widen_with_the_spread_of_the_runs() -> None:
    ours = [ended("ours", (1.0, 1.0))] * 4
    same = ratio([ended("peer", (3.0, 1.0))] * 4, ours, 0.9)
    spread = ratio([ended("peer", (float(c), 1.0)) for c in (2, 3, 4, 5)], ours, 0.9)
    assert (same.low, same.times, same.high) == (3.0, 3.0, 3.0)
    assert spread.low is not None and spread.high is not None
    assert spread.low < spread.high


def test_the_table_has_a_row_for_each_tool_and_says_never() -> None:
    runs = {"ours": [ended("ours", (1.0, 1.0))], "peer": [ended("peer", (2.0, 0.92))]}
    found = standings(runs, "ours")
    rows = table(found).splitlines()[2:]
    assert ["`ours`" in rows[0], "`peer`" in rows[1], "never" in rows[1]] == [True] * 3
    assert found[1].as_json()["ratios"][0.99]["times"] is None


def test_a_tool_may_have_its_own_number_of_seeds_and_all_take_turns() -> None:
    listed = entrants("trimtuner, botorch_ei:1", 2)
    assert listed == [("trimtuner", 2), ("botorch_ei", 1)]
    assert in_turns(listed) == [("trimtuner", 0), ("botorch_ei", 0), ("trimtuner", 1)]
