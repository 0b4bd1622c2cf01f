"""A training whose process dies goes on as if nothing had happened."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.online.landscape import SPACE, Landscape
from tunewise.errors import ExecutionError, StudyError
from tunewise.online import Iteration, Switch, Tuner, follow
from tunewise.space import Config, Ordinal, Space
from tunewise.storage import open_store

UNTIL = "loss <= 0.5"


def tuner(storage: str | None, **options: object) -> Tuner:
    name = "run-7" if storage else None
    return Tuner(SPACE, UNTIL, storage=storage, name=name, each=5, **options)  # type: ignore[arg-type] # a test's own options


def step(job: Landscape, told: Tuner, count: int) -> None:
    for _ in range(count):
        if told.done:
            return
        for each in job.run(1):
            told.report(each.loss, seconds=each.seconds, samples=each.samples)
        if told.changed and not told.done:
            switch = job.switch(told.setting)
            told.switched(switch.kinds, switch.seconds)


def test_a_resumed_training_has_all_that_was_told_before(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/runs.db"
    job = Landscape(0)
    first = tuner(storage)
    step(job, first, 200)
    first.saved()
    second = tuner(storage)
    assert second.setting == first.setting
    assert second.seconds == pytest.approx(first.seconds)
    assert second.iterations == first.iterations
    assert second.switches == first.switches
    assert second.believed == first.believed


def test_a_resumed_training_ends_and_stays_done(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/runs.db"
    job = Landscape(0)
    step(job, tuner(storage), 100)
    again = tuner(storage)
    step(job, again, 100_000)
    assert again.done
    third = tuner(storage)
    assert third.done and list(third) == []
    assert third.iterations == again.iterations


def test_what_came_after_the_last_checkpoint_is_done_again(tmp_path: Path) -> None:
    space = Space(Ordinal("workers", [0]))
    storage = f"sqlite:///{tmp_path}/runs.db"
    first = Tuner(space, "samples >= 100", storage=storage, name="a")
    for _ in range(4):
        first.report(samples=10, seconds=1)
    first.saved()
    for _ in range(3):
        first.report(samples=10, seconds=1)
    first._record.flush()
    second = Tuner(space, "samples >= 100", storage=storage, name="a")
    for _ in range(5):
        second.report(samples=10, seconds=1)
    assert not second.done
    second.report(samples=10, seconds=1)
    assert second.done and second.seconds == pytest.approx(13)


def test_a_killed_process_loses_no_decision(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/runs.db"
    script = textwrap.dedent(
        f"""
        from tests.online.landscape import Landscape
        from tests.online.test_record import step, tuner
        job, told = Landscape(0), tuner({storage!r})
        while True:
            step(job, told, 1)
            print(told.iterations, len(told.course.segments), flush=True)
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
    )
    assert process.stdout is not None
    switches = 0
    for line in process.stdout:
        iterations, switches = map(int, line.split())
        if switches >= 3 and iterations > 40:
            break
    with pytest.raises(StudyError, match=f"goes on in another process, process {process.pid}"):
        tuner(storage)
    assert process.stdout.readline(), "the first one goes on"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    again = tuner(storage)
    assert len(again.course.segments) >= switches
    assert again.iterations >= 30


def test_a_storage_needs_a_name(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="needs a name"):
        Tuner(SPACE, UNTIL, storage=f"sqlite:///{tmp_path}/runs.db")


def test_a_name_without_a_storage_is_refused_instead_of_kept_nowhere() -> None:
    with pytest.raises(StudyError, match="'run-7', but nothing is kept without a storage"):
        Tuner(SPACE, UNTIL, name="run-7")


class KeepsItself(Landscape):
    """Tells of a checkpoint of its own after its 40th iteration."""

    checkpoints, ran = 0, 0

    def run(self, iterations: int) -> list[Iteration]:
        self.checkpoints += self.ran == 40
        self.ran += iterations
        return super().run(iterations)


def test_a_job_that_keeps_its_own_checkpoints_is_saved_when_it_says_so(tmp_path: Path) -> None:
    store = open_store(None)
    told = Tuner(SPACE, "loss <= 0.9", storage=store, name="a", each=5)
    follow(KeepsItself(0), told, folder=tmp_path, every=0.1)
    events = store.runs().events("a")
    [at] = [i for i, each in enumerate(events) if "saved" in each]
    assert sum("reported" in each or "earlier" in each for each in events[:at]) == 40
    assert not list(tmp_path.iterdir()), "the job was asked for none"


def test_another_space_under_the_same_name_is_refused(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/runs.db"
    tuner(storage)
    with pytest.raises(StudyError, match="another space"):
        Tuner(Space(Ordinal("workers", [1])), UNTIL, storage=storage, name="run-7")


class Stubborn(Landscape):
    """Cannot go over to servers=8."""

    def switch(self, setting: Config) -> Switch:
        if setting["servers"] == 8:
            raise ExecutionError("no node is left")
        return super().switch(setting)


def test_a_switch_that_fails_goes_back_and_is_not_tried_again(tmp_path: Path) -> None:
    job, store = Stubborn(0), open_store(None)
    told = Tuner(SPACE, "loss <= 0.3", storage=store, name="a", each=5)
    follow(job, told, folder=tmp_path, every=5.0)
    assert told.done and (tmp_path / "kept").exists()
    assert all(each.setting["servers"] != 8 for each in told.switches)
    refused = [each for each in store.runs().events("a") if "refused" in each]
    assert refused and refused[0] == {"refused": "no node is left"}


def test_iterations_that_ended_late_belong_to_the_setting_of_before() -> None:
    space = Space(Ordinal("workers", [0, 1]))
    told = Tuner(space, "samples >= 1000", default={"workers": 0}, each=5)
    while not told.changed:
        told.report(samples=10, seconds=0.1)
    late = [Iteration(float("nan"), 0.2, 10.0)] * 3
    told.switched(frozenset({"workers"}), 0.5, late)
    assert [each.iterations for each in told.switches] == [8]
    told.report(samples=10, seconds=0.05)
    assert [each.iterations for each in told.switches] == [8, 1]
