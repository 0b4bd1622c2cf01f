"""Whole configs side by side: which trials are lines, and what the upright axes show."""

from typing import Any

import pytest

from tests.report.studies import maximising, measured, mixed
from tunewise.history import History, Measurement, Trial
from tunewise.problem import Problem
from tunewise.report.charts.parallel import Axis, Lines, draw_lines, lines
from tunewise.report.layout import theme
from tunewise.space import Choice, Real, Space


def test_every_measured_trial_crosses_each_axis_at_its_value() -> None:
    data = lines(maximising(), mixed())
    assert data.numbers == (0, 1, 2, 4, 5)
    vm, vms, rate, layers, accuracy = data.scales
    assert (vm.names, vm.values) == (("small", "large"), (0.0, 0.0, 1.0, 0.0, 0.0))
    assert vms.values == (1.0, 1.0, 1.0, 1.0, 2.0)
    assert rate.log and rate.values == (0.01, 0.01, 0.01, 0.002, 0.01)
    assert (layers.names, layers.log) == ((), False)
    assert accuracy.values == (0.95, 0.80, 0.99, 0.90, 0.85)
    assert data.maximize and not accuracy.log


def conditional() -> tuple[Problem, History]:
    space = Space(
        Choice("kind", ["a", "b", "c"]),
        Real("momentum", 0.0, 1.0, when={"kind": "a"}),
        Real("decay", 1e-4, 1.0, log=True, when={"kind": "b"}),
        Choice("unused", [1, 2], when={"kind": "c"}),
        Choice("flavour", ["x", "y"], when={"kind": "b"}),
    )
    configs: list[dict[str, Any]] = [
        {"kind": "b", "decay": 0.01, "flavour": "y"},
        {"kind": "a", "momentum": 0.5},
    ]
    trials = [
        Trial(i, config).told(Measurement({"accuracy": 0.1 * (i + 1)}))
        for i, config in enumerate(configs)
    ]
    return Problem(space, maximize="accuracy"), History(trials)


def test_every_trial_of_a_conditional_space_is_a_line() -> None:
    data = lines(*conditional())
    assert data.numbers == (0, 1)
    kind, momentum, decay, flavour, accuracy = data.scales
    assert (momentum.values, decay.values) == ((None, 0.5), (0.01, None))
    assert (flavour.name, flavour.values) == ("flavour", (1.0, None))
    assert accuracy.values == pytest.approx((0.1, 0.2))


def test_what_does_not_apply_to_a_trial_is_a_place_below_the_others() -> None:
    _, *some, _ = draw_lines(lines(*conditional())).data[0].dimensions
    for axis in some:
        assert axis.ticktext[0] == "none"
        assert axis.tickvals[0] == min(axis["values"]) < min(axis.tickvals[1:])
        assert axis.range[0] <= axis.tickvals[0]


def test_a_positive_objective_that_spreads_wide_is_on_a_log_axis() -> None:
    cheapest = maximising(maximize=None, minimize="cost", subject_to=[])
    history = History([measured(0, 0.9, 0.01), measured(1, 0.9, 1.0)])
    data = lines(cheapest, history)
    assert data.scales[-1].log and not data.maximize
    assert not lines(cheapest, history[:1]).scales[-1].log
    rising = History([measured(0, 0.01, 0.01), measured(1, 0.9, 1.0)])
    assert not lines(maximising(), rising).scales[-1].log, "a share is never"


@pytest.mark.parametrize("maximise", [True, False])
def test_the_better_a_trial_the_stronger_its_colour(maximise: bool) -> None:
    data = Lines((0, 1), (Axis("x", (1.0, 2.0)), Axis("y", (3.0, 4.0))), maximise)
    [drawn] = draw_lines(data).data
    assert list(drawn.line.color) == [3.0, 4.0]
    assert drawn.line.reversescale is (not maximise)
    assert [shade for _, shade in drawn.line.colorscale] == [
        theme.colour("grid"), theme.colour("keeps")
    ]  # fmt: skip


def test_names_are_ticks_with_room_at_both_ends() -> None:
    data = Lines((0,), (Axis("vm", (1.0,), names=("a", "b", "c")), Axis("y", (3.0,))), True)
    axis, plain = draw_lines(data).data[0].dimensions
    assert (list(axis.tickvals), list(axis.ticktext)) == ([0, 1, 2], ["a", "b", "c"])
    assert list(axis.range) == pytest.approx([-0.2, 2.2])
    assert (list(plain["values"]), plain.tickvals) == ([3.0], None)


def test_a_log_axis_has_a_tick_at_each_power_of_ten_around_its_values() -> None:
    data = Lines((0, 1), (Axis("rate", (0.002, 0.5), log=True), Axis("y", (3.0, 4.0))), True)
    axis = draw_lines(data).data[0].dimensions[0]
    assert list(axis.range) == [-3, 0]
    assert list(axis.tickvals) == [-3, -2, -1, 0]
    assert list(axis.ticktext) == ["0.001", "0.01", "0.1", "1"]
    assert list(axis["values"]) == pytest.approx([-2.69897, -0.30103])
