"""What a supervisor hears from its study."""

import os
import pickle
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection

import pytest

from tests.execution.processes import gone
from tunewise.execution import messages, result
from tunewise.execution.fork_server import ForkServer
from tunewise.execution.supervisor import LEAVE, Order, Stop
from tunewise.history import Failure, Measurement, Outcome, Trial


def job(trial: Trial) -> dict[str, float]:
    time.sleep(trial.config["seconds"])
    return {"supervisor": os.getppid()}


@pytest.fixture
def supervisor() -> Iterator[Connection]:
    fork_server = ForkServer(job)
    with fork_server.supervisor() as supervisor:
        yield supervisor
    fork_server.close()


def request(run: int, seconds: float = 0.0) -> bytes:
    trial = Trial(0, {"seconds": seconds})
    identity = result.identity(trial)
    asked = Order(run, pickle.dumps(trial), identity, 60.0, None, float("inf"), 1.0, "mark")
    return pickle.dumps(asked)


def outcome_of(supervisor: Connection) -> Outcome:
    """What the supervisor tells at the end, after it has told which processes it uses."""
    assert isinstance(messages.read(supervisor.recv_bytes()), tuple)
    said = messages.read(supervisor.recv_bytes())
    assert isinstance(said, Measurement | Failure)
    return said


def test_a_stop_that_comes_too_late_does_not_hit_the_next_run(supervisor: Connection) -> None:
    supervisor.send_bytes(pickle.dumps(Stop(0, Failure("while idle"))))
    supervisor.send_bytes(request(1, seconds=0.2))
    supervisor.send_bytes(pickle.dumps(Stop(0, Failure("while the next one runs"))))
    assert isinstance(outcome_of(supervisor), Measurement)


def test_a_stop_of_the_run_ends_it(supervisor: Connection) -> None:
    supervisor.send_bytes(request(1, seconds=60))
    supervisor.send_bytes(pickle.dumps(Stop(1, Failure("not needed"))))
    outcome = outcome_of(supervisor)
    assert isinstance(outcome, Failure)
    assert outcome.reason == "not needed"


def test_a_supervisor_serves_trial_after_trial_until_told_to_leave(
    supervisor: Connection,
) -> None:
    served = set()
    for run in range(3):
        supervisor.send_bytes(request(run))
        served.add(int(outcome_of(supervisor).metrics["supervisor"]))
    assert len(served) == 1
    supervisor.send_bytes(LEAVE)
    assert gone(served)
