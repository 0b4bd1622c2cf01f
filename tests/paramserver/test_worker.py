"""What a worker asks and sends, where few parameters are touched and servers change."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tunewise.paramserver.compression import Packet, compression
from tunewise.paramserver.data import Batch, Dataset, dense
from tunewise.paramserver.linear import Logistic, Svm
from tunewise.paramserver.partition import Layout
from tunewise.paramserver.worker import Begin, Divisible, Finish, Routes, Worker
from tunewise.surrogate import Array

ROWS = Dataset(
    sparse.csr_matrix(np.array([[1.0, 0, 0, 0, 2], [0, 3.0, 0, 0, 0]])), np.array([1.0, -1.0])
)


def first_only(update: Array) -> Packet:
    """A compression that sends the first entry."""
    return Packet(np.array([0]), update[:1], 12)


def worker(compress: Any = first_only, servers: int = 1, **options: Any) -> Worker:
    batches = [ROWS.batch(np.array([row])) for row in range(2)]
    routes = Routes(Layout("range", servers, 5))
    return Worker(Logistic(5, l2=0.0), batches, routes, 0.5, compress, **options)


def test_what_is_not_sent_waits_for_the_next_update_of_the_same_parameters() -> None:
    sender = worker()
    packet = sender._packed(np.array([1.0, 2.0, 3.0]), np.array([0, 2, 4]))
    assert packet.values.tolist() == [1.0]
    packet = sender._packed(np.array([10.0, 10.0]), np.array([1, 2]))
    assert packet.values.tolist() == [10.0]
    packet = sender._packed(np.full(5, 0.5), None)
    # The second and third wait: 10 + 2 of parameter 2, 3 of parameter 4.
    assert packet.values.tolist() == [0.5]
    assert sender._unsent is not None
    assert sender._unsent.tolist() == [0.0, 0.5, 12.5, 0.5, 3.5]


def test_who_sends_all_keeps_nothing_back() -> None:
    sender = worker(compression("none"))
    sender._packed(np.ones(5), None)
    assert sender._unsent is None


def test_rounding_to_half_precision_is_kept_back_too() -> None:
    sender = worker(compression("fp16"))
    third = np.full(5, 1 / 3)
    packet = sender._packed(third, None)
    assert sender._unsent is not None
    np.testing.assert_allclose(sender._unsent, 1 / 3 - float(np.float16(1 / 3)))
    np.testing.assert_allclose(packet.values + sender._unsent, third)


def sent(steps: Any, present: Any = None) -> tuple[list[Any], Finish]:
    """The pulls and the end of one iteration at values of nothing."""
    assert isinstance(steps.send(None), Begin)
    pulls = steps.send(None)
    step = steps.send([(np.zeros(pull.count), present) for pull in pulls])
    finish = steps.send(None)
    assert step.rows == finish.rows == 1
    return pulls, finish


def test_a_sparse_batch_asks_and_tells_the_owners_of_its_parameters_alone() -> None:
    steps = worker(compression("none"), servers=5).iterations()
    seen = {}
    for _ in range(2):
        pulls, finish = sent(steps)
        seen[tuple(pull.server for pull in pulls)] = [
            (push.server, push.update.tolist(), push.size) for push in finish.pushes
        ]
    # At 0 the slope of a row is half of its label: minus the rate times that times the entries.
    assert seen == {
        (0, 4): [(0, [0.25], 8), (4, [0.5], 8)],
        (1,): [(1, [-0.75], 8)],
    }


def test_entries_that_are_not_sent_are_pushed_as_nothing() -> None:
    steps = worker(servers=1).iterations()
    for _ in range(2):
        _, finish = sent(steps)
        [push] = finish.pushes
        assert (push.update[1:] == 0).all() and push.update[0] != 0
        assert push.size == 12


def test_a_changed_layout_is_asked_from_the_next_iteration_on() -> None:
    moving = worker(compression("none"))
    steps = moving.iterations()
    pulls, finish = sent(steps)
    assert {pull.server for pull in pulls} == {0} and finish.epoch == 0
    moving.routes.change(Layout("hash", 5, 5))
    pulls, finish = sent(steps)
    assert {(pull.server, pull.epoch) for pull in pulls} <= {(0, 1), (1, 1), (4, 1)}
    assert len(pulls) >= 1 and {push.epoch for push in finish.pushes} == {1}
    assert finish.epoch == 1
    assert (moving.routes.epoch, moving.routes.previous) == (1, Layout("range", 1, 5))


def test_where_nothing_moves_a_missing_mask_asks_nobody_else() -> None:
    steps = worker(compression("none")).iterations()
    here = np.array([False])
    assert isinstance(steps.send(None), Begin)
    pulls: Any = steps.send(None)
    step: Any = steps.send([(np.zeros(p.count), np.resize(here, p.count)) for p in pulls])
    assert step.rows == 1


def test_a_linear_model_can_be_computed_in_parts_and_sums_to_the_whole() -> None:
    for model in (Logistic(4, l2=0.3), Svm(4, l2=0.3)):
        assert isinstance(model, Divisible)
        batch, values = dense(12, 4).batch(np.arange(12)), np.array([0.5, -1.0, 2.0, 0.1])
        halves = batch.x[:, :2] @ values[:2] + batch.x[:, 2:] @ values[2:]
        loss, slope = model.slopes(halves, batch)
        penalty, regular = model.penalty(values, batch)
        whole, gradient = model.gradient(values, batch)
        assert loss + penalty == pytest.approx(whole)
        np.testing.assert_allclose(batch.x.T @ slope / 12 + regular, gradient)


def test_slopes_of_linear_models_by_hand() -> None:
    batch = Batch(np.eye(3), np.array([1.0, -1.0, 1.0]), None, 1.0)
    products = np.array([0.0, np.log(3.0), -800.0])
    loss, slope = Logistic(3).slopes(products, batch)
    # Margins of 0, -log 3 and -800: probabilities of 1/2, 1/4 and 0.
    assert slope == pytest.approx([-0.5, 0.75, -1.0])
    assert loss == pytest.approx((np.log(2.0) + np.log(4.0) + 800.0) / 3)
    _, hinge = Svm(3).slopes(np.array([0.5, 2.0, 1.0]), batch)
    assert hinge.tolist() == [-1.0, 1.0, 0.0]  # at the hinge itself there is no slope


def test_regularisation_weighs_rare_parameters_as_told() -> None:
    batch = Batch(np.eye(2), np.ones(2), np.array([0, 3]), np.array([1.0, 4.0]))
    penalty, regular = Logistic(5, l2=0.1).penalty(np.array([2.0, 3.0]), batch)
    assert regular == pytest.approx([0.2, 1.2])
    assert penalty == pytest.approx(0.5 * (0.4 + 3.6))


def test_a_linear_model_begins_at_nothing_and_tells_its_inputs() -> None:
    assert Logistic(3).initial(7).tolist() == [0.0, 0.0, 0.0]
    assert Logistic(3).inputs == 3
