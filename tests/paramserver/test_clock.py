"""The clock of a training on a real cluster, and the columns of a group: without the cluster."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("ray", reason="needs Ray: pip install 'tunewise[ray]'")

from tunewise.errors import ExecutionError  # noqa: E402 - Ray may be absent
from tunewise.paramserver.cluster.calibration import telling  # noqa: E402
from tunewise.paramserver.cluster.clock import Clock  # noqa: E402
from tunewise.paramserver.cluster.group import Columns, check, cut  # noqa: E402
from tunewise.paramserver.data import Batch, dense  # noqa: E402
from tunewise.paramserver.linear import Logistic  # noqa: E402
from tunewise.paramserver.setting import Setting  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray warns of its own future

SOON = 0.01


def timed(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """A clock that stands still but for what it is told; gives how to move it."""
    now = [0.0]
    monkeypatch.setattr("tunewise.paramserver.cluster.clock.time.perf_counter", lambda: now[0])

    def passes(seconds: float) -> None:
        now[0] += seconds

    return passes


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 20))


def test_a_barrier_lets_nobody_begin_twice_before_all_have_finished() -> None:
    async def work() -> None:
        clock = Clock(2, "bsp")
        assert await clock.may_begin_at_once(0, 0) and await clock.may_begin_at_once(1, 0)
        await clock.finish(0, 0, 1.0, 10)
        assert not await clock.may_begin_at_once(0, 0)
        waiting = asyncio.create_task(clock.begin(0, 0))
        await asyncio.sleep(0)
        assert not waiting.done()
        await clock.finish(1, 0, 1.0, 10)
        assert await waiting

    run(work())


def test_an_iteration_of_a_barrier_has_the_rows_of_all_and_their_mean_loss(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passes = timed(monkeypatch)

    async def work() -> None:
        clock = Clock(2, "bsp")
        passes(2.0)
        await clock.finish(0, 0, 1.0, 10)
        assert await clock.iterations(1, SOON) == []
        passes(3.0)
        await clock.finish(1, 0, 4.0, 20)
        [done] = await clock.iterations(1, SOON)
        assert (done.loss, done.seconds, done.samples) == pytest.approx((3.0, 5.0, 30.0))

    run(work())


def test_without_a_barrier_each_finish_is_an_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = timed(monkeypatch)

    async def work() -> None:
        clock = Clock(2, "asp")
        for worker, loss in ((0, 3.0), (0, 2.0), (1, 1.0)):
            passes(0.5)
            await clock.finish(worker, 0, loss, 10)
        first = await clock.iterations(2, SOON)
        assert [(i.loss, i.seconds) for i in first] == [(3.0, 0.5), (2.0, 0.5)]
        assert [i.loss for i in await clock.iterations(5, SOON)] == [1.0]  # all that has come

    run(work())


def test_iterations_are_waited_for_until_they_come() -> None:
    async def work() -> None:
        clock = Clock(1, "asp")
        waiting = asyncio.create_task(clock.iterations(1, 10.0))
        await asyncio.sleep(0)
        assert not waiting.done()
        await clock.finish(0, 0, 1.0, 10)
        assert len(await waiting) == 1

    run(work())


def test_a_pause_waits_for_what_is_under_way_and_lets_nothing_begin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passes = timed(monkeypatch)

    async def work() -> None:
        clock = Clock(2, "asp")
        assert await clock.begin(0, 0)
        assert not await clock.idle()
        pausing = asyncio.create_task(clock.pause())
        await asyncio.sleep(0)
        assert not pausing.done()
        assert not await clock.may_begin_at_once(1, 0)
        passes(1.5)
        await clock.finish(0, 0, 1.0, 10)
        assert await pausing == pytest.approx(1.5)
        assert await clock.idle()
        passes(100.0)
        await clock.resume()
        assert await clock.may_begin_at_once(1, 0) and not await clock.idle()
        passes(0.5)
        await clock.finish(1, 0, 1.0, 10)
        done = await clock.iterations(2, SOON)
        assert [i.seconds for i in done] == pytest.approx([1.5, 0.5])  # the pause is in neither

    run(work())


def test_workers_of_an_old_setting_are_told_to_end_and_count_no_more() -> None:
    async def work() -> None:
        clock = Clock(2, "bsp")
        assert await clock.begin(0, 0)
        await clock.finish(0, 0, 1.0, 10)
        waiting = asyncio.create_task(clock.begin(0, 0))
        await asyncio.sleep(0)
        generation, left = await clock.start(1, "asp")
        assert (generation, left) == (1, [])
        assert not await waiting
        assert not await clock.may_begin_at_once(0, 0)
        await clock.finish(0, 0, 9.0, 10)
        assert await clock.iterations(1, SOON) == []
        assert await clock.begin(0, 1)

    run(work())


def test_a_new_setting_ends_a_pause_counts_from_nothing_and_hands_over_what_was_untold() -> None:
    async def work() -> None:
        clock = Clock(2, "ssp:1")
        for loss in (3.0, 2.0):
            assert await clock.begin(0, 0)
            await clock.finish(0, 0, loss, 10)
        assert not await clock.may_begin_at_once(0, 0)
        await clock.pause()
        _, left = await clock.start(2, "ssp:1")
        assert [iteration.loss for iteration in left] == [3.0, 2.0]
        assert await clock.iterations(1, SOON) == []
        assert await clock.may_begin_at_once(0, 1)

    run(work())


def test_columns_of_a_group_cover_each_column_once() -> None:
    assert [cut(5, 2, place) for place in range(2)] == [slice(0, 2), slice(2, 5)]
    for count, group in ((7, 3), (2, 4), (12, 1)):
        places = [range(count)[cut(count, group, place)] for place in range(group)]
        assert [column for each in places for column in each] == list(range(count))


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_the_parts_of_a_group_sum_to_the_whole(kind: str) -> None:
    x = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 4.0]])
    batch = Batch(sparse.csr_matrix(x) if kind == "sparse" else x, np.ones(2), None, 1.0)
    members = [Columns([batch], 2, place) for place in range(2)]
    values = np.array([1.0, 10.0, 100.0])
    products = [m.products(0, values[cut(3, 2, place)]) for place, m in enumerate(members)]
    assert sum(products).tolist() == [321.0, 390.0]  # type: ignore[union-attr] # arrays
    slope = np.array([2.0, 4.0])
    gradient = np.concatenate([member.gradient(0, slope) for member in members])
    assert gradient.tolist() == [1.0, 0.0, 11.0]  # the mean over both rows


def test_a_batch_is_cut_once() -> None:
    batch = dense(4, 6).batch(np.arange(4))
    columns = Columns([batch], 3, 1)
    assert columns.of(0).shape == (4, 2)
    assert columns.of(0) is columns.of(0)


def test_only_models_of_sums_are_computed_in_parts() -> None:
    class Whole:
        """A model that nobody can divide."""

    check(Logistic(3), Setting(workers=4, group=2))
    check(Whole(), Setting(workers=4))  # type: ignore[arg-type] # what a person may pass
    with pytest.raises(ExecutionError, match="group is 2; a Whole cannot be computed in parts"):
        check(Whole(), Setting(workers=4, group=2))  # type: ignore[arg-type] # as above


def test_any_three_values_come_together_once_in_a_calibration() -> None:
    settings = telling()
    assert len(settings) == len(set(settings)) == 8
    names = ("servers", "workers", "consistency", "batch_size")
    for left_out in names:
        three = [tuple(getattr(s, name) for name in names if name != left_out) for s in settings]
        assert len(set(three)) == 8
