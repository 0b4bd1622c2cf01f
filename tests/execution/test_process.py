"""Jobs that misbehave, in real processes."""

import ctypes
import errno
import faulthandler
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.execution.processes import (
    FOREVER,
    alive,
    children,
    descriptors,
    eventually,
    gone,
    sleepers,
)
from tunewise.errors import ExecutionError
from tunewise.execution import ProcessExecutor, recover, supervisor
from tunewise.execution.log import BoundedLog
from tunewise.history import Cancelled, Failure, Measurement, Outcome, Trial
from tunewise.study.executor import Request

MEGABYTE = 2**20


@pytest.fixture
def executor() -> Iterator[ProcessExecutor]:
    with ProcessExecutor(2, grace=0.3) as executor:
        yield executor


def trial(number: int = 0, **config: Any) -> Trial:
    return Trial(number, config)


def works(executor: ProcessExecutor) -> bool:
    """Whether the executor still runs what it is given."""
    return isinstance(executor.submit(lambda t: {"a": 1}, trial()).result(), Measurement)


def rest(_: Trial) -> dict[str, float]:
    time.sleep(0.5)
    return {"a": 1.0}


def failed(outcome: Outcome) -> str:
    """The reason of a failure that was paid for."""
    assert isinstance(outcome, Failure)
    assert outcome.metrics["time"] > 0
    return outcome.reason


def numbers(file: Path) -> list[int]:
    return [int(word) for word in file.read_text().split()]


def test_a_worker_that_leaves_by_itself_ends_its_trial_only(executor: ProcessExecutor) -> None:
    outcome = executor.submit(lambda t: os._exit(3), trial()).result()
    assert failed(outcome) == (
        "the job's process ended with exit code 3 before it returned a result"
    )
    assert works(executor)


def test_a_job_that_calls_exit_fails(executor: ProcessExecutor) -> None:
    assert "exit(4)" in failed(executor.submit(lambda t: sys.exit(4), trial()).result())


def test_a_segmentation_fault_is_named_and_its_place_is_in_the_log(
    executor: ProcessExecutor, tmp_path: Path
) -> None:
    def reach_into_nothing(_: Trial) -> None:
        ctypes.string_at(0)

    outcome = executor.submit(reach_into_nothing, trial(), folder=tmp_path).result()
    assert failed(outcome) == "the job was killed by SIGSEGV"
    assert "reach_into_nothing" in (tmp_path / "log.txt").read_text()
    assert works(executor)


def test_a_segmentation_fault_is_in_the_log_though_a_library_took_the_signal_over(
    executor: ProcessExecutor, tmp_path: Path
) -> None:
    before = faulthandler.is_enabled()
    faulthandler.enable()
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)  # as Ray leaves it behind

    def reach_into_nothing(_: Trial) -> None:
        ctypes.string_at(0)

    try:
        executor.submit(reach_into_nothing, trial(), folder=tmp_path).result()
    finally:
        faulthandler.disable()
        if before:
            faulthandler.enable()
    assert "reach_into_nothing" in (tmp_path / "log.txt").read_text()
    assert works(executor)


def test_a_kill_is_named_and_memory_is_mentioned(executor: ProcessExecutor) -> None:
    outcome = executor.submit(lambda t: os.kill(os.getpid(), signal.SIGKILL), trial()).result()
    assert "killed by SIGKILL" in failed(outcome)
    assert "memory" in failed(outcome)


def test_a_job_that_ignores_the_request_to_end_is_killed(executor: ProcessExecutor) -> None:
    def deaf(_: Trial) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(FOREVER)

    before = time.monotonic()
    outcome = executor.submit(deaf, trial(), limit=2.0).result()
    assert failed(outcome) == "time limit of 2 s reached"
    assert 2.3 <= outcome.metrics["time"] <= time.monotonic() - before
    assert works(executor)


def test_a_job_that_heeds_the_request_to_end_has_time_to_clean_up(tmp_path: Path) -> None:
    def tidy(_: Trial) -> None:
        try:
            signal.signal(signal.SIGTERM, lambda *_: sys.exit())
            time.sleep(FOREVER)
        finally:
            time.sleep(0.2)
            (tmp_path / "saved").touch()

    with ProcessExecutor(grace=FOREVER) as executor:
        outcome = executor.submit(tidy, trial(), limit=2.0).result()
        assert failed(outcome) == "time limit of 2 s reached"
        assert (tmp_path / "saved").exists()


def test_a_result_that_is_out_stands_even_if_its_worker_hangs(executor: ProcessExecutor) -> None:
    class Blocked:
        def flush(self) -> None:
            time.sleep(FOREVER)

    def measure(_: Trial) -> dict[str, float]:
        sys.stdout = Blocked()  # as good as a full pipe
        return {"a": 1.0}

    outcome = executor.submit(measure, trial(), limit=1.0).result()
    assert isinstance(outcome, Measurement)
    assert outcome.metrics["a"] == 1.0


def test_when_no_process_can_be_started_the_trial_says_so(
    executor: ProcessExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> int:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fork", refuse)
        with pytest.raises(ExecutionError, match="no process could be started .*unavailable"):
            executor.submit(lambda t: {"a": 1}, trial())
    running = executor.submit(rest, trial())
    with monkeypatch.context() as patched:
        patched.setattr(socket, "socketpair", refuse)
        outcome = executor.submit(rest, trial(1)).result()
    assert isinstance(outcome, Failure)
    assert "no process could be started" in outcome.reason
    assert isinstance(running.result(), Measurement)
    assert works(executor)


def test_a_memory_blow_up_ends_its_trial_only() -> None:
    def blow_up(_: Trial) -> None:
        hoard = [np.ones(MEGABYTE) for _ in range(10_000)]
        time.sleep(len(hoard))

    with ProcessExecutor(2, memory=200 * MEGABYTE) as executor:
        beside = executor.submit(rest, trial())
        outcome = executor.submit(blow_up, trial(1)).result()
        assert failed(outcome).startswith("memory limit of 200 MiB exceeded")
        assert isinstance(beside.result(), Measurement)
        assert works(executor)


def test_memory_of_processes_that_the_job_started_counts() -> None:
    script = f"hoard = b'x' * {300 * MEGABYTE}; import time; time.sleep({FOREVER})"

    def start_another(_: Trial) -> None:
        subprocess.run([sys.executable, "-c", script], check=True, start_new_session=True)

    with ProcessExecutor(memory=200 * MEGABYTE) as executor:
        outcome = executor.submit(start_another, trial()).result()
        assert failed(outcome).startswith("memory limit of 200 MiB exceeded")


def test_memory_that_the_study_holds_is_not_the_jobs() -> None:
    ballast = np.ones(900 * MEGABYTE // 8)

    def modest(_: Trial) -> dict[str, float]:
        time.sleep(0.3)
        return {"held": float(ballast[0])}

    with ProcessExecutor(memory=250 * MEGABYTE) as executor:
        assert isinstance(executor.submit(modest, trial()).result(), Measurement)


@pytest.mark.parametrize("memory", [0, -5, 1.5, "2G"])
def test_a_memory_limit_that_is_none_is_refused(memory: Any) -> None:
    with pytest.raises(ExecutionError, match="memory is .*; expected a number of bytes"):
        ProcessExecutor(memory=memory)


@pytest.mark.parametrize("way", ["return", "raise", "crash", "limit", "stop"])
def test_whatever_a_job_started_ends_with_its_trial(
    executor: ProcessExecutor, tmp_path: Path, way: str
) -> None:
    noted = tmp_path / "pids"

    def start_others(_: Trial) -> dict[str, float]:
        (tmp_path / "draft").write_text(" ".join(map(str, sleepers())))
        (tmp_path / "draft").rename(noted)
        if way == "raise":
            raise ValueError
        if way == "crash":
            os._exit(1)
        if way in ("limit", "stop"):
            time.sleep(FOREVER)
        return {"a": 1.0}

    limit = 5.0 if way == "limit" else None
    future = executor.submit(start_others, trial(), limit=limit)
    if way == "stop":
        while not noted.exists():
            time.sleep(0.01)
        executor.stop(future, Cancelled("stopped by a person"))
    assert isinstance(future.result(), Measurement if way == "return" else Failure)
    assert len(numbers(noted)) == 3
    # No moment later, however busy the machine is: their end is waited for, not a time.
    assert not [pid for pid in numbers(noted) if alive(pid)]


def test_output_and_traceback_go_to_the_log(executor: ProcessExecutor, tmp_path: Path) -> None:
    def talk(_: Trial) -> None:
        print("hello from print")
        os.system("echo hello from a child; echo hello from stderr >&2")
        raise ValueError("bad learning rate")

    outcome = executor.submit(talk, trial(), folder=tmp_path / "a" / "b").result()
    log = (tmp_path / "a" / "b" / "log.txt").read_text()
    for line in ("hello from print", "hello from a child", "hello from stderr"):
        assert line in log
    assert "Traceback (most recent call last)" in log
    assert 'raise ValueError("bad learning rate")' in log
    reason = failed(outcome)
    assert reason.startswith("ValueError: bad learning rate (test_process.py line ")
    assert reason.splitlines()[0].endswith('in talk: raise ValueError("bad learning rate"))')


def test_a_worker_has_a_session_a_silent_input_and_is_the_first_to_be_sacrificed(
    executor: ProcessExecutor,
) -> None:
    def look(_: Trial) -> dict[str, float]:
        return {
            "leads": float(os.getsid(0) == os.getpid() == os.getpgrp()),
            "input": float(len(sys.stdin.read()) + len(os.read(0, 9))),
            "sacrifice": float(Path("/proc/self/oom_score_adj").read_text()),
            "terminable": float(signal.getsignal(signal.SIGTERM) == signal.SIG_DFL),
        }

    outcome = executor.submit(look, trial()).result()
    assert isinstance(outcome, Measurement)
    assert {k: v for k, v in outcome.metrics.items() if k != "time"} == {
        "leads": 1.0,
        "input": 0.0,
        "sacrifice": 1000.0,
        "terminable": 1.0,
    }


def test_trials_do_not_draw_the_same_random_numbers(executor: ProcessExecutor) -> None:
    def draw(_: Trial) -> dict[str, float]:
        return {"x": float(np.random.random())}

    drawn = {executor.submit(draw, trial(i)).result().metrics["x"] for i in range(4)}
    assert len(drawn) == 4


def test_a_result_larger_than_a_pipe_arrives(executor: ProcessExecutor) -> None:
    def measure(_: Trial) -> Measurement:
        steps = {i / 10_000: {"accuracy": i / 10_000} for i in range(1, 10_000)}
        return Measurement({"accuracy": 1.0}, steps)

    outcome = executor.submit(measure, trial()).result()
    assert isinstance(outcome, Measurement)
    assert len(outcome.snapshots) == 9_999


def test_bound_methods_and_callable_objects_are_jobs(executor: ProcessExecutor) -> None:
    class Trainer:
        def __init__(self, scale: float) -> None:
            self.scale = scale

        def train(self, trial: Trial) -> dict[str, float]:
            return {"a": self.scale * trial.config["x"]}

        __call__ = train

    trainer = Trainer(2.0)
    assert executor.submit(trainer.train, trial(x=3)).result().metrics["a"] == 6.0
    trainer.scale = 100.0
    again = executor.submit(trainer.train, trial(x=4)).result()
    assert again.metrics["a"] == 8.0, "the same job is inherited once"
    trainer = Trainer(2.0)
    assert executor.submit(trainer, trial(x=5)).result().metrics["a"] == 10.0


def test_it_works_from_many_threads(executor: ProcessExecutor) -> None:
    found: list[float] = []

    def submit(i: int) -> None:
        outcome = executor.submit(lambda t: {"a": i}, trial(i)).result()
        found.append(outcome.metrics["a"])

    threads = [threading.Thread(target=submit, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [0, 1, 2, 3, 4, 5]


def test_a_killed_supervisor_costs_one_trial(executor: ProcessExecutor, tmp_path: Path) -> None:
    def betray(_: Trial) -> None:
        (tmp_path / "pids").write_text(str(os.getpid()))
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(FOREVER)

    assert "was killed" in failed(executor.submit(betray, trial()).result())
    assert gone(numbers(tmp_path / "pids"))
    assert works(executor)


def who(_: Trial) -> dict[str, float]:
    return {"pid": os.getpid()}


def test_a_killed_fork_server_is_replaced() -> None:
    others = children()
    with ProcessExecutor(2) as executor:
        executor.prepare(who)
        (fork_server,) = set(children()).difference(others)
        os.kill(fork_server, signal.SIGKILL)
        assert gone([fork_server])
        assert isinstance(executor.submit(who, trial()).result(), Measurement)
    assert children() == others


def test_a_trial_that_had_not_begun_when_its_fork_server_was_killed_runs_on_a_new_one() -> None:
    others = children()
    with ProcessExecutor(2) as executor:
        executor.prepare(who)
        (fork_server,) = set(children()).difference(others)
        os.kill(fork_server, signal.SIGSTOP)
        begun = executor.submit(who, trial())
        os.kill(fork_server, signal.SIGKILL)
        assert isinstance(begun.result(), Measurement)
    assert children() == others


def test_two_executors_do_not_hold_each_other_up() -> None:
    others = children()
    with ProcessExecutor(1) as first:
        assert works(first)
        with ProcessExecutor(1) as second:
            assert works(second)
            first.shutdown()
            assert works(second)
    assert children() == others


def test_a_folder_that_cannot_be_written_is_refused_in_a_sentence(
    executor: ProcessExecutor, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ExecutionError, match=r"cannot write to the folder .*file/0: Not a direct"):
        executor.submit(lambda t: {"a": 1}, trial(), folder=tmp_path / "file" / "0")


def test_a_trial_may_remove_its_folder_before_its_log_is_opened(
    executor: ProcessExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def vandal(_: Trial) -> dict[str, float]:
        shutil.rmtree(tmp_path / "0")
        return {"a": 1.0}

    class Late(BoundedLog):
        def __init__(self, path: Path) -> None:
            while path.parent.exists():
                time.sleep(0.001)
            super().__init__(path)

    monkeypatch.setattr(supervisor, "BoundedLog", Late)
    outcome = executor.submit(vandal, trial(), folder=tmp_path / "0").result()
    assert isinstance(outcome, Measurement)


def test_a_config_that_cannot_travel_is_refused_in_a_sentence(executor: ProcessExecutor) -> None:
    with pytest.raises(ExecutionError, match="cannot be sent to a worker process"):
        executor.submit(lambda t: {"a": 1}, trial(x=lambda: None))


def test_a_job_that_cannot_be_called_is_refused(executor: ProcessExecutor) -> None:
    with pytest.raises(ExecutionError, match="the job is 'train.py'; expected a function"):
        executor.submit("train.py", trial())  # type: ignore[arg-type] # a mistake that people make


def naps(pid: int) -> int:
    """How often a process has gone to sleep: what polls does so again and again."""
    told = Path(f"/proc/{pid}/status").read_text()
    return int(told.partition("\nvoluntary_ctxt_switches:")[2].split()[0])


def test_watching_a_trial_costs_no_processor_time() -> None:
    def idle(_: Trial) -> dict[str, float]:
        before = naps(os.getppid())
        time.sleep(0.5)
        return {"naps": naps(os.getppid()) - before}

    with ProcessExecutor(memory=4096 * MEGABYTE) as executor:
        assert executor.submit(idle, trial(), limit=60).result().metrics["naps"] <= 200


def test_waiting_for_a_trial_to_end_costs_no_processor_time(tmp_path: Path) -> None:
    def leave_a_deaf_child(_: Trial) -> None:
        deaf = subprocess.Popen(["sh", "-c", f"trap '' TERM; echo; sleep {FOREVER}"], stdout=-1)
        assert deaf.stdout
        deaf.stdout.readline()
        (tmp_path / "pids").write_text(str(os.getppid()))
        time.sleep(FOREVER)

    with ProcessExecutor(grace=0.5) as executor:
        outcome = executor.submit(leave_a_deaf_child, trial(), limit=2.0).result()
        assert isinstance(outcome, Failure)
        (supervisor,) = numbers(tmp_path / "pids")
        assert naps(supervisor) <= 200


def test_neither_processes_nor_descriptors_are_leaked(tmp_path: Path) -> None:
    def mixed(trial: Trial) -> dict[str, float]:
        if trial.number % 5 == 0:
            os._exit(1)
        if trial.number % 5 == 1:
            raise ValueError
        return {"pid": os.getpid(), "supervisor": os.getppid()}

    before, others = descriptors(), children()
    for _ in range(3):
        with ProcessExecutor(3) as executor:
            futures = [
                executor.submit(mixed, trial(i), folder=tmp_path / str(i)) for i in range(20)
            ]
            metrics = [future.result().metrics for future in futures]
            executor.submit(lambda t: {"a": 1}, trial()).result()
        pids = {int(m[k]) for m in metrics for k in ("pid", "supervisor") if k in m}
        assert gone(pids)
        assert children() == others
        assert descriptors() == before


def test_an_executor_that_is_forgotten_cleans_up() -> None:
    before, others = descriptors(), children()
    executor = ProcessExecutor(1)
    supervisor = executor.submit(lambda t: {"supervisor": os.getppid()}, trial()).result()
    pid = int(supervisor.metrics["supervisor"])
    for thread in threading.enumerate():
        if thread.name == "tunewise-trial":
            thread.join()
    del executor
    assert gone([pid])
    assert eventually(lambda: children() == others)
    assert descriptors() == before


def test_starting_a_trial_takes_no_new_interpreter() -> None:
    def started(_: Trial) -> dict[str, float]:
        began = Path("/proc/self/cmdline").read_bytes() == command
        return {"pid": os.getpid(), "forked": float(began)}

    command = Path("/proc/self/cmdline").read_bytes()
    with ProcessExecutor(2) as executor:
        futures = [executor.submit(started, trial(i)) for i in range(10)]
        told = [future.result().metrics for future in futures]
    assert len({each["pid"] for each in told}) == 10
    assert all(each["forked"] for each in told)


def test_a_failure_is_kept_as_a_measurement_is(executor: ProcessExecutor, tmp_path: Path) -> None:
    """A crashed trial was paid for too: it must not run again when the study was killed."""
    crashed = trial(4, x=1)
    outcome = executor.submit(lambda t: os._exit(1), crashed, folder=tmp_path).result()
    assert recover(tmp_path, crashed) == outcome
    assert executor.recover(Request(len, crashed, folder=tmp_path)) == outcome
