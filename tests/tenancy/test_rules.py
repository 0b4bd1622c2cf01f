"""The rules do what the paper's lines say, computed by hand."""

import math

import numpy as np
import pytest

from tunewise.errors import TenancyError
from tunewise.surrogate import Normal
from tunewise.tenancy import RULES, Log, RuleSpec, Scheduler
from tunewise.tenancy.latent import PLAIN
from tunewise.tenancy.rules.beta import of_algorithms, of_theorems
from tunewise.tenancy.rules.freeze import Freeze
from tunewise.tenancy.rules.greedy import Greedy
from tunewise.tenancy.worth import Chance, ei, order, pi, ucb

CHANCE = Chance(
    belief=Normal(np.array([0.5, 0.6]), np.array([0.2, 0.1])),
    latent=PLAIN,
    best=0.6,
    cost=np.array([1.0, 4.0]),
    beta=4.0,
    order=np.array([1.0, 0.0]),
)


def test_the_bound_of_a_dear_model_is_narrower() -> None:
    # 0.5 + sqrt(4 / 1) * 0.2 and 0.6 + sqrt(4 / 4) * 0.1
    np.testing.assert_allclose(ucb(CHANCE), [0.9, 0.7])


def test_improvement_and_probability_are_per_cost() -> None:
    density, below = math.exp(-0.125) / math.sqrt(2 * math.pi), 0.3085375
    np.testing.assert_allclose(ei(CHANCE)[0], 0.2 * (density - 0.5 * below), rtol=0.03)
    np.testing.assert_allclose(ei(CHANCE)[1], 0.1 / math.sqrt(2 * math.pi) / 4, rtol=1e-3)
    np.testing.assert_allclose(pi(CHANCE), [below, 0.5 / 4], rtol=1e-5)


def test_a_fixed_order_takes_the_first() -> None:
    assert order(CHANCE).argmax() == 1


def test_beta_is_that_of_the_algorithms_or_of_the_theorems() -> None:
    assert of_algorithms(8, 3, 0.1, 5, 2.0) == pytest.approx(math.log(8 * 9 / 0.1))
    expected = 2 * 2.0 * math.log(math.pi**2 * 5 * 8 * 9 / 0.6)
    assert of_theorems(8, 3, 0.1, 5, 2.0) == pytest.approx(expected)


def two_users(rule: str | RuleSpec = "greedy") -> tuple[Scheduler, Greedy]:
    rng = np.random.default_rng(0)
    log = Log(np.clip(0.7 + 0.1 * rng.standard_normal((30, 4)), 0, 1))
    scheduler = Scheduler(["a", "b", "c", "d"], rule, log)
    scheduler.join("u")
    scheduler.join("v")
    found = scheduler._pool(None).rule
    assert isinstance(found, Greedy)
    return scheduler, found


def test_greedy_serves_everyone_once_before_it_compares() -> None:
    scheduler, _ = two_users()
    first, second = scheduler.next(), scheduler.next()
    assert first is not None and second is not None
    assert [first.user, second.user] == ["u", "v"]


def test_the_width_follows_line_6() -> None:
    scheduler, rule = two_users()
    bound = math.inf
    for accuracy in (0.6, 0.75, 0.7):
        tenant = scheduler._tenant("u")
        pick = scheduler.next()
        while pick is not None and pick.user != "u":
            scheduler.tell(pick, 0.99)
            pick = scheduler.next()
        assert pick is not None
        arm = tenant.running[pick.number]
        played = rule._played[tenant.number, arm]
        scheduler.tell(pick, accuracy)
        bound = min(played, bound)
        assert rule.board.width[tenant.number] == pytest.approx(bound - accuracy)


def test_the_bound_that_line_6_uses_is_from_before_the_measurement() -> None:
    scheduler, rule = two_users()
    tenant = scheduler._tenant("u")
    before = tenant.believed()
    mean, std = np.asarray(before.mean), np.asarray(before.std)
    cost = rule.cost(tenant)
    pick = scheduler.next()
    assert pick is not None and pick.user == "u"
    arm = tenant.running[pick.number]
    beta = math.log(4 * 1 / 0.1)
    expected = mean[arm] + math.sqrt(beta / cost[arm]) * std[arm]
    assert rule._played[tenant.number, arm] == pytest.approx(expected)


def test_the_candidates_of_line_7_are_those_above_the_mean() -> None:
    _, rule = two_users()
    board = rule.board
    board.waiting[:2], board.seen[:2], board.served[:2] = True, True, True
    board.width[:2], board.value[:2] = [0.3, 0.1], [0.0, 5.0]
    assert rule.candidates()[:2].tolist() == [True, False]
    # The larger gap is not a candidate's: line 8 chooses only among those of line 7.
    assert rule.pick() == 0


def test_a_freeze_needs_the_same_candidates_and_no_rise() -> None:
    freeze, same = Freeze(steps=3), np.array([True, False])
    for _ in range(4):
        freeze.step(same, best_rose=False)
    assert freeze.frozen
    freeze.step(~same, best_rose=False)
    assert freeze.frozen
    freeze.step(same, best_rose=True)
    assert not freeze.frozen


def test_a_change_of_candidates_puts_a_freeze_off() -> None:
    freeze, same = Freeze(steps=3), np.array([True, False])
    for _ in range(9):
        freeze.step(same, best_rose=False)
        freeze.step(~same, best_rose=False)
    assert not freeze.frozen


def test_fcfs_stays_with_the_first_user() -> None:
    scheduler = Scheduler(["a", "b"], "fcfs")
    scheduler.join("u")
    scheduler.join("v")
    picks = [scheduler.next() for _ in range(4)]
    assert [p.user for p in picks if p] == ["u", "u", "v", "v"]


def test_round_robin_goes_around_and_passes_over_who_has_nothing_open() -> None:
    scheduler = Scheduler(["a", "b", "c"], "round_robin")
    scheduler.join("u", models=["a"])
    scheduler.join("v")
    scheduler.join("w", models=["a", "b"])
    picks = [scheduler.next() for _ in range(6)]
    assert [p.user for p in picks if p] == ["u", "v", "w", "v", "w", "v"]


def test_a_fixed_order_is_that_of_the_scheduler() -> None:
    scheduler = Scheduler(["a", "b", "c"], "fixed_order", order=["c", "a", "b"])
    scheduler.join("u")
    picks = [scheduler.next() for _ in range(3)]
    assert [p.model for p in picks if p] == ["c", "a", "b"]


@pytest.mark.parametrize("name", RULES.names())
def test_without_costs_run_times_change_nothing(name: str) -> None:
    def models(factor: float) -> list[str]:
        rule = RuleSpec(name, {"cost_aware": False})
        scheduler = Scheduler(["a", "b", "c"], rule, Log([[0.5, 0.6, 0.7]] * 5))
        scheduler.join("u", {"a": 1.0, "b": factor, "c": factor**2})
        return [p.model for p in (scheduler.next() for _ in range(3)) if p]

    if RULES.load(name).features:
        pytest.skip("run times are features of this rule's prior")
    assert models(1.0) == models(100.0)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (lambda: RuleSpec("gredy"), "did you mean 'greedy'"),
        (lambda: RuleSpec("greedy", {"cost": 1}), "cost_aware"),
        (lambda: Scheduler(["a"], RuleSpec("greedy", {"model": "uct"})).join("u"), "'ucb'"),
        (lambda: Scheduler(["a"], RuleSpec("greedy", {"delta": 2.0})).join("u"), "delta is 2.0"),
        (lambda: Scheduler(["a"], RuleSpec("greedy", {"beta": "theorem"})).join("u"), "theorems"),
    ],
)
def test_a_wrong_rule_gets_a_sentence(rule, told: str) -> None:  # type: ignore[no-untyped-def]  # a lambda
    with pytest.raises(TenancyError, match=told):
        rule()
