"""What a keeper hears from its study."""

import os
import pickle
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection

import pytest

from tests.execution.processes import gone
from tunewise.execution import result
from tunewise.execution.keeper import LEAVE, Request, Stop
from tunewise.execution.nursery import Nursery
from tunewise.history import Failure, Measurement, Trial


def job(trial: Trial) -> dict[str, float]:
    time.sleep(trial.config["seconds"])
    return {"keeper": os.getppid()}


@pytest.fixture
def keeper() -> Iterator[Connection]:
    nursery = Nursery(job)
    with nursery.keeper() as keeper:
        yield keeper
    nursery.close()


def request(run: int, seconds: float = 0.0) -> bytes:
    trial = Trial(0, {"seconds": seconds})
    asked = Request(run, pickle.dumps(trial), result.identity(trial), 60.0, None, float("inf"), 1.0)
    return pickle.dumps(asked)


def test_a_stop_that_comes_too_late_does_not_hit_the_next_run(keeper: Connection) -> None:
    keeper.send_bytes(pickle.dumps(Stop(0, Failure("while idle"))))
    keeper.send_bytes(request(1, seconds=0.2))
    keeper.send_bytes(pickle.dumps(Stop(0, Failure("while the next one runs"))))
    assert isinstance(result.decode(keeper.recv_bytes()), Measurement)


def test_a_stop_of_the_run_ends_it(keeper: Connection) -> None:
    keeper.send_bytes(request(1, seconds=60))
    keeper.send_bytes(pickle.dumps(Stop(1, Failure("not needed"))))
    outcome = result.decode(keeper.recv_bytes())
    assert isinstance(outcome, Failure)
    assert outcome.reason == "not needed"


def test_a_keeper_serves_one_trial_after_the_other_and_leaves_when_told(keeper: Connection) -> None:
    served = set()
    for run in range(3):
        keeper.send_bytes(request(run))
        served.add(int(result.decode(keeper.recv_bytes()).metrics["keeper"]))
    assert len(served) == 1
    keeper.send_bytes(LEAVE)
    assert gone(served)
