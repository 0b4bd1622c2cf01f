"""Several processes share one budget: who finds no money waits for those who hold it."""

import threading
import time
from typing import Any

import tunewise as tw
from tests.doubts import nothing_recommended
from tunewise.history import Trial
from tunewise.storage.memory import MemoryStore
from tunewise.study.store import Allocation
from tunewise.testing.stores import far_owner

PROBLEM = tw.Problem(
    tw.Space.of([{"x": x} for x in range(40)]),
    maximize="accuracy",
    budget=10.0,
    price=lambda config: 3600.0,
)


def taking(usd: float) -> Allocation:
    return Allocation(10.0, lambda trial, free, waiting: usd)


def held_by_another(store: MemoryStore, usd: float) -> Trial:
    with store.asking("s", far_owner()):
        return store.add("s", {"x": 0}, 1.0, (), far_owner(), 600.0, taking(usd))


def quick(trial: Trial) -> dict[str, float]:
    return {"accuracy": 0.5, "time": 0.5}


def begun(study: tw.Study, **settings: Any) -> threading.Thread:
    wanted = {"trials": 3, "progress": False, **settings}
    thread = threading.Thread(target=study.optimize, args=(quick,), kwargs=wanted)
    thread.start()
    return thread


def until(seen: Any) -> None:
    deadline = time.monotonic() + 120
    while not seen():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_who_finds_no_money_waits_until_another_process_gives_it_back() -> None:
    store = MemoryStore()
    with tw.Study(PROBLEM, "random", 0, store, "s") as study:
        held_by_another(store, 10.0)
        run = begun(study)
        until(lambda: store.held("s") == {0: 10.0, 1: 0.0})
        time.sleep(0.6)
        assert run.is_alive() and not study.history.complete
        store.tell("s", 0, tw.Measurement({"accuracy": 0.4, "cost": 2.0}), far_owner())
        run.join(120)
        assert not run.is_alive()
        assert len(study.history.complete) == 3
        assert study.spent["cost"] <= 10.0


@nothing_recommended
def test_who_waits_for_money_ends_when_it_is_given_back_unseen_and_nobody_holds_any() -> None:
    store = MemoryStore()
    with tw.Study(PROBLEM, "random", 0, store, "s") as study:
        held_by_another(store, 10.0)
        run = begun(study)
        until(lambda: store.held("s") == {0: 10.0, 1: 0.0})
        with store._changed:  # both steps at once: nobody sees the moment in between
            store.tell("s", 0, tw.Preempted("gone", {"cost": 10.0}), far_owner())
            store.claim("s", far_owner("again"), 600.0, None, taking(0.0))
        run.join(120)
        assert not run.is_alive()
        assert study.stopped is not None and "the budget of 10 USD is spent" in study.stopped


def test_who_waits_for_money_takes_up_the_trial_of_a_worker_that_is_gone() -> None:
    now = {"late": 0.0}
    store = MemoryStore(clock=lambda: time.time() + now["late"])
    with tw.Study(PROBLEM, "random", 0, store, "s", lease=1e6) as study:
        held_by_another(store, 10.0)
        store.renew("s", far_owner(), 600.0, {0: 4.0})
        run = begun(study)
        until(lambda: store.held("s") == {0: 10.0, 1: 0.0})
        now["late"] = 1000.0
        run.join(120)
        assert not run.is_alive()
        first, *others = study.history
        assert first.lost == {"time": 4.0, "cost": 4.0} and first.state == "complete"
        assert [trial.state for trial in others] == ["complete"] * 2


def test_the_first_trial_of_a_lasting_study_leaves_money_for_those_who_join() -> None:
    shares = {}
    for store in (None, MemoryStore()):
        with tw.Study(PROBLEM, "random", 0, store, "s") as study:
            held: list[float] = []

            def look(trial: Trial, study: tw.Study = study, held: list[float] = held) -> Any:
                held.extend(study.store.held("s").values())
                return {"accuracy": 0.5, "time": 1.0}

            study.optimize(look, trials=1, executor=tw.ReplayExecutor(), progress=False)
            shares[store is not None] = held[0]
    assert shares == {False: 10.0, True: 5.0}
