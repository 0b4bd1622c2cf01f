"""The seconds of a simulated training, computed by hand, and what its worker sends and asks."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tunewise.errors import ExecutionError
from tunewise.paramserver.compression import compression
from tunewise.paramserver.data import dense, url_like
from tunewise.paramserver.linear import Logistic
from tunewise.paramserver.machine import Machines
from tunewise.paramserver.partition import Layout
from tunewise.paramserver.setting import Scheme, Setting
from tunewise.paramserver.simulation import Simulation
from tunewise.paramserver.training import Training
from tunewise.paramserver.worker import Begin, Compute, Finish, Routes, Worker
from tunewise.surrogate import Array

SIZE, ROWS = 20, 200
TRAINING = Training(Logistic(SIZE), dense(ROWS, SIZE), rate=0.1)
STEADY = Machines(
    nodes=8,
    bandwidth=1000.0,
    latency=0.5,
    per_operation=1e-3,
    per_message=2.0,
    per_value=0.1,
    per_iteration=1.0,
    per_request=0.25,
    disk=100.0,
    restart=7.0,
    jitter=0.0,
    stragglers=0.0,
)
SERVE = 2.0 + SIZE * 0.1
SEND = 8 * SIZE / 1000.0 + 0.5
LEARNED = np.linspace(-1.0, 1.0, SIZE)
WORK = 4.0 * 10 * SIZE * 1e-3  # four multiplications for each number of ten rows


def seconds(setting: Setting, machines: Machines = STEADY) -> float:
    """Of an iteration in the long run."""
    return Simulation(TRAINING, setting, machines).run(6)[-1].seconds


def test_an_iteration_takes_its_pull_its_gradient_and_its_push() -> None:
    whole = SERVE + SEND + (1.0 + WORK + 0.25) + SEND + SERVE
    assert seconds(Setting(1, 1, "asp", 10)) == pytest.approx(whole)
    # Who may not run ahead asks only once the push has arrived, and the question takes its way.
    assert seconds(Setting(1, 1, "bsp", 10)) == pytest.approx(whole + 0.5)
    assert seconds(Setting(1, 1, "ssp:1", 10)) == pytest.approx(whole + 0.5)


def test_half_precision_shortens_the_push_alone() -> None:
    before, after = (seconds(Setting(1, 1, "asp", 10, compression=c)) for c in ("none", "fp16"))
    assert before - after == pytest.approx(6 * SIZE / 1000.0)


def test_a_group_shares_the_gradient_and_sends_its_partial_products_round() -> None:
    alone, pair = (seconds(Setting(1, 2, "asp", 10, group=g)) for g in (1, 2))
    one = seconds(Setting(1, 1, "asp", 10))
    saved = WORK / 2 + 8 * SIZE / 1000.0 / 2  # half of the work, half of the push on each link
    spent = 2 * 0.5 + 10 * 8 * 2 / 1000.0
    assert one - pair == pytest.approx(saved - spent)
    assert alone < one


def test_a_barrier_counts_the_rows_of_all_workers_and_a_push_its_own() -> None:
    together = Simulation(TRAINING, Setting(1, 4, "bsp", 10), STEADY).run(3)
    assert [each.samples for each in together] == [40.0] * 3
    single = Simulation(TRAINING, Setting(1, 4, "asp", 10), STEADY).run(3)
    assert [each.samples for each in single] == [10.0] * 3


def test_virtual_time_is_the_sum_of_the_iterations() -> None:
    running = Simulation(TRAINING, Setting(2, 3, "bsp", 10), STEADY)
    done = running.run(5)
    assert sum(each.seconds for each in done) == pytest.approx(running.now)
    assert running.run(0) == []


def stopped(setting: Setting, scheme: Scheme = 1) -> float:
    """Seconds in which the training stood still, when it stops to reconfigure."""
    running = Simulation(TRAINING, Setting(1, 2, "bsp", 10), STEADY, scheme=scheme)
    running.run(3)
    return running.switch(setting).seconds


def test_a_stop_costs_what_is_restarted_written_and_moved() -> None:
    assert stopped(Setting(1, 2, "bsp", 10)) == 0.0
    assert stopped(Setting(1, 2, "asp", 10)) == pytest.approx(7.0)
    model = 8 * SIZE
    moved = model / 100.0 + model / 2 / 1000.0
    assert stopped(Setting(2, 2, "bsp", 10)) == pytest.approx(moved)
    # From halves to quarters: the third and the fourth worker need a quarter of the rows each,
    # the second one half of what it gets.
    rows = 0.25 * TRAINING.data.bytes / 1000.0
    assert stopped(Setting(1, 4, "bsp", 10)) == pytest.approx(rows)
    assert stopped(Setting(2, 4, "asp", 10)) == pytest.approx(7.0 + moved + rows)


def test_relocation_on_demand_is_free_for_parameters_alone() -> None:
    assert stopped(Setting(2, 2, "bsp", 10), 2) == 0.0
    assert stopped(Setting(1, 2, "asp", 10), 2) == pytest.approx(7.0)
    rows = 0.25 * TRAINING.data.bytes / 1000.0
    assert stopped(Setting(1, 4, "bsp", 10), 2) == pytest.approx(rows)
    assert stopped(Setting(2, 4, "asp", 10), 2) == pytest.approx(7.0 + rows)


def test_a_restart_is_not_free_while_rows_are_fetched_in_the_background() -> None:
    assert stopped(Setting(1, 2, "asp", 10), "background") == pytest.approx(7.0)
    assert stopped(Setting(2, 4, "asp", 10), "background") == pytest.approx(7.0)


def test_no_parameter_moves_for_a_change_that_needs_none_to() -> None:
    running = Simulation(TRAINING, Setting(1, 2, "bsp", 10), STEADY, scheme=2)
    running.run(3)
    assert running.switch(Setting(1, 2, "asp", 10)).kinds == {"II"}
    assert running._routes.epoch == 0
    assert running.switch(Setting(1, 2, "asp", 10)).kinds == frozenset()
    with pytest.raises(ExecutionError, match="scheme is 3; expected 1, 2 or 'background'"):
        Simulation(TRAINING, Setting(), STEADY, scheme=3)  # type: ignore[arg-type] # refused


def test_iterations_that_were_under_way_are_told_with_the_switch() -> None:
    running = Simulation(TRAINING, Setting(1, 3, "asp", 10), STEADY)
    running.run(4)
    switch = running.switch(Setting(1, 3, "bsp", 10))
    # Each worker may have a push under way while it computes the next one.
    assert 1 <= len(switch.finished) <= 6
    assert all(each.samples == 10.0 for each in switch.finished)
    assert running.run(1)[0].samples == 30.0


def test_a_training_goes_on_from_its_checkpoint_at_its_time(tmp_path: Path) -> None:
    running = Simulation(TRAINING, Setting(2, 2, "bsp", 10), STEADY)
    assert not running.restore(tmp_path)
    running.run(3)
    running.checkpoint(tmp_path / "deep" / "er")
    again = Simulation(TRAINING, Setting(), STEADY)
    again.run(5)
    assert again.restore(tmp_path / "deep" / "er")
    assert (again.now, again.setting) == (running.now, running.setting)
    np.testing.assert_allclose(again.values, running.values)
    # The pause belongs to no iteration.
    assert again.run(1)[0].seconds < 2 * running.run(1)[0].seconds


def worker(**options: Any) -> Worker:
    batches = TRAINING.data.batches(50, "range", 1, 0, seed=0)
    routes = Routes(Layout("range", 2, SIZE))
    return Worker(TRAINING.model, batches, routes, 0.1, compression("none"), **options)


def steps(of: Worker, values: Array) -> Iterator[Any]:
    """A worker's steps, where all parameters have these values for ever."""
    made, answer = of.iterations(), None
    while True:
        step = made.send(answer)
        answer = None
        if isinstance(step, list):
            keys = [of.routes.layout.keys(pull.server)[pull.local] for pull in step]
            answer = [(values[each], None) for each in keys]
        yield step


def finished(of: Worker, count: int, values: Array | None = None) -> list[Finish]:
    at = np.zeros(SIZE) if values is None else values
    found: list[Finish] = []
    for step in steps(of, at):
        if isinstance(step, Finish):
            found.append(step)
        if len(found) == count:
            break
    return found


def test_an_epoch_goes_through_every_batch_once_in_an_order_of_its_own() -> None:
    losses = [each.loss for each in finished(worker(seed=3), 8, LEARNED)]
    assert sorted(losses[:4]) == pytest.approx(sorted(losses[4:]))
    assert len(set(losses[:4])) == 4
    again = [each.loss for each in finished(worker(seed=3), 8, LEARNED)]
    assert again == losses
    orders = {tuple(each.loss for each in finished(worker(seed=s), 4, LEARNED)) for s in range(8)}
    assert len(orders) > 1


def test_an_update_is_the_gradient_times_minus_the_rate() -> None:
    [step] = finished(worker(), 1)
    sent = np.concatenate([push.update for push in step.pushes])
    of = [TRAINING.model.gradient(np.zeros(SIZE), each) for each in worker().batches]
    match = [
        g for loss, g in of if loss == pytest.approx(step.loss) and np.allclose(-0.1 * g, sent)
    ]
    assert len(match) == 1
    assert [push.size for push in step.pushes] == [80, 80]


def test_variance_reduction_takes_a_snapshot_each_epoch_and_sends_its_mean_there() -> None:
    whole = TRAINING.data.batch(np.arange(ROWS))
    _, mean = TRAINING.model.gradient(LEARNED, whole)
    for step in finished(worker(variance_reduced=True), 4, LEARNED):
        # Where nothing has moved since the snapshot, every batch has the gradient of all rows.
        sent = np.concatenate([push.update for push in step.pushes])
        np.testing.assert_allclose(sent, -0.1 * mean, atol=1e-12)
    taken = list(islice(steps(worker(variance_reduced=True), LEARNED), 30))
    begins = [place for place, step in enumerate(taken) if isinstance(step, Begin)]
    # Begin, pull, compute, finish; the first of an epoch has one more pull and computation.
    assert np.diff(begins).tolist() == [6, 4, 4, 4, 6, 4]
    works = [step.work for step in taken if isinstance(step, Compute)]
    assert works[0] == pytest.approx(4 * works[1])


def test_a_barrier_hears_from_every_worker_even_if_it_has_nothing_to_say() -> None:
    data = url_like(6, 40, per_row=2, seed=3)
    batches = data.batches(1, "range", 1, 0, seed=0)
    for everywhere in (False, True):
        sparse = Worker(
            Logistic(40), batches, Routes(Layout("range", 8, 40)), 0.1, compression("none"),
            everywhere=everywhere,
        )  # fmt: skip
        made, answer, pushes = sparse.iterations(), None, None
        while pushes is None:
            step: Any = made.send(answer)
            answer = [(np.zeros(p.count), None) for p in step] if isinstance(step, list) else None
            pushes = step.pushes if isinstance(step, Finish) else None
        servers = [push.server for push in pushes]
        assert len(set(servers)) == len(servers)
        assert (sorted(servers) == list(range(8))) == everywhere
        assert all(push.size == 0 for push in pushes if not len(push.update))


def test_what_has_not_arrived_is_asked_of_its_old_owner_and_sent_along() -> None:
    moving = worker()
    moving.routes = Routes(Layout("range", 1, SIZE))
    moving.routes.change(Layout("range", 2, SIZE))
    made = moving.iterations()
    assert isinstance(made.send(None), Begin)
    pulls: Any = made.send(None)
    assert [(p.server, p.epoch, p.original) for p in pulls] == [(0, 1, False), (1, 1, False)]
    here = np.zeros(10, bool)
    here[:4] = True
    # Six values of the second server are still with the first one, under its old layout.
    asked: Any = made.send([(LEARNED[:10], None), (np.where(here, LEARNED[10:], 9e9), here)])
    [pull] = asked
    assert (pull.server, pull.epoch, pull.original, pull.count) == (0, 0, True, 6)
    np.testing.assert_array_equal(pull.local, np.arange(14, 20))
    state = np.stack([LEARNED[14:], np.full(6, 0.5)])
    assert isinstance(made.send([state]), Compute)
    step: Any = made.send(None)
    first, second = step.pushes
    assert first.originals is None and first.size == 80
    places, states = second.originals
    assert places.tolist() == [4, 5, 6, 7, 8, 9]
    np.testing.assert_array_equal(states, state)
    assert second.size == 80 + 8 * state.size
    # The gradient is that of the frozen values, not of what stands in for them.
    same = [TRAINING.model.gradient(LEARNED, each)[0] for each in moving.batches]
    assert min(abs(step.loss - loss) for loss in same) < 1e-9


def test_a_move_waits_until_what_began_before_it_has_ended() -> None:
    running = Simulation(TRAINING, Setting(1, 3, "asp", 10), STEADY)
    for servers in (2, 1, 3, 2):
        running.run(2)
        running.switch(Setting(servers, 3, "asp", 10))
        assert [server.settled for server in running._servers].count(False) <= servers
    running.run(4)
    running._drain()
    running._settle()
    assert all(server.settled for server in running._servers)
    assert running._routes.epoch == 4


def test_variance_reduction_learns_from_sparse_rows_too() -> None:
    data = url_like(200, 50, per_row=5)
    chosen = Training(Logistic(50), data, 0.5, optimizer="svrg")
    losses = [i.loss for i in Simulation(chosen, Setting(2, 2, "bsp", 25), STEADY).run(24)]
    assert losses[-1] < 0.95 * losses[0]


def test_two_servers_share_the_values_and_the_workers_link() -> None:
    # Half of the values each: 0.08 s on a link, 3 s at a server. The second push waits for the
    # first to leave, and is served 0.08 s later; so is the second pull, which the worker waits for.
    half, serve = 4 * SIZE / 1000.0, 2.0 + SIZE / 2 * 0.1
    whole = 2 * (2 * half) - half + 0.5 + serve + serve + 0.5 + (1.0 + WORK + 2 * 0.25)
    assert seconds(Setting(2, 1, "asp", 10)) == pytest.approx(whole)


def test_threads_shorten_the_part_of_a_gradient_that_is_not_serial() -> None:
    one, four = (seconds(Setting(1, 1, "asp", 10, threads=n)) for n in (1, 4))
    assert one - four == pytest.approx(WORK * (1 - (0.1 + 0.9 / 4)))


@pytest.mark.parametrize(
    ("slow", "setting", "late"),
    [
        (7, Setting(1, 1, "asp", 10), True),  # the first worker is on the last node
        (6, Setting(1, 1, "asp", 10), False),
        (6, Setting(1, 2, "bsp", 10), True),
        (6, Setting(1, 2, "bsp", 10, group=2), False),  # which the first of its group stands for
        (0, Setting(1, 2, "bsp", 10), False),  # the server's own speed is in its messages
    ],
)
def test_a_slow_node_delays_the_worker_on_it(slow: int, setting: Setting, late: bool) -> None:
    speeds = tuple(0.5 if node == slow else 1.0 for node in range(8))
    slowed = seconds(setting, replace(STEADY, speeds=speeds))
    assert (slowed > seconds(setting) + 0.1) == late


def test_other_rows_for_each_worker_are_fetched_and_those_it_has_are_not() -> None:
    # Evens and odds instead of halves: each of two workers has half of its new rows already.
    rows = 0.25 * TRAINING.data.bytes / 1000.0
    assert stopped(Setting(1, 2, "bsp", 10, data_partition="hash")) == pytest.approx(rows)
    # One worker alone has half of all rows; one in a group of two computes on all of them too.
    half = 0.5 * TRAINING.data.bytes / 1000.0
    assert stopped(Setting(1, 1, "bsp", 10)) == pytest.approx(half)
    assert stopped(Setting(1, 2, "bsp", 10, group=2)) == pytest.approx(half)


def test_a_stop_writes_what_the_optimiser_remembers_too() -> None:
    chosen = replace(TRAINING, optimizer="momentum")
    running = Simulation(chosen, Setting(1, 2, "bsp", 10), STEADY, scheme=1)
    running.run(2)
    model = 2 * 8 * SIZE
    moved = model / 100.0 + model / 4 / 1000.0
    assert running.switch(Setting(4, 2, "bsp", 10)).seconds == pytest.approx(moved)


def test_training_goes_on_while_rows_are_fetched() -> None:
    running = Simulation(TRAINING, Setting(1, 2, "asp", 10), STEADY, scheme="background")
    running.run(2)
    began = running.now
    switch = running.switch(Setting(1, 4, "asp", 10))
    fetched = 0.25 * TRAINING.data.bytes / 1000.0
    assert running.now >= began + fetched
    assert sum(each.seconds for each in switch.finished) > 0.8 * fetched
    assert switch.kinds == {"I-a"} and switch.seconds < 0.2 * fetched


def test_the_loss_is_that_of_the_parameters_on_the_rows_of_the_book_keeper() -> None:
    chosen = replace(TRAINING, evaluation=30, seed=5)
    running = Simulation(chosen, Setting(2, 2, "bsp", 10), STEADY)
    for _ in range(3):
        [done] = running.run(1)
        assert done.loss == pytest.approx(chosen.model.loss(running.values, chosen.evaluated()))


@pytest.mark.parametrize(("consistency", "ahead"), [("bsp", 1), ("ssp:2", 3), ("ssp:0", 1)])
def test_a_fast_worker_is_held_back_by_the_slowest(consistency: str, ahead: int) -> None:
    speeds = tuple(1e-3 if node == 7 else 1.0 for node in range(8))
    running = Simulation(TRAINING, Setting(1, 2, consistency, 10), replace(STEADY, speeds=speeds))
    most = 0
    while running._clocks.finished.min() < 3:
        running._advance()
        most = max(most, int(np.ptp(running._clocks.finished)))
    assert most == ahead


def test_nothing_holds_an_asynchronous_worker_back() -> None:
    speeds = tuple(1e-3 if node == 7 else 1.0 for node in range(8))
    running = Simulation(TRAINING, Setting(1, 2, "asp", 10), replace(STEADY, speeds=speeds))
    running.run(20)
    assert running._clocks.finished.min() == 0 and running._clocks.finished.max() == 20


def test_scaled_barriers_apply_the_sum_of_the_updates() -> None:
    values = []
    for scaling in ("none", "linear"):
        chosen = replace(TRAINING, scaling=scaling)
        running = Simulation(chosen, Setting(1, 4, "bsp", 50), STEADY)
        running.run(1)
        values.append(running.values)
    np.testing.assert_allclose(values[1], 4 * values[0])
    assert np.abs(values[0]).max() > 0


def test_a_training_without_events_says_that_it_stands_still() -> None:
    running = Simulation(TRAINING, Setting(1, 1, "asp", 10), STEADY)
    running._events.clear()
    with pytest.raises(ExecutionError, match="stands still: no worker can go on"):
        running.run(1)


def test_another_seed_is_another_order_of_chance() -> None:
    shaky = replace(STEADY, jitter=0.3)
    runs = [Simulation(TRAINING, Setting(1, 2), shaky, seed=s).run(2) for s in (0, 0, 1)]
    assert runs[0] == runs[1] != runs[2]


def test_a_snapshot_takes_a_pull_of_its_own_and_a_gradient_over_all_rows() -> None:
    first = [
        Simulation(replace(TRAINING, optimizer=rule), Setting(1, 1, "asp", 10), STEADY).run(1)[0]
        for rule in ("sgd", "svrg")
    ]
    rows = 4.0 * ROWS * SIZE * 1e-3
    taken = 0.5 + SERVE + SEND + (1.0 + rows + 0.25)
    assert first[1].seconds - first[0].seconds == pytest.approx(taken)
