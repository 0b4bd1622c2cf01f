"""A limit on work on a machine that has little time for it."""

import math
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing import Pipe

import pytest

from tunewise.execution import ProcessExecutor
from tunewise.execution.ray.node import Order
from tunewise.history import Measurement, Outcome, TimedOut, Trial
from tunewise.study.executor import Allowance, Request
from tunewise.study.run.limits import latest

BUSY = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
print("busy", flush=True)
end = time.monotonic() + 60
while time.monotonic() < end: pass
"""
NODE = "from tunewise.execution.ray.node import main; main()"
HOGS = 6
LIMIT = 0.6


def shared_core() -> int:
    return min(os.sched_getaffinity(0))


@pytest.fixture
def busy_core() -> Iterator[None]:
    """One core that six endless loops share with the trial, so that it gets a seventh at most."""
    command = [sys.executable, "-c", BUSY, str(shared_core())]
    hogs = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(HOGS)]
    for hog in hogs:
        assert hog.stdout is not None and hog.stdout.readline() == b"busy\n"
    yield
    for hog in hogs:
        hog.kill()
        hog.communicate()


def compute(_: Trial) -> dict[str, float]:
    """A quarter of the limit in work; on a busy core more than all of it by the clock."""
    os.sched_setaffinity(0, {shared_core()})
    began, end = time.monotonic(), time.process_time() + LIMIT / 4
    while time.process_time() < end or time.monotonic() < began + 1.2 * LIMIT:
        pass
    return {"a": 1.0}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a thread waited")
def test_what_other_programs_take_does_not_count_against_a_trial(busy_core: None) -> None:
    with ProcessExecutor(1, grace=0.3) as executor:
        trial = Trial(0, {})
        worked = executor.start(Request(compute, trial, LIMIT, latest=math.inf)).result()
        clocked = executor.start(Request(compute, trial, LIMIT)).result()
        ended = executor.start(Request(compute, trial, LIMIT, latest=LIMIT)).result()
    assert isinstance(worked, Measurement)
    assert isinstance(clocked, TimedOut) and isinstance(ended, TimedOut)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a thread waited")
@pytest.mark.long
@pytest.mark.parametrize(("last", "ended"), [(math.inf, Measurement), (None, TimedOut)])
def test_nor_does_it_on_a_node_of_ray(
    last: float | None, ended: type[Outcome], busy_core: None
) -> None:
    order = Order("job", Trial(0, {}), LIMIT, Allowance(), None, 0.3, None, {}, last)
    ours, theirs = Pipe()
    start = [sys.executable, "-c", NODE, str(theirs.fileno())]
    with subprocess.Popen(start, pass_fds=[theirs.fileno()]) as node, ours:
        theirs.close()
        ours.send_bytes(pickle.dumps((pickle.dumps(compute), order)))
        outcome = None
        while outcome is None and ours.poll(60):
            outcome = pickle.loads(ours.recv_bytes()).outcome
        ours.close()
        node.wait(60)
    assert isinstance(outcome, ended)


@pytest.mark.parametrize(
    ("limits", "by_the_clock"),
    [
        ([], None),
        ([(30.0, None)], None),
        ([(3.0, "pruned")], math.inf),
        ([(30.0, None), (3.0, "pruned")], 30.0),
        ([(2.0, None), (3.0, "pruned")], None),
    ],
)
def test_only_what_a_strategy_would_stop_counts_work(
    limits: list[tuple[float, str | None]], by_the_clock: float | None
) -> None:
    assert latest(limits) == by_the_clock
