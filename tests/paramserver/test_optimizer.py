"""What a server makes of an update."""

import numpy as np
import pytest

from tunewise.errors import ExecutionError
from tunewise.paramserver.optimizer import OPTIMIZERS, optimizer
from tunewise.paramserver.partition import Layout
from tunewise.paramserver.server import Part, Server


def test_plain_rules_add_the_update_to_the_value() -> None:
    for name in ("sgd", "svrg"):
        rule = optimizer(name)
        assert rule.apply(np.array([[1.0, 2.0]]), np.array([0.5, -1.0])).tolist() == [[1.5, 1.0]]
        assert rule.rows == 1


def test_momentum_keeps_nine_tenths_of_the_last_step() -> None:
    rule = optimizer("momentum")
    before = np.array([[1.0], [10.0]])
    after = rule.apply(before, np.array([2.0]))
    # The step is 0.9 * 10 + 0.1 * 2, and the value takes it.
    np.testing.assert_allclose(after, [[10.2], [9.2]])
    assert before.tolist() == [[1.0], [10.0]]
    assert rule.rows == 2


def test_only_variance_reduction_follows_a_linear_rate() -> None:
    found = {name: (rule.rate, rule.variance_reduced) for name, rule in OPTIMIZERS.items()}
    plain = ("sublinear", False)
    assert found == {"sgd": plain, "momentum": plain, "svrg": ("linear", True)}


def test_an_unknown_optimizer_names_the_nearest() -> None:
    with pytest.raises(ExecutionError, match="did you mean 'momentum'"):
        optimizer("momentun")


def test_a_barrier_applies_the_mean_once_the_last_update_has_arrived() -> None:
    part, rule = Part(np.array([[1.0, 1.0]]), present=True), optimizer("sgd")
    assert not part.gather(np.array([0]), np.array([4.0]), 2, rule)
    assert part.state.tolist() == [[1.0, 1.0]]
    assert part.gather(slice(None), np.array([2.0, 6.0]), 2, rule)
    assert part.state.tolist() == [[4.0, 4.0]]
    # The next iteration counts anew, and a push of nothing counts too.
    assert not part.arrived(2, rule)
    assert part.arrived(2, rule)
    assert part.state.tolist() == [[4.0, 4.0]]


def test_a_barrier_with_nothing_to_apply_leaves_momentum_alone() -> None:
    part, rule = Part(np.array([[1.0], [0.5]]), present=True), optimizer("momentum")
    assert part.arrived(1, rule)
    assert part.state.tolist() == [[1.0], [0.5]]


def test_what_a_worker_pulled_does_not_change_when_the_server_does() -> None:
    server = Server(0, Layout("range", 1, 3), np.array([1.0, 2.0, 3.0]), optimizer("sgd"))
    for place in (slice(None), np.array([0, 1, 2])):
        values, absent = server.pull(0, place)
        server.push(0, slice(None), np.ones(3))
        assert absent is None
        np.testing.assert_allclose(server.pull(0, place)[0], values + 1)


def test_a_server_forgets_layouts_that_nobody_asks_for_any_more() -> None:
    server = Server(0, Layout("range", 1, 3), np.arange(3.0), optimizer("sgd"))
    for _ in range(4):
        server.relocate(Layout("hash", 1, 3))
    assert sorted(server.parts) == sorted(server.layouts) == [2, 3, 4]
    assert server.settled and not server.leaving()
