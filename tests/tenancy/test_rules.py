"""The rules do what the paper's lines say, computed by hand."""

import math

import numpy as np
import pytest

from tunewise.errors import TenancyError
from tunewise.surrogate import Normal
from tunewise.tenancy import RULES, Log, RuleSpec, Scheduler
from tunewise.tenancy.latent import PLAIN
from tunewise.tenancy.rules.beta import Everyone, of_algorithms, of_theorems
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
    assert of_algorithms(8, 3, 0.1) == pytest.approx(math.log(8 * 9 / 0.1))
    expected = 2 * 2.0 * math.log(math.pi**2 * 5 * 8 * 9 / 0.6)
    assert of_theorems(Everyone(5, 8, 2.0), 3, 0.1) == pytest.approx(expected)


def unlike_users(beta: str) -> tuple[Scheduler, Greedy]:
    """Anna has two cheap models, bert four dear ones; a typical model takes one second."""
    rule = RuleSpec("greedy", {"beta": beta})
    scheduler = Scheduler(["a", "b", "c", "d"], rule, Log(np.full((9, 4), 0.5), np.ones((9, 4))))
    scheduler.join("anna", {"a": 1.0, "b": 2.0, "c": 99.0, "d": 99.0}, models=["a", "b"])
    scheduler.join("bert", {"a": 10.0, "b": 20.0, "c": 30.0, "d": 40.0})
    found = scheduler._pool(None).rule
    assert isinstance(found, Greedy)
    return scheduler, found


def test_the_theorems_take_the_dearest_and_the_most_models_of_all_users() -> None:
    scheduler, rule = unlike_users("theorems")
    # n = 2, K* = 4, c* = 40, t = 1 and delta = 0.1, for both: 2 * 40 * log(8 pi^2 / 0.6).
    by_hand = 80 * math.log(8 * math.pi**2 / 0.6)
    assert by_hand == pytest.approx(390.4, abs=0.05)
    for user in ("anna", "bert"):
        assert rule.chance(scheduler._tenant(user)).beta == pytest.approx(by_hand)


def test_a_users_bounds_follow_when_another_joins() -> None:
    scheduler, rule = unlike_users("theorems")
    scheduler.join("carl", {name: 80.0 for name in "abcd"})
    assert scheduler.next() is not None
    bert = scheduler._tenant("bert")
    fresh = float(rule.scores(bert).max()) - bert.hoped
    assert rule.board.value[bert.number] == pytest.approx(fresh)


def test_the_algorithms_take_a_users_own_number_of_models() -> None:
    scheduler, rule = unlike_users("algorithms")
    anna, bert = scheduler._tenant("anna"), scheduler._tenant("bert")
    assert rule.chance(anna).beta == pytest.approx(math.log(2 / 0.1))
    assert rule.chance(bert).beta == pytest.approx(math.log(4 / 0.1))
    # A model that was tried is still one of the user's; t is 2 then.
    pick = scheduler.next()
    assert pick is not None and pick.user == "anna"
    scheduler.tell(pick, 0.5, 1.0)
    assert rule.chance(anna).beta == pytest.approx(math.log(2 * 4 / 0.1))
    scheduler.add_model("e")
    scheduler.remove_model("a")
    assert rule.chance(bert).beta == pytest.approx(math.log(4 / 0.1))
    assert rule.chance(anna).beta == pytest.approx(math.log(1 * 4 / 0.1))


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


def test_the_mean_of_line_7_is_over_all_users_with_anything_open_or_not() -> None:
    _, rule = two_users()
    board = rule.board
    board.seen[:3], board.served[:3], board.waiting[:3] = True, True, [True, True, False]
    # The mean of all three is 0.2; of the two who wait it would be 0.3.
    board.width[:3], board.value[:3] = [0.2, 0.4, 0.0], [5.0, 0.0, 0.0]
    assert rule.candidates()[:3].tolist() == [True, True, False]
    board.width[:3] = [0.25, 0.15, 0.5]
    assert not rule.candidates().any(), "who has tried everything cannot be served"
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


@pytest.mark.parametrize(("rule", "first"), [("most_cited", "b"), ("most_recent", "c")])
def test_the_most_cited_or_the_most_recent_model_comes_first(rule: str, first: str) -> None:
    order = {"citations": ["b", "a", "c"], "year": ["c", "b", "a"]}
    scheduler = Scheduler(["a", "b", "c"], rule, order=order)
    scheduler.join("u")
    scheduler.join("v")
    picks = [scheduler.next() for _ in range(4)]
    assert [p.user for p in picks if p] == ["u", "v", "u", "v"]
    assert [p.model for p in picks[:2] if p] == [first, first]
    with pytest.raises(TenancyError, match=r"unknown order '\w+'; give order="):
        Scheduler(["a"], rule)


@pytest.mark.parametrize("name", RULES.names())
def test_without_costs_run_times_change_nothing(name: str) -> None:
    def models(factor: float) -> list[str]:
        rule = RuleSpec(name, {"cost_aware": False})
        order = {"citations": ["b", "a", "c"], "year": ["c", "b", "a"]}
        scheduler = Scheduler(["a", "b", "c"], rule, Log([[0.5, 0.6, 0.7]] * 5), order=order)
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


def alone(rule: str, steps: int) -> Scheduler:
    """One user with nine models, under a rule that freezes after so many steps."""
    scheduler = Scheduler(list("abcdefghi"), RuleSpec(rule, {"steps": steps}))
    scheduler.join("u")
    return scheduler


@pytest.mark.parametrize("rule", ["easeml", "hybrid"])
def test_greed_freezes_while_nobodys_best_rises_and_thaws_when_it_does(rule: str) -> None:
    scheduler, whys = alone(rule, steps=3), []
    # Equal or lower scores are no rise, nor are those that only beat the worst so far.
    for accuracy in (0.7, 0.3, 0.5, 0.7, 0.6, 0.9):
        pick = scheduler.next()
        assert pick is not None
        whys.append(pick.why.endswith("it is the user's turn"))
        scheduler.tell(pick, accuracy, 1.0)
    after = scheduler.next()
    assert after is not None
    assert whys == [False, False, False, False, True, True]
    assert not after.why.endswith("it is the user's turn")


@pytest.mark.parametrize("rule", ["easeml", "hybrid"])
def test_everyone_takes_turns_while_greed_is_frozen(rule: str) -> None:
    rng = np.random.default_rng(0)
    log = Log(np.clip(0.7 + 0.1 * rng.standard_normal((30, 6)), 0, 1))
    scheduler = Scheduler(list("abcdef"), RuleSpec(rule, {"steps": 1}), log)
    scheduler.join("heavy", weight=1e6)
    scheduler.join("light")
    users = []
    for _ in range(9):
        pick = scheduler.next()
        assert pick is not None
        users.append(pick.user)
        scheduler.tell(pick, 0.5 if len(users) < 4 else 0.4, 1.0)
    assert users[-4:] in (["heavy", "light"] * 2, ["light", "heavy"] * 2)
    found = scheduler._pool(None).rule
    assert found.why(0) == "it is the user's turn"


def test_users_of_the_same_width_are_all_candidates_whatever_rounding_says() -> None:
    _, rule = two_users()
    board = rule.board
    board.admit(2)
    board.waiting[:3], board.seen[:3] = True, True
    board.width[:3] = [0.1, 0.1, 0.1]
    assert float(board.width[:3].mean()) > 0.1
    assert rule.candidates()[:3].all()


def test_who_leaves_takes_their_bounds_along_and_nobody_elses() -> None:
    scheduler, rule = two_users()
    first, second = scheduler.next(), scheduler.next()
    assert first is not None and second is not None
    scheduler.leave("u")
    assert {number for number, _ in rule._played} == {1}
    scheduler.tell(second, 0.6)
    assert list(rule._bound) == [1]
    assert not rule.board.waiting[0] and not rule.board.seen[0]


def test_the_overhead_of_starting_a_model_is_added_to_its_cost() -> None:
    log = Log(np.full((9, 2), 0.5), np.tile([2.0, 6.0], (9, 1)))
    scheduler = Scheduler(["a", "b"], RuleSpec("hybrid", {"overhead": 0.5}), log)
    scheduler.join("u", {"a": 2.0, "b": 6.0})
    cost = scheduler._pool(None).rule.cost(scheduler._tenant("u"))
    # A typical model takes 4 seconds, the mean of the log.
    np.testing.assert_allclose(cost, [0.5 + 0.5, 1.5 + 0.5])


def test_a_look_is_worth_more_with_the_choice_that_it_leaves() -> None:
    def scores(foresight: bool) -> list[float]:
        rule = RuleSpec("hybrid", {"foresight": foresight})
        scheduler = Scheduler(["a"], rule, fractions=(0.1,))
        scheduler.join("u", {"a": 100.0, ("a", 0.1): 1.0})
        pick = scheduler._tenant("u")
        pick.best = 0.7
        found: list[float] = scheduler._pool(None).rule.scores(pick).tolist()
        return found

    blind, seeing = scores(False), scores(True)
    assert seeing[1] == pytest.approx(blind[1])
    assert seeing[0] > 1.01 * blind[0]


def test_a_users_weight_and_urgency_multiply_what_serving_them_is_worth() -> None:
    scheduler, rule = two_users()
    tenant = scheduler._tenant("u")
    calm = rule.board.calm[0]
    tenant.weight = 3.0
    rule.changed(tenant, urgency=2.0)
    assert rule.board.calm[0] == pytest.approx(3 * calm)
    assert rule.board.value[0] == pytest.approx(6 * calm)


def test_bounds_of_the_theorems_are_wider_the_more_users_are_here() -> None:
    scheduler, rule = two_users(RuleSpec("greedy", {"beta": "theorems"}))
    tenant = scheduler._tenant("u")
    cost = float(rule.cost(tenant).max())
    two = 2 * cost * math.log(math.pi**2 * 2 * 4 / 0.6)
    assert rule.chance(tenant).beta == pytest.approx(two)
    scheduler.leave("v")
    assert rule.chance(tenant).beta == pytest.approx(2 * cost * math.log(math.pi**2 * 4 / 0.6))


@pytest.mark.parametrize("name", ["greedy", "easeml"])
def test_greed_takes_the_widest_and_not_the_next(name: str) -> None:
    _, rule = two_users(name)
    board = rule.board
    board.waiting[:2], board.seen[:2], board.served[:2] = True, True, True
    board.width[:2], board.value[:2] = [0.1, 0.3], [5.0, 0.0]
    assert rule.pick() == 1
