"""What a tuner is told before it begins and while it runs, and what it says of deadlines."""

import json
import logging
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tunewise.errors import (
    ExecutionError,
    MeasurementError,
    ProblemError,
    SpaceError,
    TunewiseError,
)
from tunewise.execution.training.reconfigurable import Iteration
from tunewise.online import Tuner
from tunewise.online.checks import (
    checked_deadline,
    checked_iterations,
    checked_price,
    checked_seed,
    checked_space,
)
from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.deadline import Deadline
from tunewise.online.record.reader import Reader
from tunewise.online.reported import Gaps, scalar
from tunewise.online.segment import Segment, Tried, steady
from tunewise.online.until import Until, Watch
from tunewise.space import Integer, Ordinal, Real, Space
from tunewise.storage import open_store
from tunewise.surrogate import Normal

SPACE = Space(Ordinal("workers", [0, 1, 2]))


def usd(setting: Any) -> float:
    return 0.1 * float(1 + setting["workers"])


@pytest.mark.parametrize(
    ("told", "seconds"), [(90, 90.0), (0.5, 0.5), ("2 h", 7200.0), (None, None)]
)
def test_a_deadline_is_seconds_or_a_text(told: Any, seconds: float | None) -> None:
    assert checked_deadline(told) == seconds


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (True, "deadline is True; expected seconds above 0"),
        (0, "deadline is 0; expected seconds above 0"),
        (math.inf, "deadline is inf; expected seconds above 0"),
        ("soon", "deadline is 'soon': "),
    ],
)
def test_a_deadline_that_cannot_be_gets_a_sentence(wrong: Any, said: str) -> None:
    with pytest.raises(ProblemError, match=said):
        checked_deadline(wrong)


def test_a_price_is_checked_for_every_setting_of_a_small_space_at_once() -> None:
    price = checked_price(usd, SPACE, {"workers": 0})
    assert price is not None and price({"workers": 2}) == pytest.approx(0.3)
    assert checked_price(None, SPACE, {"workers": 0}) is None
    for wrong in (0.0, -1.0, math.nan, math.inf, True, "1", None):
        told = {0: 1.0, 1: 1.0, 2: wrong}
        with pytest.raises(ProblemError, match="the price of {'workers': 2} is"):
            checked_price(
                lambda setting, told=told: told[setting["workers"]], SPACE, {"workers": 0}
            )
    with pytest.raises(ProblemError, match="expected a function of a setting"):
        checked_price(0.5, SPACE, {"workers": 0})


def test_a_price_over_many_settings_is_checked_when_it_is_met() -> None:
    wide = Space(Real("rate", 0.0, 1.0))
    price = checked_price(lambda setting: 1.0 - setting["rate"], wide, {"rate": 0.0})
    assert price is not None
    with pytest.raises(ProblemError, match="expected USD per hour, above 0"):
        price({"rate": 1.0})


def test_up_to_512_settings_are_looked_at_before_the_training_begins() -> None:
    def price(setting: Any) -> float:
        return 512.0 - float(setting["count"])

    with pytest.raises(ProblemError, match="the price of {'count': 512} is 0.0"):
        checked_price(price, Space(Integer("count", 1, 512)), {"count": 1})
    assert checked_price(price, Space(Integer("count", 1, 513)), {"count": 1}) is not None


def test_seeds_and_spaces_are_what_they_are_called() -> None:
    assert checked_seed(np.int64(3)) == 3 and checked_seed(0) == 0
    for wrong in (True, -1, 1.5, "1", None):
        with pytest.raises(ProblemError, match="expected a whole number, 0 or above"):
            checked_seed(wrong)
    assert checked_space(SPACE) is SPACE
    with pytest.raises(SpaceError, match="expected a tw.Space"):
        checked_space({"workers": [0, 1]})


@pytest.mark.parametrize("name", ["each", "together"])
@pytest.mark.parametrize("wrong", [0, -3, 2.5, "x", True, math.nan])
def test_iterations_that_cannot_be_get_a_sentence(name: str, wrong: Any) -> None:
    expected = "expected a whole number of iterations, 1 or above"
    with pytest.raises(ProblemError) as told:
        Tuner(SPACE, "loss <= 0.1", **{name: wrong})
    assert str(told.value) == (
        f"{name} is {wrong!r}; {expected}, or a function of a setting that returns one"
    )
    returned = {0: 4, 1: 4, 2: wrong}
    options: dict[str, Any] = {name: lambda setting: returned[setting["workers"]]}
    with pytest.raises(ProblemError) as told:
        Tuner(SPACE, "loss <= 0.1", **options)
    assert str(told.value) == f"{name} of {{'workers': 2}} is {wrong!r}; {expected}"


def test_iterations_are_a_number_or_a_function_of_the_setting() -> None:
    first = {"workers": 0}
    assert checked_iterations("each", np.int64(3), SPACE, first) == 3
    counted = checked_iterations("each", lambda setting: 1 + setting["workers"], SPACE, first)
    assert callable(counted) and counted({"workers": 2}) == 3
    wide = checked_iterations(
        "each", lambda setting: int(2 * setting["rate"]), Space(Real("rate", 0.0, 1.0)), {"rate": 1}
    )
    with pytest.raises(ProblemError, match="each of {'rate': 0.1} is 0; expected a whole number"):
        wide({"rate": 0.1})  # type: ignore[operator] # a function, as it was given one


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_a_deadline_is_warned_of_once_when_it_can_surely_not_be_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING, "tunewise")
    deadline = Deadline(100.0)
    deadline.look(50.0, Normal(50.0, 10.0))  # may well be kept
    deadline.look(100.0)
    deadline.look(50.0, Normal(60.0, 100.0))  # nobody knows
    assert said(caplog) == []
    deadline.look(50.0, Normal(80.0, 10.0))
    deadline.look(60.0, Normal(80.0, 10.0))
    [message] = said(caplog)
    assert message.startswith("the deadline of 1 m 40 s cannot be kept any more: after 50 s")
    assert message.endswith("at least 1 m 7 s are left")


def test_a_deadline_without_a_price_is_watched_and_changes_no_decision(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING, "tunewise")
    told, warned_at = [], math.nan
    for deadline in (None, 100.0):
        tuner = Tuner(SPACE, "samples >= 4000", deadline=deadline)
        for setting in tuner:
            while not tuner.changed:
                loss = 1 / (1 + 0.01 * tuner.iterations)
                tuner.report(loss, samples=1, seconds=1.0 / (1 + setting["workers"]))
                if said(caplog) and math.isnan(warned_at):
                    warned_at = tuner.seconds
        told.append([(each.setting, each.iterations) for each in tuner.switches])
    assert told[0] == told[1]
    assert warned_at < 100.0
    [message] = said(caplog)
    assert message.startswith("the deadline of 1 m 40 s cannot be kept any more")


def test_a_deadline_that_is_over_was_missed(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "tunewise")
    Deadline(100.0).look(101.0)
    Deadline(None).look(1e9, Normal(1e9, 0.0))
    assert said(caplog) == ["the deadline of 1 m 40 s was missed"]


def test_a_loss_that_is_not_finite_is_booked_with_the_next_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING, "tunewise")
    gaps = Gaps(Until(loss=0.1))
    assert gaps.filled(Iteration(math.nan, 1.0, 8.0), 6) is None
    assert gaps.filled(Iteration(math.inf, 2.0, 8.0), 6) is None
    assert gaps.filled(Iteration(0.5, 4.0, 8.0), 6) == Iteration(0.5, 7.0, 24.0)
    assert gaps.filled(Iteration(0.4, 1.0, 8.0), 7) == Iteration(0.4, 1.0, 8.0)
    assert gaps.filled(Iteration(math.inf, 1.0, 8.0), 8) is None
    assert said(caplog) == [
        "the loss is nan at iteration 7: it is passed over",
        "the loss is inf at iteration 11: it is passed over",
    ]


def test_what_was_passed_over_before_a_crash_took_its_time_alone() -> None:
    gaps = Gaps(Until(loss=0.1))
    gaps.filled(Iteration(math.nan, 1.0, 8.0), 0)
    gaps.lose()
    assert gaps.filled(Iteration(0.5, 2.0, 8.0), 0) == Iteration(0.5, 3.0, 8.0)


def test_twenty_losses_in_a_row_that_are_not_finite_are_an_error() -> None:
    gaps = Gaps(Until(loss=0.1))
    for _ in range(19):
        assert gaps.filled(Iteration(math.nan, 1.0), 0) is None
    with pytest.raises(MeasurementError, match="at iteration 20, and was not finite in the 19"):
        gaps.filled(Iteration(math.nan, 1.0), 0)


def test_where_only_speed_counts_losses_are_of_no_concern() -> None:
    gaps = Gaps(Until(samples=100.0))
    for loss in (math.inf, math.nan):
        found = gaps.filled(Iteration(loss, 1.0, 8.0), 0)
        assert found is not None and math.isnan(found.loss) and found.samples == 8.0
    assert gaps.filled(Iteration(0.5, 1.0, 8.0), 0) == Iteration(0.5, 1.0, 8.0)


def test_a_number_of_any_library_is_a_number() -> None:
    assert [scalar("loss", each) for each in (1, np.float32(0.5), np.array(2.0))] == [1.0, 0.5, 2.0]
    for wrong in (True, "1", b"1", np.array([1.0]), np.array(True), None, 10**400):
        with pytest.raises(MeasurementError, match="loss is .*; expected a number"):
            scalar("loss", wrong)


def test_a_switch_never_seen_costs_as_the_nearest_known() -> None:
    costs = ReconfigurationCosts(lambda old, new: frozenset(new["kinds"]), unknown=7.0)
    for kinds, seconds in (("a", 1.0), ("b", 3.0), ("abc", 9.0), ("abcd", 20.0)):
        costs.learn(frozenset(kinds), seconds)
    costs.learn(frozenset(), 1e9)  # no change at all says nothing
    # Within larger changes: the cheapest of them. Beyond all smaller ones: the dearest. Else: mean.
    assert costs.expected({}, {"kinds": "ab"}) == pytest.approx(9.0)
    assert costs.expected({}, {"kinds": "abcde"}) == pytest.approx(20.0)
    assert costs.expected({}, {"kinds": "be"}) == pytest.approx(3.0)
    assert costs.expected({}, {"kinds": "xy"}) == pytest.approx(33.0 / 4)


def test_without_more_knowledge_the_parameters_that_change_are_the_kind() -> None:
    classify = ReconfigurationCosts().classify
    assert classify({"a": 1, "b": 2}, {"a": 1, "b": 3}) == {"b"}
    assert classify({"a": 1}, {"a": 1, "b": 3}) == {"b"}
    assert classify({"a": 1}, {"a": 1}) == frozenset()


@pytest.mark.parametrize(
    ("seconds", "together", "mean"),
    [
        ([], 1, 0.0),
        ([2.0], 1, 2.0),
        ([1.0, 3.0], 1, 2.0),
        ([9.0, 1.0, 1.0, 1.0], 1, 3.0),  # a start is told apart before
        ([1.0, 1.0, 1.0, 9.0], 1, 3.0),  # waiting for the slowest is usual
        ([9.0, 9.0, 1.0, 3.0], 2, 2.0),  # those that begin together, once
        ([5.0, 9.0, 9.0, 1.0, 3.0], 2, 2.0),  # what fills no round belongs to the beginning
    ],
)
def test_seconds_in_the_long_run(seconds: list[float], together: int, mean: float) -> None:
    assert steady(np.array(seconds), together)[0] == pytest.approx(mean)


def test_seconds_are_better_known_the_more_there_are_and_the_less_they_scatter() -> None:
    once, few = steady(np.ones(1))[1], steady(np.ones(4))[1]
    many, wild = steady(np.ones(100))[1], steady(np.tile([0.5, 1.5], 50))[1]
    assert (once, few, many) == pytest.approx((0.4, 0.4 / 2 / 2, 0.4 / 10 / 10))
    assert wild == pytest.approx(0.05, rel=0.03)
    assert steady(np.ones(2))[1] == pytest.approx(0.4 / 2)


def test_iterations_that_waited_for_the_last_do_not_say_how_fast_a_setting_is() -> None:
    steps = [Iteration(1.0 - 0.1 * n, 1.0, 4.0) for n in range(3)] + [Iteration(0.5, 9.0, 4.0)]
    segment = Segment({"workers": 1}, 7, steps, 0.5, late=1)
    assert segment.timed.tolist() == [1.0, 1.0, 1.0]
    assert segment.per_iteration == pytest.approx(1.0)
    assert (segment.samples, segment.samples_each) == (16.0, 4.0)
    assert Tried.of(segment) == Tried({"workers": 1}, 7, 4, 1.0, 0.5, 0.5)
    # Where nearly all were late, they are all there is.
    assert len(Segment({}, 0, steps, late=3, round=2).timed) == 4
    assert len(Segment({}, 0, steps, late=3, round=1).timed) == 1
    assert Segment({}).samples_each == pytest.approx(1e-9)


@pytest.mark.parametrize(
    "wrong", ["samples >= 0", "samples >= -1", "variance <= -1e-9", "loss <= inf", "loss <= 1e999"]
)
def test_an_end_that_is_true_at_once_or_never_is_refused(wrong: str) -> None:
    with pytest.raises(ProblemError, match="until is"):
        Until.of(wrong)


@pytest.mark.parametrize("text", ["samples >= 60000", "loss <= -0.5", "variance <= 0.0"])
def test_an_end_is_written_as_it_is_read(text: str) -> None:
    until = Until.of(text)
    assert str(until) == text and Until.of(until) is until
    assert until.only_speed == text.startswith("samples")


def test_a_watch_averages_the_last_losses_and_forgets_them_after_a_crash() -> None:
    watch = Watch(Until(loss=0.3))
    assert math.isnan(watch.loss)
    for loss in (9.0, 0.2, 0.3, math.nan, 0.4, 0.3, 0.3):
        watch.see(Iteration(loss, 1.0, 2.0))
    assert watch.loss == pytest.approx(0.3) and watch.samples == 14.0
    assert watch.see(Iteration(0.1, 1.0))
    watch.forget()
    assert math.isnan(watch.loss) and not watch.done


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, "until says loss=None, samples=None and variance=None; expected one of them"),
        ({"loss": 0.1, "samples": 5}, "until says loss=0.1, samples=5 and variance=None; expected"),
        ({"loss": math.nan}, "until is nan; expected a finite number"),
        ({"loss": True}, "until is True; expected a finite number"),
        ({"samples": 10**400}, "until is 1000"),
        ({"variance": "low"}, "until is 'low'; expected a finite number"),
        ({"samples": 0}, "until is 'samples >= 0', which is true before the training begins"),
    ],
)
def test_an_end_is_one_finite_number(said: dict[str, Any], told: str) -> None:
    with pytest.raises(ProblemError, match=re.escape(told)):
        Until(**said)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"manager": None}, "manager is None; expected one of pace, selftf"),
        ({"manager": 5}, "manager is 5; expected one of pace, selftf"),
        ({"clock": 5}, "clock is 5; expected a function that returns seconds"),
        ({"classify": 5}, "classify is 5; expected a function of two settings"),
        ({"transfer": "no"}, "transfer is 'no'; expected True or False"),
        ({"name": 5}, "name is 5; expected a text, such as name='run-7'"),
        ({"name": " "}, "name is ' '; expected a text, such as name='run-7'"),
        ({"price": lambda _: np.True_}, "the price of {'workers': 0} is np.True_; expected USD"),
        ({"price": lambda _: 10**400}, "the price of {'workers': 0} is 1000"),
    ],
)
def test_what_no_tuner_can_be_told_is_refused_before_anything_is_kept(
    said: dict[str, Any], told: str
) -> None:
    store = open_store(None)
    with pytest.raises(TunewiseError, match=re.escape(told)):
        Tuner(SPACE, "samples >= 100", **{"storage": store, "name": "a", **said})
    assert not store.runs().names()


def test_a_command_reads_its_setting_and_says_what_happens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "setting.json"
    file.write_text(json.dumps({"number": 3, "setting": {"batch": 8}}))
    monkeypatch.setenv("TUNEWISE_SETTING", str(file))
    reader = Reader()
    assert reader.setting == {"batch": 8} and not reader.changed
    reader.report(0.5, samples=8, seconds=0.25)
    reader.report()
    reader.saved()
    file.write_text(json.dumps({"number": 4, "setting": {"batch": 16}}))
    assert reader.changed and reader.setting == {"batch": 8}
    reader.switched()
    assert reader.setting == {"batch": 16} and not reader.changed
    assert list(map(json.loads, capsys.readouterr().out.splitlines())) == [
        {"loss": 0.5, "samples": 8.0, "seconds": 0.25},
        {"samples": 1},
        {"checkpoint": True},
        {"setting": 4},
    ]
    for damaged in ("{", "[]", '{"number": 1}'):
        file.write_text(damaged)
        with pytest.raises(ExecutionError, match="cannot be read"):
            Reader(file)
