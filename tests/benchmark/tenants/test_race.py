"""Rules are replayed on tables of users and models as section 6 of ease.ml says."""

import numpy as np
import pytest

from benchmarks.tenancy_reference import reference
from tests.tables import table_path
from tunewise.benchmark.tenants.measures import mean, score, steps
from tunewise.benchmark.tenants.race import Protocol, Run, drawn, race
from tunewise.benchmark.tenants.reading import read
from tunewise.benchmark.tenants.syn import SETS, syn
from tunewise.benchmark.tenants.table import TenantTable
from tunewise.errors import ExecutionError
from tunewise.surrogate import Array
from tunewise.tenancy import RuleSpec

HYBRID = RuleSpec("hybrid")
SMALL = Protocol(users=3, repeats=4)


def made_up(users: int = 12, models: int = 5) -> TenantTable:
    return syn(0.5, 1.0, users=users, models=models)


def measured(name: str, curves: bool = False) -> TenantTable:
    files = [table_path(f"{name}/{part}.csv") for part in ("accuracy", "seconds")]
    return read(files[0], files[1], table_path(f"{name}/curves.csv") if curves else None)


def test_test_users_are_not_in_the_log_and_all_others_are() -> None:
    tested, others = drawn(made_up(), SMALL, 0)
    assert len(tested) == 3
    assert sorted(tested + others) == list(range(12))
    assert drawn(made_up(), SMALL, 0) == (tested, others)
    assert drawn(made_up(), SMALL, 1) != (tested, others)


def test_a_share_of_the_logs_is_a_part_of_all_logs() -> None:
    half = drawn(made_up(), Protocol(users=2, logs=0.5), 0)
    whole = drawn(made_up(), Protocol(users=2), 0)
    assert half[0] == whole[0]
    assert half[1] == whole[1][:5]


@pytest.mark.parametrize("rule", ["hybrid", "greedy", "fcfs", "random"])
def test_everyone_ends_with_the_best_there_is(rule: str) -> None:
    runs = race(made_up(), [RuleSpec(rule)], Protocol(users=3, repeats=2, enough=0.0))[rule]
    for run in runs:
        ends = steps(run, "time", "loss")
        assert ends.value[0] == pytest.approx(run.top.mean())
        assert ends.value[-1] == pytest.approx(0.0)
        assert (np.diff(run.time) >= 0).all() and run.time[-1] <= 1 + 1e-9


def test_ending_early_changes_no_measure_that_is_told() -> None:
    plans = Protocol(users=3, repeats=4), Protocol(users=3, repeats=4, enough=0.0)
    early, late = (score(race(made_up(), [HYBRID], plan)["hybrid"]) for plan in plans)
    assert early.to_loss == pytest.approx(late.to_loss)
    assert early.worst_to_loss == pytest.approx(late.worst_to_loss)


def test_a_limit_ends_a_repeat() -> None:
    runs = race(made_up(), [HYBRID], Protocol(users=3, repeats=3, limit=0.1))["hybrid"]
    assert all((run.time <= 0.1).all() for run in runs)


def test_without_costs_models_are_counted() -> None:
    rule = RuleSpec("greedy", {"cost_aware": False})
    runs = race(made_up(), [rule], Protocol(users=3, repeats=3, limit=0.5, enough=0.0))
    assert all((run.runs <= 0.5).all() for run in runs["greedy(cost_aware=false)"])


def test_four_devices_take_less_time_than_one_and_not_less_than_a_quarter() -> None:
    one, four = (
        score(race(made_up(30, 20), [HYBRID], Protocol(users=8, repeats=5, devices=d))["hybrid"])
        for d in (1, 4)
    )
    quick, slow = four.to_loss["0.02"], one.to_loss["0.02"]
    assert quick is not None and slow is not None
    assert slow / 5 < quick < slow / 1.5


def test_users_must_be_left_for_the_log() -> None:
    with pytest.raises(ExecutionError, match="12 test users of 12"):
        race(made_up(), [HYBRID], Protocol(users=12))


def test_the_measures_of_a_race_by_hand() -> None:
    def column(*values: float) -> Array:
        return np.array(values, float)

    # Two users: the first rises at 10 and 40 %, the second at 20 %.
    one = Run("r", column(0.9, 0.5), column(0.1, 0.2, 0.4), column(0.2, 0.4, 0.6),
              column(0, 1, 0), column(0.8, 0.5, 0.9), 3, 0.3)  # fmt: skip
    loss, worst = steps(one, "time", "loss"), steps(one, "time", "worst")
    np.testing.assert_allclose(loss.value, [0.7, 0.3, 0.05, 0.0])
    np.testing.assert_allclose(worst.value, [0.9, 0.5, 0.1, 0.0])
    np.testing.assert_allclose(steps(one, "time", "relative").value, [0, 4 / 9, 17 / 18, 1])
    found = score([one])
    assert found.to_loss == {"0.05": 0.2, "0.02": 0.4, "0.01": 0.4}
    assert found.runs_to_loss["0.05"] == 0.4
    assert found.worst_to_loss == {"0.05": 0.4}
    assert found.seconds_per_decision == pytest.approx(0.1)


def test_the_mean_curve_is_exact_at_every_step() -> None:
    runs = race(made_up(), [HYBRID], SMALL)["hybrid"]
    each = [steps(run, "time", "loss") for run in runs]
    whole = mean(each)
    expected = np.mean([c.on(whole.at) for c in each], axis=0)
    np.testing.assert_allclose(whole.value, expected, atol=1e-12)


@pytest.mark.parametrize(("correlation", "weight"), SETS)
def test_made_up_models_are_correlated_as_asked(correlation: float, weight: float) -> None:
    table = syn(correlation, weight)
    assert table.accuracy.shape == (200, 100)
    assert (table.accuracy >= 0).all() and (table.accuracy <= 1).all()
    within = table.accuracy - table.accuracy.mean(axis=1, keepdims=True)
    assert within.std() == pytest.approx(0.1 * weight, rel=0.5)
    alike = np.abs(np.corrcoef(within.T)).mean()
    assert alike > 0.3 if correlation == 0.5 else alike < 0.15


def test_hybrid_needs_less_than_the_reference_on_measured_tables() -> None:
    table, plan = measured("lcdb"), Protocol(repeats=12, seed=5)
    plain = score([reference(table, plan, repeat) for repeat in range(plan.repeats)])
    ours = score(race(table, [HYBRID], plan)["hybrid"])
    theirs, own = plain.to_loss["0.02"], ours.to_loss["0.02"]
    assert theirs is not None and own is not None
    assert own < 0.7 * theirs


def test_curves_bring_users_with_fractions_together() -> None:
    table = measured("lcdb", curves=True)
    assert len(table) == 30
    assert table.fractions == (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)
    assert table.slices is not None and table.slices.shape == (30, 6, 20)
    # More data is better, in the middle of all data sets and learners.
    assert (np.diff(np.nanmedian(table.slices, axis=(0, 2))) > 0).all()


@pytest.mark.long
def test_early_looks_help_on_measured_curves() -> None:
    table = measured("lcdb", curves=True)
    without, with_slices = (
        score(race(table, [HYBRID], Protocol(repeats=8, slices=slices))["hybrid"]).to_loss["0.02"]
        for slices in (False, True)
    )
    assert without is not None and with_slices is not None
    assert with_slices < without
