"""The parameter server on a real Ray: the same training, whoever carries the messages."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'tunewise[ray]'")

from tunewise.errors import ExecutionError  # noqa: E402 - Ray may be absent
from tunewise.paramserver import Logistic, Setting, Training, dense, url_like  # noqa: E402
from tunewise.paramserver.cluster import RayCluster  # noqa: E402
from tunewise.paramserver.setting import Scheme  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # Ray warns of its own future
    pytest.mark.xdist_group("ray"),
]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    # By default Ray's workers yield to everything else.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray's own name
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        configure_logging=False,
    )
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def training() -> Training:
    return Training(Logistic(20), dense(600, 20, seed=1), rate=0.5)


_running: list[RayCluster] = []


def started(training: Training, setting: Setting, **options: Any) -> RayCluster:
    _running.append(RayCluster(training, setting, **options))
    return _running[-1]


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """No training of a test goes on behind the next one."""
    yield
    while _running:
        _running.pop().close()


def serial(training: Training, setting: Setting, iterations: int, seed: int = 0) -> Any:
    """Large-batch SGD over the union of the workers' batches, in one process."""
    values = training.model.initial(training.seed)
    seeds = np.random.default_rng(seed).integers(2**31, size=setting.replicas).tolist()
    orders = [
        _order(training, setting, replica, seeds[replica]) for replica in range(setting.replicas)
    ]
    for _ in range(iterations):
        gradients = [_gradient(training, values, next(order)) for order in orders]
        values = values - training.rate * np.mean(gradients, axis=0)
    return values


def _gradient(training: Training, values: Any, batch: Any) -> Any:
    keys, whole = slice(None) if batch.keys is None else batch.keys, np.zeros_like(values)
    whole[keys] = training.model.gradient(values[keys], batch)[1]
    return whole


def _order(training: Training, setting: Setting, replica: int, seed: int) -> Iterator[Any]:
    batches = training.data.batches(
        setting.batch_size, setting.data_partition, setting.replicas, replica, training.seed
    )
    rng = np.random.default_rng(seed)
    while True:
        for number in rng.permutation(len(batches)).tolist():
            yield batches[number]


@pytest.mark.parametrize("workers, consistency", [(3, "bsp"), (1, "asp"), (1, "ssp:2")])
def test_it_equals_serial_sgd(training: Training, workers: int, consistency: str) -> None:
    setting = Setting(servers=2, workers=workers, consistency=consistency, batch_size=50)
    running = started(training, setting)
    iterations = running.run(15)
    ray.get(running._clock.pause.remote())
    done = 15 + len(ray.get(running._clock.iterations.remote(10**6, 0.0)))
    state = running._state()[0]
    assert len(iterations) == 15
    assert state == pytest.approx(serial(training, setting, done), abs=1e-6)


def test_iterations_tell_loss_seconds_and_rows(training: Training) -> None:
    running = started(training, Setting(workers=2, batch_size=50))
    iterations = running.run(40)
    assert all(i.seconds > 0 and i.samples == 100 for i in iterations)
    assert np.mean([i.loss for i in iterations[-10:]]) < np.mean([i.loss for i in iterations[:5]])


@pytest.mark.parametrize("consistency", ["bsp", "ssp:1", "asp"])
def test_sparse_training_over_several_servers_learns(consistency: str) -> None:
    data = url_like(800, 3000, per_row=20, seed=2)
    training = Training(Logistic(3000), data, rate=1.0)
    setting = Setting(
        servers=3, workers=2, consistency=consistency, batch_size=40, partition="hash"
    )
    running = started(training, setting)
    before = training.model.loss(training.model.initial(0), training.evaluated())
    running.run(60)
    after = training.model.loss(running.values, training.evaluated())
    assert after < 0.9 * before


CHANGES: list[dict[str, Any]] = [
    {"servers": 1, "partition": "hash"},
    {"workers": 3, "batch_size": 20},
    {"servers": 2, "consistency": "bsp", "compression": "fp16"},
]


@pytest.mark.parametrize("scheme", [1, 2])
def test_it_goes_on_under_any_other_setting(training: Training, scheme: Scheme) -> None:
    setting = Setting(servers=2, workers=2, consistency="asp", batch_size=30)
    running = started(training, setting, scheme=scheme)
    losses = [i.loss for i in running.run(10)]
    for change in CHANGES:
        setting = replace(setting, **change)
        switch = running.switch(setting)
        assert switch.kinds
        losses += [i.loss for i in running.run(10)]
    assert np.mean(losses[-10:]) < np.mean(losses[:5])


def test_no_update_is_lost_or_counted_twice_while_parameters_move() -> None:
    """Every push adds one to each parameter: at the end all of them have been counted."""
    training = Training(_Counting(12), dense(200, 12), rate=1.0)
    setting = Setting(servers=1, workers=3, consistency="asp", batch_size=20)
    running = started(training, setting, scheme="background")
    pushed = 0
    for servers, partition in [(3, "range"), (1, "hash"), (2, "range")]:
        pushed += len(running.run(20))
        switch = running.switch(replace(running.setting, servers=servers, partition=partition))
        pushed += len(switch.finished)
    pushed += len(running.run(20))
    ray.get(running._clock.pause.remote())
    pushed += len(ray.get(running._clock.iterations.remote(10**6, 0.0)))
    values = running._state()[0]
    assert values == pytest.approx(np.full(12, -pushed))


class _Counting(Logistic):
    """A model whose gradient is one everywhere."""

    def gradient(self, values: Any, batch: Any) -> tuple[float, Any]:
        return 1.0, np.ones(self.size)


@pytest.mark.parametrize("who", ["_workers", "_servers"])
def test_a_killed_actor_costs_no_more_than_what_came_after_the_last_copy(
    training: Training, who: str
) -> None:
    setting = Setting(servers=2, workers=2, batch_size=50)
    running = started(training, setting)
    running._keep()
    running.run(5)
    kept = running._kept.copy()
    _kill(getattr(running, who)[0])
    iterations = running.run(10)
    ray.get(running._clock.pause.remote())
    assert len(iterations) == 10
    assert all(np.isfinite(i.loss) for i in iterations)
    assert kept == pytest.approx(running._kept)


def _kill(actor: Any) -> None:
    pid = ray.get(actor.__ray_call__.remote(lambda _: os.getpid()))
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.1)


def test_a_change_that_fails_leaves_the_last_setting_at_work(training: Training) -> None:
    setting = Setting(servers=1, workers=2, batch_size=50)
    running = started(training, setting)
    running.run(3)
    _kill(running._servers[0])
    with pytest.raises(ExecutionError, match="goes on"):
        running.switch(replace(setting, servers=2))
    assert running.setting == setting
    assert len(running.run(5)) == 5


def test_a_checkpoint_is_gone_on_from(training: Training, tmp_path: Path) -> None:
    setting = Setting(servers=2, workers=1, batch_size=50)
    running = started(training, setting)
    running.run(20)
    running.checkpoint(tmp_path)
    values = running._kept[0].copy()
    again = started(training, Setting(workers=2))
    assert again.restore(tmp_path)
    assert again.setting == setting
    assert again._kept[0] == pytest.approx(values)
    assert len(again.run(3)) == 3
    assert not again.restore(tmp_path / "nothing here")


@pytest.mark.parametrize("workers, sparse", [(2, False), (4, False), (3, True)])
def test_a_group_computes_what_one_worker_would(workers: int, sparse: bool) -> None:
    data = url_like(300, 40, per_row=8, seed=2) if sparse else dense(300, 7, seed=1)
    training = Training(Logistic(data.features, 1e-2), data, rate=0.5)
    setting = Setting(servers=2, workers=workers, batch_size=50, group=3 if sparse else 2)
    running = started(training, setting)
    running.run(8)
    ray.get(running._clock.pause.remote())
    done = 8 + len(ray.get(running._clock.iterations.remote(10**6, 0.0)))
    assert running._state()[0] == pytest.approx(serial(training, setting, done), abs=1e-6)


def test_groups_grow_shrink_and_outlive_a_member(training: Training) -> None:
    setting = Setting(workers=2, batch_size=50, consistency="asp")
    running = started(training, setting)
    running.run(5)
    for group in (2, 1, 2):
        assert "I-a" in running.switch(replace(setting, group=group)).kinds
        assert len(running.run(5)) == 5
    running._keep()
    _kill(ray.get(running._workers[0].__ray_call__.remote(lambda me: me._group._members[0])))
    assert len(running.run(10)) == 10


def test_groups_of_what_cannot_be_divided_are_refused_with_a_sentence() -> None:
    whole: Any = _Whole()
    training = Training(whole, dense(100, 5), rate=0.5)
    with pytest.raises(ExecutionError, match="group is 2; a _Whole cannot be computed in parts"):
        started(training, Setting(workers=2, group=2))


class _Whole:
    """A model that says nothing of parts."""

    size = 5

    def initial(self, seed: int) -> Any:
        return np.zeros(self.size)
