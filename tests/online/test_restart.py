"""A job that dies and is started again does anew what its last checkpoint does not hold."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tunewise.errors import ExecutionError
from tunewise.online import Iteration, Switch, Tuner, follow
from tunewise.online.reconfigurable import StartedAgain
from tunewise.space import Config, Ordinal, Space
from tunewise.storage import open_store

SPACE = Space(Ordinal("workers", [0, 1]))


class Job:
    """Goes over to nothing: each try to do so ends it, and it is started again.

    An iteration takes 0.1 s and goes through 10 samples. It keeps a checkpoint with each iteration
    that is in `keeps`, on the same line of what it says.
    """

    def __init__(self, *keeps: int, finished: int = 0, kept: int | None = None) -> None:
        self.checkpoints = self.unkept = self.ran = 0
        self.keeps, self.finished, self.kept = keeps, finished, kept

    def run(self, iterations: int) -> list[Iteration]:
        return [self._iteration() for _ in range(iterations)]

    def _iteration(self) -> Iteration:
        self.ran += 1
        self.unkept += 1
        if self.ran in self.keeps:
            self.checkpoints, self.unkept = self.checkpoints + 1, 0
        return Iteration(float("nan"), 0.1, 10.0)

    def switch(self, setting: Config) -> Switch:
        late = tuple(self._iteration() for _ in range(self.finished))
        if self.kept is not None:
            self.checkpoints += 1
        raise StartedAgain("out of memory", Switch(frozenset(), 3.0, late, self.kept))

    def checkpoint(self, folder: Path) -> None:
        raise AssertionError("it keeps its own")

    def restore(self, folder: Path) -> bool:
        return True


def tuner(samples: int = 600) -> Tuner:
    return Tuner(SPACE, f"samples >= {samples}", each=5, storage=open_store(None), name="a")


def ran(job: Job, told: Tuner) -> int:
    """Iterations that the job had run when its switch failed."""
    counted: list[int] = []

    def look(now: Tuner) -> None:
        if not counted and now.course.refused:
            counted.append(job.ran)

    follow(job, told, look=look)
    return counted[0]


@pytest.mark.parametrize(
    ("keeps", "finished", "kept", "safe"),
    [
        ((), 0, None, lambda died: 0),
        ((), 3, None, lambda died: 0),
        ((2,), 0, None, lambda died: 2),
        ((2,), 3, 1, lambda died: died - 2),
        ((2,), 3, 3, lambda died: died),
        ((2,), 0, 0, lambda died: died),
    ],
    ids=["none", "none, late", "early", "meanwhile", "all", "at the end"],
)
def test_a_job_that_dies_in_a_switch_does_again_what_is_not_kept(
    keeps: tuple[int, ...],
    finished: int,
    kept: int | None,
    safe: Callable[[int], int],
    caplog: pytest.LogCaptureFixture,
) -> None:
    job, told = Job(*keeps, finished=finished, kept=kept), tuner()
    died = ran(job, told)
    assert told.done and told.setting == {"workers": 0}
    assert job.ran == died + 60 - safe(died)
    assert told.iterations == job.ran
    assert told.seconds == pytest.approx(0.1 * job.ran + 3.0)
    assert told.cost_at(lambda _: 3600.0) == pytest.approx(told.seconds)
    assert [each.seconds for each in told.switches] == pytest.approx([0.1, 0.1])
    assert [each.reconfiguration for each in told.switches] == [0.0, 3.0]
    warned = "no checkpoint of it was told of" in caplog.text
    assert warned == (not keeps)


def test_a_training_that_ends_before_its_job_dies_is_done() -> None:
    job, told = Job(finished=60), tuner()
    died = ran(job, told)
    assert told.done and job.ran == died
    assert told.setting == {"workers": 0}


class Revived(Job):
    """Had died when it was told of another setting, and is started with that."""

    def switch(self, setting: Config) -> Switch:
        late = tuple(self._iteration() for _ in range(self.finished))
        return Switch(frozenset({"workers"}), 3.0, late, again=self.ran < 60)


@pytest.mark.parametrize(("keeps", "safe"), [((), 0), ((2,), 2)])
def test_a_job_that_died_unnoticed_does_again_what_is_not_kept(
    keeps: tuple[int, ...], safe: int
) -> None:
    job, told = Revived(*keeps, finished=1), tuner()
    counted: list[int] = []

    def look(now: Tuner) -> None:
        if not counted and len(now.course.segments) > 1:
            counted.append(job.ran)
            assert now.course.watch.samples == 10 * safe and now.setting == {"workers": 1}

    follow(job, told, look=look)
    assert told.done and job.ran == counted[0] + 60 - safe
    assert told.cost_at(lambda _: 3600.0) == pytest.approx(told.seconds)


class Stuck(Job):
    """Stays alive where a switch fails."""

    def switch(self, setting: Config) -> Switch:
        raise ExecutionError("no node is left")


def test_a_job_that_stays_alive_loses_nothing() -> None:
    job, told = Stuck(), tuner()
    ran(job, told)
    assert told.done and job.ran == 60


def test_an_iteration_on_the_line_of_a_checkpoint_is_in_it() -> None:
    store = open_store(None)
    told = Tuner(Space(Ordinal("workers", [0])), "samples >= 200", storage=store, name="a")
    follow(Job(7), told)
    events = store.runs().events("a")
    assert sum("reported" in each for each in events[: events.index({"saved": True})]) == 7


@pytest.mark.parametrize("step", [2, 5])
def test_of_several_iterations_those_before_the_checkpoint_are_in_it(step: int) -> None:
    store = open_store(None)
    told = Tuner(Space(Ordinal("workers", [0])), "samples >= 200", storage=store, name="a")
    follow(Job(7), told, step=step)
    events = store.runs().events("a")
    assert sum("reported" in each for each in events[: events.index({"saved": True})]) == 7


class Alive:
    """Fails in its first try of another setting, goes back, and has lost nothing."""

    def __init__(self) -> None:
        self.setting: Config = {"workers": 0}
        self.ran = 0

    def run(self, iterations: int) -> list[Iteration]:
        if self.setting["workers"]:
            raise ExecutionError("it stands still")
        self.ran += iterations
        return [Iteration(float("nan"), 0.1, 10.0)] * iterations

    def switch(self, setting: Config) -> Switch:
        self.setting = setting
        return Switch(frozenset({"workers"}), 1.0)

    def checkpoint(self, folder: Path) -> None:
        """Kept."""

    def restore(self, folder: Path) -> bool:
        return False


def test_a_job_without_any_checkpoint_goes_on_from_itself() -> None:
    job, told = Alive(), tuner()
    follow(job, told)
    assert told.done and job.ran == 60
    assert told.seconds == pytest.approx(0.1 * 60 + 2.0)
    assert told.cost_at(lambda _: 3600.0) == pytest.approx(told.seconds)
