"""Odd users, odd models and odd words: the scheduler goes on, or says what is wrong."""

import math
import warnings
from collections.abc import Iterator
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.errors import TenancyError
from tunewise.tenancy import RULES, Device, Log, Pick, RuleSpec, Scheduler, Score

MODELS = ["a", "b", "c", "d"]
ORDERS = {"citations": ["b", "a"], "year": ["d", "c"]}


def log(users: int = 20, seed: int = 0) -> Log:
    rng = np.random.default_rng(seed)
    return Log(np.clip(rng.normal(0.7, 0.1, (users, 4)), 0, 1), np.exp(rng.normal(size=(users, 4))))


def here(rule: str | RuleSpec = "hybrid", **options: object) -> Scheduler:
    scheduler = Scheduler(MODELS, rule, log(), **options)  # type: ignore[arg-type]  # of a test
    scheduler.join("anna")
    return scheduler


def told(scheduler: Scheduler, accuracy: float = 0.5, seconds: float = 1.0) -> Iterator[Pick]:
    while (pick := scheduler.next()) is not None:
        scheduler.tell(pick, accuracy, seconds)
        yield pick


@pytest.mark.parametrize(
    "known",
    [
        Log(np.empty((0, 4))),
        Log(np.full((5, 4), np.nan), np.full((5, 4), np.nan)),
        Log(np.full((9, 4), 0.5), np.zeros((9, 4))),
        Log(np.ones((9, 4)), np.ones((9, 4))),
        Log(log().accuracy, log().seconds, features=np.full((20, 1), np.nan)),
    ],
    ids=["nobody", "nothing", "no time", "perfect", "unknown features"],
)
def test_any_log_will_do(known: Log) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scheduler = Scheduler(MODELS, log=known)
        scheduler.join("anna")
        assert len(list(told(scheduler))) == 4


@pytest.mark.parametrize("rule", RULES.names())
@pytest.mark.parametrize("fractions", [(), (0.1, 0.5)], ids=["full", "slices"])
def test_models_that_take_no_time_are_trained_once(rule: str, fractions: tuple[float, ...]) -> None:
    scheduler = here(rule, fractions=fractions, order=ORDERS)
    scheduler.join("bert", dict.fromkeys(MODELS, 0.0))
    full = [(p.user, p.model) for p in told(scheduler, seconds=0.0) if p.fraction == 1]
    assert len(full) == len(set(full)) == 8


def test_the_first_model_may_come_after_the_first_user() -> None:
    scheduler = Scheduler([])
    scheduler.join("anna")
    assert scheduler.next() is None
    assert scheduler.outlook("anna").why == "no model is open to the user"
    scheduler.add_model("a")
    assert [pick.model for pick in told(scheduler)] == ["a"]


def test_who_comes_again_gets_nothing_from_before() -> None:
    scheduler = here()
    pick = scheduler.next()
    assert pick is not None
    scheduler.leave("anna")
    scheduler.join("anna")
    scheduler.tell(pick, 0.9)
    assert scheduler.best("anna") is None
    assert len(list(told(scheduler))) == 4


def test_a_model_that_leaves_while_it_runs_may_be_told() -> None:
    scheduler = here()
    pick = scheduler.next()
    assert pick is not None
    scheduler.remove_model(pick.model)
    scheduler.tell(pick, 0.9)
    assert scheduler.best("anna") == 0.9
    assert pick.model not in [p.model for p in told(scheduler)]


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=40),
    st.sampled_from(RULES.names()),
    st.integers(0, 99),
)
def test_any_order_of_events_is_survived_and_repeated(
    events: list[int], rule: str, seed: int
) -> None:
    def played() -> list[Pick]:
        slices = (0.2,)
        scheduler = Scheduler(MODELS, rule, log(), seed, fractions=slices, patience=3, order=ORDERS)
        running: list[Pick] = []
        rng, picks, names = np.random.default_rng(seed), [], iter(range(1000))
        for event in events:
            if event == 0:
                late = None if rng.random() < 0.5 else float(rng.random() * 50)
                scheduler.join(f"user-{next(names)}", deadline=late, weight=1 + rng.random())
            elif event == 1 and scheduler.users:
                scheduler.leave(scheduler.users[0])
            elif event == 2:
                scheduler.add_model(f"new-{next(names)}")
            elif event == 3 and scheduler.models:
                scheduler.remove_model(scheduler.models[0])
            elif event == 4 and running:
                scheduler.fail(running.pop(0), float(rng.random()))
            elif event == 5 and running:
                scheduler.tell(running.pop(0), float(rng.random()), float(rng.random()))
            elif (pick := scheduler.next()) is not None:
                assert pick.user in scheduler.users and pick.model in scheduler.models
                running.append(pick)
                picks.append(pick)
            for user in scheduler.users:
                assert math.isfinite(scheduler.outlook(user).when)
        return picks

    assert played() == played()


def test_a_deadline_counts_the_speed_of_the_fastest_device() -> None:
    def waits(speed: float) -> bool:
        scheduler = Scheduler(["a"], devices=[Device("gpu", speed=speed)])
        scheduler.join("anna", {"a": 100.0}, deadline=60.0)
        return scheduler.next() is None

    assert waits(1.0)
    assert not waits(2.0)


def test_what_seemed_too_long_for_a_deadline_may_turn_out_short() -> None:
    scheduler = Scheduler(MODELS, "hybrid", log())
    scheduler.join("anna", {"a": 1.0}, deadline=40.0)
    tenant = scheduler._tenant("anna")
    tenant.seconds._expected = np.array([1.0, 99.0, 99.0, 99.0])
    pick = scheduler.next()
    assert pick is not None and pick.model == "a"
    assert "deadline" in scheduler.outlook("anna").why
    tenant.seconds._expected = np.array([1.0, 2.0, 2.0, 2.0])
    assert scheduler.next() is not None


def test_a_nearing_deadline_counts_as_it_does_after_a_change() -> None:
    scheduler = here()
    scheduler.join("bert", dict.fromkeys(MODELS, 1.0), deadline=100.0)
    scheduler._now = 50.0
    scheduler._pools.freshen(50.0)
    board, number = scheduler._pool(None).rule.board, scheduler._tenant("bert").number
    hastened = board.value[number]
    scheduler._pools.refresh(scheduler._tenant("bert"), 50.0)
    assert hastened == pytest.approx(board.value[number]) == pytest.approx(2 * board.calm[number])


def test_a_user_is_told_when_the_next_model_is_ready() -> None:
    scheduler = Scheduler(["a"], devices=[Device("gpu", speed=2.0)])
    scheduler.join("anna", {"a": 10.0})
    scheduler.join("bert", {"a": 30.0})
    assert scheduler.outlook("anna").when == pytest.approx(5.0)
    assert scheduler.outlook("bert").when == pytest.approx(20.0)
    pick = scheduler.next()
    assert pick is not None and pick.user == "anna"
    assert scheduler.outlook("bert").when == pytest.approx(20.0)


def test_once_the_time_is_told_what_runs_at_once_does_not_add_to_it() -> None:
    devices = [Device(f"gpu{number}") for number in range(4)]
    scheduler = Scheduler(MODELS, "hybrid", log(), devices=devices)
    scheduler.join("anna", dict.fromkeys(MODELS, 100.0))
    scheduler.join("bert", dict.fromkeys(MODELS, 100.0), deadline=250.0)
    picks = [scheduler.next(now=0.0) for _ in devices]
    for pick in picks:
        assert pick is not None
        scheduler.tell(pick, 0.5, 100.0)
    assert scheduler.outlook("bert").model is not None


def test_a_user_reads_why_on_a_scale_of_their_own() -> None:
    scheduler = Scheduler(MODELS, log=log())
    scheduler.join("anna", score=Score(10.0, 0.0))
    first = scheduler.next()
    assert first is not None
    scheduler.tell(first, 7.0, 1.0)
    second = scheduler.next()
    assert second is not None
    assert "is expected to take the best from 7.000 to " in second.why


def test_who_has_only_failures_is_told_so() -> None:
    scheduler = Scheduler(["a"])
    scheduler.join("anna")
    pick = scheduler.next()
    assert pick is not None
    scheduler.fail(pick)
    assert "failed" in scheduler.outlook("anna").why


def test_a_score_that_is_refused_can_be_told_again() -> None:
    scheduler = here()
    pick = scheduler.next()
    assert pick is not None
    with pytest.raises(TenancyError, match="87 on a scale from 0 to 1"):
        scheduler.tell(pick, 87.0)
    scheduler.tell(pick, 0.87)
    assert scheduler.best("anna") == pytest.approx(0.87)


def test_a_scale_of_ones_own_may_go_below_worthless() -> None:
    scheduler = Scheduler(MODELS)
    scheduler.join("r2", score=Score(0.0, 1.0))
    pick = scheduler.next()
    assert pick is not None
    scheduler.tell(pick, -3.0)
    assert scheduler.best("r2") == 0.0


@pytest.mark.parametrize(
    ("call", "told_"),
    [
        (lambda s: s.join(3), "a user is called 3"),
        (lambda s: s.join("b", {"a": "3"}), "'3' seconds for 'a'"),
        (lambda s: s.join("b", {"a": math.inf}), "inf seconds for 'a'"),
        (lambda s: s.join("b", [1.0]), "expected a dict"),
        (lambda s: s.join("b", weight=math.inf), "weight inf"),
        (lambda s: s.join("b", weight="heavy"), "weight 'heavy'"),
        (lambda s: s.join("b", deadline=math.nan), "deadline nan"),
        (lambda s: s.join("b", deadline="noon"), "deadline 'noon'"),
        (lambda s: s.join("b", models=["aa"]), "did you mean 'a'"),
        (lambda s: s.remove_model("aa"), "did you mean 'a'"),
        (lambda s: s.tell(s.next(), "0.5"), "accuracy of '0.5'"),
        (lambda s: s.tell(s.next(), -0.5), "a score of -0.5"),
        (lambda s: s.tell(s.next(), 0.5, math.inf), "seconds is inf"),
        (lambda s: s.tell(None, 0.5), "None was told"),
        (lambda s: s.fail(None), "None was told"),
        (lambda s: s.next(now=math.nan), "now is nan"),
        (lambda s: s.next("gpu"), "device 'gpu' is asked for"),
        (lambda s: Scheduler("abc"), "expected a list of names"),
        (lambda s: Scheduler(cast("list[str]", [1, 2])), "a model is called 1"),
        (lambda s: s.join(""), "a user is called ''"),
        (lambda s: s.join("b", models="a"), "expected a list of names, as in"),
        (lambda s: s.join("b", models=3), "models is 3"),
        (lambda s: s.join("b", {("a", 0.1, 2): 1.0}), r"expected a model, or \(model, fraction\)"),
        (lambda s: s.join("b", features=3.0), "features is 3.0"),
        (lambda s: s.join("b", features=["x"]), "'x' is among the features"),
        (lambda s: s.join("b", pool="vision"), "there are no devices"),
        (lambda s: s.add_model(3), "a model is called 3"),
        (lambda s: Scheduler(cast("list[str]", None)), "models is None"),
        (lambda s: Scheduler(MODELS, order=cast("list[str]", 3)), "an order of models is 3"),
        (lambda s: Scheduler(MODELS, log=cast("Log", [[0.5] * 4])), "log is a list"),
        (lambda s: Scheduler(MODELS, patience=cast("int", 1.5)), "patience is 1.5 rounds"),
        (lambda s: Scheduler(MODELS, devices=cast("list[Device]", ["g"])), "'g' is among the dev"),
        (lambda s: Scheduler(MODELS, devices=cast("list[Device]", 3)), "devices is 3"),
        (lambda s: Scheduler(MODELS, devices=[Device("g", pool="p")]).join("b"), "has no pool"),
        (lambda s: Device(cast("str", 3)), "a device is called 3"),
        (lambda s: Scheduler(MODELS, RuleSpec("hybrid", {"steps": "x"})), "steps is 'x'"),
        (lambda s: Scheduler(MODELS, RuleSpec("hybrid", {"foresight": 2})), "foresight is 2"),
        (lambda s: Scheduler(MODELS, RuleSpec("fcfs", {"cost_aware": "no"})), "True or False"),
        (lambda s: Scheduler(MODELS, RuleSpec("greedy", {"delta": "x"})), "delta is 'x'"),
        (lambda s: Scheduler(MODELS, seed=-1), "seed is -1"),
        (lambda s: Scheduler(MODELS, seed=cast("int", None)), "seed is None"),
        (lambda s: Scheduler(MODELS, fractions=[0.5, 0.1]), "ascending"),
        (lambda s: Scheduler(MODELS, fractions=[0.5, 1.0]), "without 1"),
        (lambda s: Scheduler(MODELS, order=["aa"]), "unknown model 'aa' in the order"),
        (lambda s: Scheduler(MODELS, order=["a", "a"]), "same name: 'a'"),
        (lambda s: here(RuleSpec("easeml", {"steps": 0})), "steps is 0"),
        (lambda s: here(RuleSpec("hybrid", {"overhead": -1})), "overhead is -1"),
        (lambda s: Score(0.0, math.inf), "from 0.0 to inf"),
        (lambda s: Log([[0.5]], [[-1.0]]), "seconds go down to -1"),
        (lambda s: Log([[0.5]], slices=[[[5.0]]], fractions=[0.1]), "slices goes from 5 to 5"),
        (lambda s: Log([[0.5, 0.5]], models=["a", "a"]), "same name: 'a'"),
    ],
)
def test_a_mistake_gets_a_sentence(call, told_: str) -> None:  # type: ignore[no-untyped-def]  # a lambda
    with pytest.raises(TenancyError, match=told_):
        call(here())
