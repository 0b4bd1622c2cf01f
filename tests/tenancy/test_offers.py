"""Models that come and go, and what users read meanwhile."""

import numpy as np
import pytest

from tunewise.tenancy import Device, Log, RuleSpec, Scheduler
from tunewise.tenancy.latent import LOGIT
from tunewise.tenancy.priors.covariance import shrunk
from tunewise.tenancy.priors.noise import NORMAL


def log(users: int = 20) -> Log:
    rng = np.random.default_rng(0)
    level = rng.normal(0.5, 0.7, (users, 1)) + rng.normal(0, 0.3, (users, 3))
    return Log(1 / (1 + np.exp(-level)), models=["a", "b", "c"])


def served(scheduler: Scheduler, accuracy: float = 0.5) -> list[str]:
    """What is trained until nothing is left."""
    found = []
    while (pick := scheduler.next()) is not None:
        scheduler.tell(pick, accuracy, 1.0)
        found.append(f"{pick.user} {pick.model}")
    return found


def test_who_joins_after_a_model_has_left_is_not_offered_it() -> None:
    scheduler = Scheduler(["a", "b"], log=log())
    scheduler.remove_model("a")
    assert scheduler.models == ["b"]
    scheduler.join("anna")
    assert served(scheduler) == ["anna b"]
    scheduler.add_model("a")
    assert scheduler.models == ["a", "b"]
    assert served(scheduler) == ["anna a"]


def test_a_model_that_runs_or_was_trained_is_not_offered_twice_when_it_returns() -> None:
    scheduler = Scheduler(["a", "b"], "fixed_order")
    scheduler.join("anna")
    first = scheduler.next()
    assert first is not None and first.model == "a"
    for name in ("a", "b"):
        scheduler.remove_model(name)
        scheduler.add_model(name)
    assert served(scheduler) == ["anna b"]
    scheduler.tell(first, 0.7)
    assert scheduler.best("anna") == pytest.approx(0.7)
    assert scheduler.next() is None


def test_a_model_that_fails_on_a_part_of_the_data_is_closed_at_all_its_fractions() -> None:
    scheduler = Scheduler(["a"], "hybrid", fractions=(0.1, 0.5))
    scheduler.join("anna", {"a": 10.0, ("a", 0.1): 9.0, ("a", 0.5): 0.1})
    pick = scheduler.next()
    assert pick is not None and pick.fraction == 0.5
    scheduler.fail(pick)
    scheduler.remove_model("a")
    scheduler.add_model("a")
    assert scheduler.next() is None


def test_a_model_whose_look_was_taken_is_offered_at_larger_fractions_only() -> None:
    scheduler = Scheduler(["a"], "hybrid", fractions=(0.1, 0.5))
    scheduler.join("anna", {"a": 10.0, ("a", 0.1): 9.0, ("a", 0.5): 0.1})
    pick = scheduler.next()
    assert pick is not None
    scheduler.tell(pick, 0.6)
    scheduler.remove_model("a")
    assert scheduler.next() is None
    scheduler.add_model("a")
    again = scheduler.next()
    assert again is not None and again.fraction == 1.0
    scheduler.tell(again, 0.6)
    assert scheduler.next() is None


def test_what_failed_stays_failed_when_another_model_comes() -> None:
    scheduler = Scheduler(["a"], log=log())
    scheduler.join("anna")
    pick = scheduler.next()
    assert pick is not None
    scheduler.fail(pick)
    scheduler.add_model("b")
    assert served(scheduler) == ["anna b"]
    scheduler.add_model("a")
    assert scheduler.next() is None


def test_who_has_nothing_left_is_told_what_was_reached() -> None:
    scheduler = Scheduler(["a", "b"], log=log())
    scheduler.join("anna")
    served(scheduler, 0.7)
    outlook = scheduler.outlook("anna")
    assert outlook.best == outlook.expected == outlook.reach == pytest.approx(0.7)
    assert (outlook.model, outlook.fraction, outlook.ahead) == (None, None, 0)
    assert (outlook.seconds, outlook.when) == (0.0, 0.0)
    assert outlook.why == "every model that suits the user was trained or is running"


def test_who_waits_reads_how_many_come_first() -> None:
    scheduler = Scheduler(["a", "b"], log=log())
    scheduler.join("anna", weight=9.0)
    assert scheduler.outlook("anna").why == "no other user comes first"
    scheduler.join("bert", weight=3.0)
    scheduler.join("carl")
    assert scheduler.outlook("bert").why.startswith("1 other user comes first as things stand;")
    outlook = scheduler.outlook("carl")
    assert outlook.ahead == 2
    assert outlook.why == "2 other users come first as things stand; you are served within 63 picks"
    free = Scheduler(["a", "b"], RuleSpec("greedy"), log())
    for user in ("anna", "bert"):
        free.join(user, weight=2.0 if user == "anna" else 1.0)
    assert free.outlook("bert").longest_wait is None
    assert free.outlook("bert").why == "1 other user comes first as things stand"


def test_the_next_model_is_ready_after_what_runs_in_the_same_pool() -> None:
    devices = [Device("x1", pool="x"), Device("y1", speed=4.0, pool="y")]
    scheduler = Scheduler(["a", "b"], log=log(), devices=devices)
    for user, pool in (("anna", "x"), ("bert", "y")):
        scheduler.join(user, {"a": 8.0, "b": 8.0}, pool=pool)
    assert [scheduler.outlook(user).when for user in ("anna", "bert")] == pytest.approx([8.0, 2.0])
    pick = scheduler.next()
    assert pick is not None and pick.user == "bert"
    # What runs elsewhere does not keep anna waiting; bert's next model comes after bert's first.
    assert [scheduler.outlook(user).when for user in ("anna", "bert")] == pytest.approx([8.0, 4.0])


def test_what_runs_is_hoped_for() -> None:
    scheduler = Scheduler(["a", "b", "c"], log=log())
    scheduler.join("anna")
    first = scheduler.next()
    assert first is not None
    tenant = scheduler._tenant("anna")
    before = np.asarray(tenant.believed().std)
    assert 0 < tenant.hoped <= 1 and tenant.best == 0
    assert scheduler.best("anna") is None
    # What runs is imagined to end as expected: means stay, and doubt becomes less.
    known = tenant._known()
    np.testing.assert_allclose(np.asarray(tenant.believed().mean), known.mean, atol=1e-9)
    assert (before < np.sqrt(known.variance)).all()
    scheduler.tell(first, 0.4)
    assert tenant.hoped == tenant.best == pytest.approx(0.4)


def test_a_deadline_makes_gains_count_more_the_nearer_it_is_up_to_a_limit() -> None:
    scheduler = Scheduler(["a"], log=log())
    scheduler.next(now=20.0)
    scheduler.join("anna", {"a": 1.0}, deadline=120.0)
    scheduler.join("bert", {"a": 1.0})
    anna, bert = scheduler._tenant("anna"), scheduler._tenant("bert")
    assert [anna.urgency(now) for now in (20.0, 70.0, 95.0, 119.0, 500.0)] == pytest.approx(
        [1.0, 2.0, 4.0, 20.0, 20.0]
    )
    assert bert.urgency(1e9) == 1.0


def test_without_a_clock_time_is_the_sum_of_what_was_told() -> None:
    scheduler = Scheduler(["a", "b", "c"], log=log())
    scheduler.join("anna", dict.fromkeys(["a", "b", "c"], 4.0), deadline=10.0)
    for _ in range(2):
        pick = scheduler.next()
        assert pick is not None
        scheduler.tell(pick, 0.5, 4.0)
    # Eight seconds went by, and four do not fit into the two that are left.
    assert scheduler.next() is None
    assert scheduler.outlook("anna").why == "nothing that is left can end before the deadline"


def test_too_few_users_to_leave_one_out_have_a_spread_nobody_knows() -> None:
    values, none = np.random.default_rng(0).normal(size=(3, 4)), np.zeros((4, 4))
    for normal, spread in ((True, NORMAL), (False, 4.0)):
        found = shrunk(values, none, np.full(4, 3.0), LOGIT.default, normal)
        assert (found.spread, found.shrinkage) == (spread, 1.0)


def described(rule: str = "hybrid") -> Scheduler:
    rng = np.random.default_rng(0)
    size = rng.normal(0, 1, (20, 1))
    accuracy = 1 / (1 + np.exp(-size - rng.normal(0, 0.3, (20, 3))))
    known = Log(accuracy, np.exp(size + rng.normal(0, 0.1, (20, 3))), size, models=["a", "b", "c"])
    return Scheduler(["a", "b"], rule, known)


def test_what_was_said_of_a_users_data_is_known_when_a_model_comes() -> None:
    scheduler = described()
    scheduler.join("anna", features=[1.5])
    scheduler.join("bert")
    before = scheduler._tenant("anna").features
    scheduler.add_model("c")
    after = scheduler._tenant("anna").features
    assert before is not None and after is not None
    assert before[0] == after[0] == 1.5
    assert scheduler._tenant("bert").features is None
    means = [np.asarray(scheduler._tenant(u).believed().mean).mean() for u in ("anna", "bert")]
    assert means[0] > means[1] + 0.3


def test_who_comes_again_is_not_described_by_what_was_said_before() -> None:
    scheduler = described()
    scheduler.join("anna", features=[1.5], models=["a"])
    scheduler.leave("anna")
    scheduler.join("anna")
    scheduler.add_model("c")
    assert scheduler._tenant("anna").features is None
    assert len(served(scheduler)) == 3


def test_the_published_rules_make_nothing_of_features_and_run_times() -> None:
    scheduler = described("greedy")
    scheduler.join("anna", {"a": 100.0, "b": 100.0}, features=[1.5])
    assert scheduler._tenant("anna").features is None
    assert scheduler._tenant("anna").prior.spread == NORMAL


def test_a_failure_is_known_at_once_although_others_asked_meanwhile() -> None:
    scheduler = Scheduler(["a"], "hybrid", fractions=(0.1,))
    scheduler.join("anna", {"a": 10.0, ("a", 0.1): 0.01})
    part = scheduler.next()
    assert part is not None and part.fraction == 0.1
    assert scheduler.outlook("anna").fraction == 1.0
    scheduler.fail(part)
    assert scheduler.next() is None


def test_who_had_nothing_left_waits_anew_when_a_model_comes() -> None:
    scheduler = Scheduler(list("abcdefgh"), "fcfs", patience=2)
    scheduler.join("anna", models=["a"])
    scheduler.join("bert")
    for _ in range(7):
        pick = scheduler.next()
        assert pick is not None
        scheduler.tell(pick, 0.5)
    scheduler.add_model("z", everyone=True)
    pick = scheduler.next()
    assert pick is not None
    assert (pick.user, pick.why.endswith("the user joined first of those who wait")) == (
        "anna",
        True,
    )
