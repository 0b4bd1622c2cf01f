"""Ctrl-C at any moment: no job goes on, no trial stays given out, all that ran is booked."""

import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

import pytest

import tunewise as tw
from tunewise.execution.process import ProcessExecutor
from tunewise.study.executor import Request
from tunewise.study.run.interrupts import uninterrupted

SPACE = tw.Space.of([{"x": x} for x in range(40)])
FOREVER = 600.0


def problem() -> tw.Problem:
    return tw.Problem(SPACE, maximize="accuracy", price=lambda config: 3600.0, budget=1e6)


def hang(trial: tw.Trial) -> dict[str, float]:
    time.sleep(FOREVER)
    return {"accuracy": 0.5}


class Interrupted(ProcessExecutor):
    """Is interrupted in the moment in which a trial has been started."""

    def start(self, request: Request) -> Any:
        future = super().start(request)
        signal.raise_signal(signal.SIGINT)
        return future


def test_an_interrupt_just_as_a_trial_starts_ends_the_trial() -> None:
    study = tw.Study(problem(), "random", seed=0)
    with Interrupted() as executor, pytest.raises(KeyboardInterrupt):
        study.optimize(hang, trials=2, executor=executor, progress=False)
    assert [trial.state for trial in study.history] == ["preempted"]
    assert study.history[0].lost["cost"] > 0


class Interrupter:
    """Sends SIGINT at the n-th line of the loop and the executor, between asking and waiting."""

    NAMES = ("_fill", "_asked", "_begun", "_start", "start", "begin", "next_trial", "_new_trial")

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        ours = "tunewise/study/" in frame.f_code.co_filename
        ours = ours or frame.f_code.co_filename.endswith("execution/process.py")
        if not (ours and frame.f_code.co_name in self.NAMES):
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                signal.raise_signal(signal.SIGINT)
        return self


@pytest.mark.parametrize("line", [*range(10, 60, 5), *range(61, 104, 4)])
def test_an_interrupt_at_any_line_leaves_nothing_behind(line: int) -> None:
    study = tw.Study(problem(), "random", seed=0)
    traced, stop = sys.gettrace(), threading.Timer(30.0, interrupt_main)
    stop.start()  # for lines that are not reached
    sys.settrace(Interrupter(line))
    try:
        with pytest.raises(KeyboardInterrupt):
            study.optimize(hang, trials=2, progress=False)
    finally:
        sys.settrace(traced)
        stop.cancel()
    assert not study.history.of(tw.TrialState.RUNNING)


def interrupt_main() -> None:
    signal.raise_signal(signal.SIGINT)


def test_a_signal_is_handled_behind_a_step_that_is_not_to_be_cut_in_two() -> None:
    done = []
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        signal.raise_signal(signal.SIGINT)
        done.append("all of it")
    assert done == ["all of it"]
    assert signal.getsignal(signal.SIGINT) is before


def test_errors_and_other_threads_pass_through_a_step_as_ever() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError), uninterrupted():
        raise ValueError
    assert signal.getsignal(signal.SIGINT) is before
    done = []

    def elsewhere() -> None:
        with uninterrupted():
            done.append(signal.getsignal(signal.SIGINT) is before)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert done == [True]
