"""What a race between rules shows, computed by hand, and which races make which figure."""

from dataclasses import replace

import numpy as np
import pytest

from tunewise.benchmark.tenants.measures import (
    Steps,
    highest,
    mean,
    regrets,
    score,
    scores,
    steps,
)
from tunewise.benchmark.tenants.race import Protocol, Run, drawn, label, race
from tunewise.benchmark.tenants.studies import Study, effort, studies
from tunewise.benchmark.tenants.syn import syn
from tunewise.benchmark.tenants.table import TenantTable
from tunewise.errors import ExecutionError
from tunewise.surrogate import Array
from tunewise.tenancy import RuleSpec


def column(*values: float) -> Array:
    return np.array(values, float)


def curve(*pairs: tuple[float, float]) -> Steps:
    at, value = zip(*pairs, strict=True)
    return Steps(column(*at), column(*value))


def rising(*best: float, top: float = 1.0, seconds: float = 0.2) -> Run:
    """One user, whose best rises after each tenth of the time, and each fifth of the models."""
    at = column(*(0.1 * (step + 1) for step in range(len(best))))
    users = np.zeros(len(best), int)
    return Run("r", column(top), at, 2 * at, users, column(*best), len(best), seconds)


def test_a_level_is_reached_where_a_curve_stays_beyond_it() -> None:
    falling = curve((0.0, 1.0), (0.2, 0.1), (0.3, 0.4), (0.5, 0.1), (0.6, 0.0))
    assert falling.reached(0.1) == 0.5, "after 0.3 it was above again"
    assert falling.reached(1.0) == 0.0 and falling.reached(0.0) == 0.6
    assert falling.reached(-0.1) is None
    growing = curve((0.0, 0.0), (0.2, 0.9), (0.4, 1.0))
    assert growing.reached(0.9, above=True) == 0.2
    assert growing.reached(1.1, above=True) is None


def test_a_curve_is_read_at_any_place_from_its_beginning_on() -> None:
    found = curve((0.0, 1.0), (0.2, 0.5)).on(column(0.0, 0.1, 0.2, 0.9))
    assert found.tolist() == [1.0, 1.0, 0.5, 0.5]


def test_the_mean_of_curves_has_a_step_where_any_of_them_has() -> None:
    both = mean([curve((0.0, 1.0), (0.2, 0.5)), curve((0.0, 0.5), (0.2, 0.25), (0.4, 0.0))])
    assert both.at.tolist() == [0.0, 0.2, 0.4]
    assert both.value == pytest.approx([0.75, 0.375, 0.25])


def test_the_worst_repeat_is_the_highest_at_each_place() -> None:
    curves = [curve((0.0, 1.0), (0.2, 0.1)), curve((0.0, 0.5), (0.4, 0.2))]
    assert highest(curves, column(0.0, 0.3, 0.5)).tolist() == [1.0, 0.5, 0.2]


def test_a_look_that_beats_all_models_leaves_no_loss_below_nothing() -> None:
    assert steps(rising(0.5, 0.9, top=0.8), "time", "loss").value == pytest.approx([0.8, 0.3, 0.0])


def test_whoever_can_reach_nothing_has_reached_all_of_it() -> None:
    assert steps(rising(0.0, top=0.0), "time", "relative").value == pytest.approx([1.0, 1.0])
    assert steps(rising(0.4, top=0.8), "time", "relative").value == pytest.approx([0.0, 0.5])


def test_models_are_counted_where_runs_are_asked_for() -> None:
    assert steps(rising(0.5, 0.9), "runs", "loss").at == pytest.approx([0.0, 0.2, 0.4])


def test_a_score_by_hand() -> None:
    found = score([rising(0.5, 1.0), rising(0.2, 0.96, 1.0)])
    # The mean loss is 1, then 0.65, then 0.02 from 0.2 on, then 0.
    assert found.to_loss == {"0.05": pytest.approx(0.2), "0.02": pytest.approx(0.2),
                             "0.01": pytest.approx(0.3)}  # fmt: skip
    assert found.runs_to_loss == {"0.05": pytest.approx(0.4), "0.02": pytest.approx(0.4),
                                  "0.01": pytest.approx(0.6)}  # fmt: skip
    assert found.worst_to_loss == {"0.05": pytest.approx(0.2)}
    assert found.to_relative == {"0.95": pytest.approx(0.2)}
    assert (found.decisions, found.repeats) == (2.5, 2)
    assert found.seconds_per_decision == pytest.approx(0.4 / 5)
    assert scores({"a": [rising(1.0)]})["a"].repeats == 1


def test_a_user_who_is_never_served_counts_for_all_of_the_time() -> None:
    found = score([rising(0.5), rising(1.0)])
    assert found.worst_to_loss == {"0.05": pytest.approx((1.0 + 0.1) / 2)}
    assert found.to_loss["0.05"] is None


def test_an_interval_spans_what_resampled_repeats_reach() -> None:
    same = score([rising(1.0)] * 5).interval
    assert list(same["0.05"]) == pytest.approx([0.1, 0.1])
    split = score([rising(1.0), rising(0.5), rising(0.5, 0.5, 1.0)]).interval["0.05"]
    assert split[0] == pytest.approx(0.1) and split[1] is None
    assert score([rising(0.5)]).interval["0.05"] == (None, None)


OBLIVIOUS = "(cost_aware=false)"
SMALL = Protocol(users=2, repeats=1, limit=0.05, enough=1.0)


def made(users: int = 8) -> TenantTable:
    return syn(0.5, 1.0, users=users, models=3)


@pytest.fixture(scope="module")
def raced() -> list[Study]:
    return studies(made(), [RuleSpec("greedy"), RuleSpec("fcfs")], SMALL)


def test_each_figure_has_its_races(raced: list[Study]) -> None:
    assert [study.key for study in raced] == [
        "rules", "costs", "logs", "phases", "models",
        "syn-0.01-0.1", "syn-0.01-1", "syn-0.5-0.1", "syn-0.5-1",
    ]  # fmt: skip
    runs = {study.key: list(study.runs) for study in raced}
    both = ["hybrid", "easeml"]
    assert runs["rules"] == ["greedy", "fcfs", *both]
    assert runs["costs"] == [f"{rule}{form}" for rule in both for form in ("", OBLIVIOUS)]
    assert runs["logs"] == [f"{r}, {s} of the logs" for r in both for s in ("10%", "50%", "100%")]
    phases = [*both, "greedy", "round_robin"]
    assert runs["phases"] == [f"{rule}{OBLIVIOUS}" for rule in phases]
    plain = [*both, "round_robin", "random"]
    assert runs["models"] == [f"{rule}{OBLIVIOUS}" for rule in plain]
    assert runs["syn-0.5-1"] == plain
    counted = {study.key for study in raced if study.effort == "runs"}
    assert counted == {"phases", "models"}, "figure 12's right half is cost-oblivious"


def test_what_users_did_before_is_raced_where_the_table_can_tell() -> None:
    names = made().models
    cited = replace(made(), orders={"citations": names, "year": names[::-1]})
    found = studies(cited, [RuleSpec("easeml")], SMALL)[0]
    assert list(found.runs) == ["easeml", "hybrid", "most_cited", "most_recent"]


def plays(*rounds: tuple[int, float]) -> Array:
    """Rounds of equal cost: a user, and what was measured."""
    return np.array([(t + 1.0, 1.0, user, y) for t, (user, y) in enumerate(rounds)])


def test_cumulative_regrets_are_those_of_the_papers_two_users() -> None:
    top = column(100.0, 100.0)
    # Section 5.1: U1 tries M1 (90); then FCFS lets U1 try M2 (95), or U2 tries M1 (70).
    assert regrets(top, plays((0, 90.0), (0, 95.0))) == (215.0, 215.0)
    assert regrets(top, plays((0, 90.0), (1, 70.0))) == (150.0, 150.0)
    # In round 3 U1 tries a worse model: R goes by it, R' by the best so far.
    third = plays((0, 90.0), (1, 70.0), (0, 80.0))
    assert regrets(top, third) == (150.0 + 20 + 30, 150.0 + 10 + 30)
    assert regrets(top, third, until=2.0) == (150.0, 150.0)
    dear = third * [1.0, 3.0, 1.0, 1.0]
    assert regrets(top, dear) == (3 * 200.0, 3 * 190.0), "a round weighs its cost"


def test_the_regrets_of_a_race_end_where_all_rules_have_lasted() -> None:
    table = TenantTable("two", ("M1", "M2", "M3"), column(0.9, 0.95, 1, 0.7, 0.95, 1, 0.5, 0.5, 0.5)
                        .reshape(3, 3), np.ones((3, 3)))  # fmt: skip
    seed = next(s for s in range(99) if drawn(table, replace(SMALL, seed=s), 0)[0] == [0, 1])
    plan = replace(SMALL, seed=seed, limit=2 / 6, enough=0.0)
    rules = [RuleSpec(name, {"model": "order"}) for name in ("fcfs", "round_robin")]
    found = scores(race(table, rules, plan))
    # Two of six models, each a sixth of the run time, on a scale from 0 to 1.
    one, other = (found[label(rule)].regret for rule in rules)
    assert one["until"] == other["until"] == pytest.approx(2 / 6)
    assert one["last"] == one["best"] == pytest.approx(2.15 / 6)
    assert other["last"] == other["best"] == pytest.approx(1.50 / 6)


def test_the_effort_is_how_many_repeats_there_are_in_all(raced: list[Study]) -> None:
    counted = sum(len(runs) for study in raced for runs in study.runs.values())
    assert effort(made(), [RuleSpec("greedy"), RuleSpec("fcfs")], SMALL) == counted
    more = replace(SMALL, repeats=3)
    assert effort(made(), [RuleSpec("greedy"), RuleSpec("fcfs")], more) == 3 * counted


def test_fifty_test_users_are_raced_where_there_are_enough() -> None:
    rules = [RuleSpec("greedy")]
    few, many = (effort(made(users), rules, SMALL) for users in (52, 53))
    assert many == few + 4


def test_early_looks_are_raced_where_there_are_curves() -> None:
    table = made()
    slices = np.stack([table.accuracy * 0.5], axis=1)
    curved = replace(table, fractions=(0.5,), slices=slices, slice_seconds=slices)
    rules = [RuleSpec("greedy")]
    plain = effort(curved, rules, SMALL)
    assert effort(curved, rules, replace(SMALL, slices=True)) == plain + 2
    assert effort(table, rules, replace(SMALL, slices=True)) == plain


def test_a_race_tells_of_each_repeat_and_refuses_what_cannot_be() -> None:
    heard: list[int] = []
    twice = replace(SMALL, repeats=2)
    race(made(), [RuleSpec("greedy"), RuleSpec("fcfs")], twice, lambda: heard.append(1))
    assert len(heard) == 4
    with pytest.raises(ExecutionError, match="a repeat of 0 of the run time; expected above 0"):
        race(made(), [RuleSpec("greedy")], replace(SMALL, limit=0.0))
    assert label(RuleSpec("hybrid", {"cost_aware": False})) == "hybrid(cost_aware=false)"


def test_a_table_gives_its_users_as_a_log() -> None:
    table = made()
    log = table.log([1, 4])
    np.testing.assert_array_equal(log.accuracy, table.accuracy[[1, 4]])
    np.testing.assert_array_equal(log.seconds, table.seconds[[1, 4]])
    assert log.models == table.models and len(table) == 8
    with pytest.raises(ExecutionError, match="expected the same users and models"):
        replace(table, seconds=table.seconds[:, :2])
