"""Two live workers on one trial: the one that lost its lease ends its job, and both are booked."""

import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

import tunewise as tw
from tests.doubts import perhaps_nothing
from tests.execution.processes import eventually
from tunewise.errors import StorageError
from tunewise.study import Study
from tunewise.study.opening import open_store
from tunewise.study.owner import Owner
from tunewise.study.store import Renewal, Store

SPACE = tw.Space.of([{"x": x} for x in range(40)])
FOREVER = 600.0


def problem() -> tw.Problem:
    return tw.Problem(SPACE, maximize="accuracy", price=lambda config: 3600.0, budget=1e6)


def silenced(store: Store, silent: threading.Event, heard: threading.Event) -> Store:
    """The store, which says that it heard of a running trial, and hears nothing while silent."""
    renew = store.renew

    def unheard(
        study: str, owner: Owner, lease: float, ran: Mapping[int, float] | None = None
    ) -> Renewal:
        if silent.is_set():
            raise StorageError("the network is down")
        renewed = renew(study, owner, lease, ran)
        if ran:
            heard.set()
        return renewed

    store.renew = unheard  # type: ignore[method-assign] # of this store alone
    return store


@pytest.mark.parametrize("ends", [pytest.param("before", marks=pytest.mark.long), "after"])
@perhaps_nothing
def test_the_job_of_a_lost_lease_dies_and_both_attempts_are_booked(
    tmp_path: Path, ends: str
) -> None:
    url = f"sqlite:///{tmp_path}/t.db"

    def hang(trial: tw.Trial) -> dict[str, float]:
        time.sleep(FOREVER)
        return {"accuracy": 0.5}

    silent, heard = threading.Event(), threading.Event()
    store = silenced(open_store(url), silent, heard)
    first = Study(problem(), "random", seed=0, storage=store, name="s", lease=3.0)
    run = threading.Thread(
        target=lambda: first.optimize(hang, trials=1, progress=False), daemon=True
    )
    run.start()
    assert heard.wait(FOREVER / 4)
    silent.set()
    with tw.Study(problem(), storage=url, name="s") as second:
        assert eventually(lambda: second.abandoned() == {0})
        trial = second.ask()
        assert trial.number == 0 and trial.lost["time"] > 0
        booked = trial.lost["time"]
        if ends == "before":
            second.tell(trial, {"accuracy": 0.9, "time": 7.0})
        time.sleep(1.0)
        silent.clear()
        run.join(timeout=FOREVER / 4)
        assert not run.is_alive()
        if ends == "after":
            assert second.history[0].state == "running"
            second.tell(trial, {"accuracy": 0.9, "time": 7.0})
        told = second.history[0]
    assert told.metrics["accuracy"] == 0.9
    # All of the first attempt until it was ended, not only what was known when it fell silent.
    assert told.lost["time"] >= booked + 1.0
    assert told.spent["cost"] == pytest.approx(told.lost["time"] + 7.0)
