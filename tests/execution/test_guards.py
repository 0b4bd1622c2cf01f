"""Whatever happens to those who watch over a trial, all its processes end and it is booked."""

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.execution.processes import FOREVER, children, eventually, gone, sleepers
from tunewise.execution import Command, ProcessExecutor, process_tree
from tunewise.execution import process as process_module
from tunewise.history import Failure, Measurement, Trial
from tunewise.study.executor import Allowance

HOURS = 3600.0


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize("hours", [596.0, 597.0, 1e9])
def test_limits_of_any_length_are_kept_by_the_watcher(hours: float) -> None:
    def job(trial: Trial) -> dict[str, float]:
        time.sleep(0.05)
        return {"a": 1.0}

    with ProcessExecutor() as executor:
        for told in (
            executor.submit(job, Trial(0, {}), limit=hours * HOURS),
            executor.submit(job, Trial(1, {}), allowance=Allowance(1.0, hours * HOURS)),
        ):
            assert isinstance(told.result(), Measurement)


def kill_the_supervisor() -> None:
    os.kill(os.getppid(), signal.SIGKILL)


def kill_supervisor_and_fork_server() -> None:
    supervisor = os.getppid()
    server = parent(supervisor)
    os.kill(supervisor, signal.SIGSTOP)  # so that it cannot notice
    os.kill(server, signal.SIGKILL)
    os.kill(supervisor, signal.SIGKILL)


def kill_the_fork_server() -> None:
    os.kill(parent(os.getppid()), signal.SIGKILL)


@pytest.mark.parametrize(
    "attack", [kill_the_supervisor, kill_the_fork_server, kill_supervisor_and_fork_server]
)
def test_a_job_that_kills_its_watchers_dies_with_all_it_started(
    attack: Callable[[], None], tmp_path: Path
) -> None:
    def job(trial: Trial) -> None:
        pids = [os.getpid(), *sleepers()]
        (tmp_path / "draft").write_text(" ".join(map(str, pids)))
        (tmp_path / "draft").rename(tmp_path / "pids")
        time.sleep(1.0)  # five times what is asked below: what other programs take is not booked
        attack()
        time.sleep(FOREVER)

    others = children()
    with ProcessExecutor() as executor:
        outcome = executor.submit(job, Trial(0, {})).result(timeout=60)
        assert isinstance(outcome, Failure) and "was killed" in outcome.reason
        assert outcome.metrics["time"] >= 0.2
        assert gone([int(pid) for pid in (tmp_path / "pids").read_text().split()])
        after = executor.submit(lambda trial: {"a": 1.0}, Trial(1, {})).result()
        assert isinstance(after, Measurement)
    assert eventually(lambda: children() == others)


def test_a_command_whose_watcher_was_killed_does_not_go_on(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(
        "import os, pathlib, signal, time\n"
        "stat = lambda pid: pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2]\n"
        "supervisor = int(stat(os.getppid()).split()[1])\n"
        f"pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\n"
        "os.kill(supervisor, signal.SIGKILL)\n"
        "time.sleep(1000)\n"
    )
    with ProcessExecutor() as executor:
        outcome = executor.submit(Command([sys.executable, str(script)]), Trial(0, {})).result()
    assert isinstance(outcome, Failure)
    assert gone([int((tmp_path / "pid").read_text())])


def test_a_watcher_that_hangs_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "_OVERDUE", 0.2)

    def job(trial: Trial) -> None:
        (tmp_path / "pids").write_text(f"{os.getpid()} {subprocess.Popen(['sleep', '1000']).pid}")
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(FOREVER)

    with ProcessExecutor(grace=0.1) as executor:
        outcome = executor.submit(job, Trial(0, {}), limit=0.3).result(timeout=60)
        assert isinstance(outcome, Failure)
        assert gone([int(pid) for pid in (tmp_path / "pids").read_text().split()])


def test_a_job_that_does_not_heed_being_stopped_at_once_is_killed() -> None:
    def deaf(trial: Trial) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(FOREVER)

    with ProcessExecutor(grace=600.0) as executor:
        future = executor.submit(deaf, Trial(0, {}))
        time.sleep(0.3)
        executor.stop(future, Failure("no money"), at_once=True)
        outcome = future.result(timeout=60)
        assert isinstance(outcome, Failure) and outcome.reason == "no money"


def test_a_killed_job_is_said_to_have_run_out_of_memory_only_where_the_kernel_does_not_deny_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def job(trial: Trial) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def reason(job: Callable[[Trial], object]) -> str:
        with ProcessExecutor() as executor:
            outcome = executor.submit(job, Trial(0, {})).result()
        assert isinstance(outcome, Failure)
        return outcome.reason.partition(";")[0]

    own, watcher = Command("sh -c 'kill -9 $$'"), Command("sh -c 'kill -9 $PPID; sleep 9'")
    counts = itertools.count()
    for memory, said in (
        (lambda: 7, ": some process did that, for the kernel killed none for lack of memory"),
        (lambda: None, ": the kernel does that when memory runs out"),
        (lambda: next(counts), ": the kernel did that, as memory ran out"),
    ):
        monkeypatch.setattr(process_tree, "memory_kills", memory)
        assert reason(job) == reason(watcher) == f"the job was killed by SIGKILL{said}"
        assert reason(own) == f"the command was killed by SIGKILL{said}"


class _SlowToLoad:
    """A job whose libraries take long to be imported, as on a busy machine."""

    def preload(self) -> None:
        time.sleep(1.5)

    def __call__(self, trial: Trial) -> dict[str, float]:
        return {"accuracy": 0.5}


def test_the_time_to_load_a_job_is_not_taken_for_a_hung_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process_module, "_OVERDUE", 0.2)
    with ProcessExecutor(1, grace=0.1) as executor:
        outcome = executor.submit(_SlowToLoad(), Trial(0, {}), limit=0.5).result()
    assert outcome.metrics.get("accuracy") == 0.5, outcome


def test_a_watcher_that_always_wakes_up_late_ends_a_trial_so_much_earlier() -> None:
    def deaf_and_greedy(trial: Trial) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:  # the watcher runs as on a machine where others take the processor
            os.kill(os.getppid(), signal.SIGSTOP)
            time.sleep(0.6)
            os.kill(os.getppid(), signal.SIGCONT)
            time.sleep(0.03)

    money = Allowance(1.0, 5.0)
    with ProcessExecutor(4) as executor:
        futures = []
        for number in range(4):
            futures.append(executor.submit(deaf_and_greedy, Trial(number, {}), allowance=money))
            time.sleep(0.15)
        for future in futures:
            outcome = future.result(timeout=60)
            assert isinstance(outcome, Failure)
            assert 2.0 <= outcome.metrics["time"] <= money.seconds
