from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.errors import ExecutionError
from tunewise.paramserver.data import Dataset, dense, url_like
from tunewise.paramserver.linear import Logistic, Svm
from tunewise.paramserver.machine import Machines
from tunewise.paramserver.setting import Scheme, Setting
from tunewise.paramserver.simulation import Simulation
from tunewise.paramserver.training import Training
from tunewise.surrogate import Array

SMALL = Machines(nodes=10, cores=4)


def training(data: Dataset, rate: float = 0.5, **options: object) -> Training:
    return Training(Logistic(data.features), data, rate, **options)  # type: ignore[arg-type] # a test's own options


def serial(chosen: Training, batches: list[list[int]]) -> Array:
    values = chosen.model.initial(chosen.seed)
    for rows in batches:
        batch = chosen.data.batch(np.array(sorted(rows)))
        _, gradient = chosen.model.gradient(values, batch)
        values = values - chosen.rate * gradient
    return values


@settings(max_examples=15, deadline=None)
@given(st.sampled_from([1, 2, 3, 5]), st.integers(1, 3), st.integers(0, 1000))
def test_a_barrier_equals_serial_sgd_on_the_union_of_the_batches(
    workers: int, servers: int, seed: int
) -> None:
    data = dense(60, 7, seed)
    chosen = training(data)
    simulation = Simulation(
        chosen, Setting(servers, workers, "bsp", 60 // workers), SMALL, seed=seed
    )
    for _ in range(3):  # one batch a worker: every iteration sees all rows
        simulation.run(1)
    everything = [list(range(60))] * 3
    np.testing.assert_allclose(simulation.values, serial(chosen, everything), atol=1e-6)


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 3), st.integers(0, 1000), st.sampled_from(["asp", "ssp:2"]))
def test_one_worker_alone_equals_serial_sgd(servers: int, seed: int, consistency: str) -> None:
    data = dense(40, 5, seed)
    chosen = training(data)
    simulation = Simulation(chosen, Setting(servers, 1, consistency, 40), SMALL, seed=seed)
    simulation.run(4)
    np.testing.assert_allclose(simulation.values, serial(chosen, [list(range(40))] * 4), atol=1e-6)


def test_the_same_seed_gives_the_same_training() -> None:
    data = url_like(200, 50, per_row=5)
    runs = [
        Simulation(training(data), Setting(2, 4, "asp", 10), SMALL, seed=3).run(50)
        for _ in range(2)
    ]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("consistency", ["bsp", "ssp:2", "asp"])
@pytest.mark.parametrize("compression", ["none", "fp16", "topk"])
def test_sparse_training_lowers_the_loss(consistency: str, compression: str) -> None:
    data = url_like(400, 80, per_row=6)
    setting = Setting(2, 4, consistency, 20, compression=compression, partition="hash")
    losses = [each.loss for each in Simulation(training(data), setting, SMALL).run(200)]
    assert np.mean(losses[-10:]) < 0.9 * losses[0]


def test_a_hinge_is_trained_too() -> None:
    data = dense(400, 10)
    chosen = Training(Svm(10), data, 0.1)
    losses = [each.loss for each in Simulation(chosen, Setting(1, 4, "asp", 20), SMALL).run(200)]
    assert losses[-1] < 0.7 * losses[0]


@pytest.mark.parametrize("scheme", [1, 2, "background"])
@pytest.mark.parametrize("consistency", ["bsp", "asp"])
def test_a_switch_keeps_the_parameters(scheme: Scheme, consistency: str) -> None:
    data = url_like(300, 60, per_row=5)
    simulation = Simulation(
        training(data), Setting(2, 4, consistency, 10), SMALL, scheme=scheme, seed=1
    )
    simulation.run(30)
    simulation._drain()
    before = simulation.values
    switch = simulation.switch(Setting(3, 2, "ssp:1", 20, partition="hash"))
    assert switch.kinds == {"I-a", "I-b", "II"}
    np.testing.assert_allclose(simulation.values, before)
    losses = [each.loss for each in simulation.run(60)]
    assert np.isfinite(losses).all()


@pytest.mark.parametrize("scheme", [1, 2, "background"])
def test_a_switch_keeps_what_the_optimiser_remembers(scheme: Scheme) -> None:
    data = url_like(300, 60, per_row=5)
    chosen = training(data, optimizer="momentum")
    simulation = Simulation(chosen, Setting(2, 4, "bsp", 10), SMALL, scheme=scheme)
    simulation.run(20)
    simulation._drain()
    before = simulation.state
    simulation.switch(Setting(3, 4, "bsp", 10, partition="hash"))
    assert before.shape[0] == 2 and np.abs(before[1]).max() > 0
    np.testing.assert_allclose(simulation.state, before)


def test_a_checkpoint_keeps_what_the_optimiser_remembers(tmp_path: Path) -> None:
    chosen = training(url_like(300, 60, per_row=5), optimizer="momentum")
    simulation = Simulation(chosen, Setting(2, 4, "bsp", 10), SMALL)
    simulation.run(20)
    before = simulation.state
    simulation.checkpoint(tmp_path)
    again = Simulation(chosen, Setting(1, 2, "asp", 10), SMALL)
    assert again.restore(tmp_path)
    assert again.setting == simulation.setting
    np.testing.assert_allclose(again.state, before)


def test_relocation_on_demand_does_not_stop_the_training() -> None:
    data = url_like(300, 60, per_row=5)
    simulation = Simulation(training(data), Setting(2, 4, "asp", 10), SMALL, seed=1)
    for servers in (3, 1, 4, 2):
        simulation.run(7)
        switch = simulation.switch(Setting(servers, 4, "asp", 10))
        assert switch.kinds == {"I-b"} and switch.seconds < 1e-9
    assert np.isfinite([each.loss for each in simulation.run(50)]).all()


def test_more_nodes_than_there_are_are_refused() -> None:
    with pytest.raises(ExecutionError, match="8 servers and 8 workers need more than the 10 nodes"):
        Simulation(training(dense(20, 20)), Setting(8, 8), SMALL)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rate": float("nan")}, "rate is nan; expected a learning rate above 0"),
        ({"rate": 0}, "rate is 0; expected a learning rate above 0"),
        ({"optimizer": "adam"}, "unknown optimizer 'adam'"),
        ({"model": Logistic(5)}, "rows of 5 features, and the data has 8"),
    ],
)
def test_what_cannot_be_trained_is_refused_at_once(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ExecutionError, match=said):
        Training(**{"model": Logistic(8), "data": dense(20, 8), "rate": 0.1, **options})


def test_what_is_no_setting_and_no_count_is_refused() -> None:
    simulation = Simulation(training(dense(20, 3)), Setting(), SMALL)
    with pytest.raises(ExecutionError, match=r"expected a Setting, such as Setting\(workers=3\)"):
        simulation.switch({"workers": 3})  # type: ignore[arg-type] # what a person may pass
    with pytest.raises(ExecutionError, match="iterations are -1; expected a whole number"):
        simulation.run(-1)


def test_a_damaged_checkpoint_is_named(tmp_path: Path) -> None:
    simulation = Simulation(training(dense(20, 3)), Setting(), SMALL)
    simulation.checkpoint(tmp_path)
    file = tmp_path / "checkpoint.npz"
    for content in (b"xx", file.read_bytes()[:100], b""):
        file.write_bytes(content)
        with pytest.raises(ExecutionError, match=r"checkpoint\.npz is damaged"):
            simulation.restore(tmp_path)
