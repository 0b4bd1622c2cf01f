import errno
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from benchmarks.known_speeds import run
from tests.online.landscape import SPACE, Landscape
from tests.work import calls
from tunewise.errors import MeasurementError, SpaceError, StudyError, TunewiseError
from tunewise.online import Iteration, Tuner, follow
from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.managers.manager import Decision, Situation
from tunewise.space import Config, Ordinal, Space
from tunewise.storage import open_store
from tunewise.study import Store


def tuned(seed: int, noise: float = 0.002) -> tuple[Landscape, Tuner]:
    job = Landscape(seed, noise)
    first = SPACE.configs[int(np.random.default_rng(seed).integers(len(SPACE.configs)))]
    job.begin(first)
    tuner = Tuner(SPACE, "loss <= 0.1", default=first, seed=seed, classify=_kinds)
    follow(job, tuner, lambda config: config)
    return job, tuner


def _kinds(old: Config, new: Config) -> frozenset[str]:
    return frozenset() if old == new else frozenset({"II"})


def test_a_training_ends_almost_as_soon_as_under_its_best_setting() -> None:
    ratios = []
    for seed in range(2):
        job, tuner = tuned(seed)
        assert tuner.done
        assert job.now == pytest.approx(tuner.seconds)
        ratios.append(job.now / job.totals.min())
        assert job.now < job.totals.mean() / 1.7
    assert np.mean(ratios) < 1.6


def test_noise_in_the_loss_does_not_make_it_try_everything() -> None:
    job, tuner = tuned(0, noise=0.02)
    assert len(tuner.switches) < len(SPACE.configs) / 2
    assert job.now < job.totals.mean() / 1.7


def test_the_same_reports_lead_to_the_same_settings() -> None:
    def settings() -> list[Config]:
        job, tuner = Landscape(1), Tuner(SPACE, "loss <= 0.7", each=20, classify=_kinds)
        follow(job, tuner, lambda config: config)
        return [each.setting for each in tuner.switches]

    assert settings() == settings()


def test_the_own_loop_is_measured_by_itself_and_finds_the_faster_setting() -> None:
    space = Space(Ordinal("workers", [0, 1, 2]))
    now = [0.0]
    tuner = Tuner(space, "samples >= 4000", default={"workers": 0}, clock=lambda: now[0])
    for setting in tuner:
        now[0] += 0.5  # a loader is made anew
        while True:
            now[0] += {0: 0.10, 1: 0.05, 2: 0.08}[int(setting["workers"])]
            tuner.report(samples=10)
            if tuner.changed:
                break
    assert tuner.done and tuner.setting == {"workers": 1}
    best = 400 * 0.05 + 0.5
    assert now[0] < 1.3 * best
    assert tuner.staying.mean == pytest.approx(40.0, rel=0.2)


def test_what_is_left_is_known_where_samples_are_all_that_counts() -> None:
    tuner = Tuner(Space(Ordinal("workers", [0])), "samples >= 1000")
    for _ in range(50):
        tuner.report(samples=10, seconds=0.1)
    assert tuner.remaining.mean == pytest.approx(5.0, rel=0.2)


def test_a_loop_that_never_reports_is_told_so() -> None:
    with pytest.raises(StudyError, match="without a report"):
        for _ in Tuner(SPACE, "loss <= 0.1"):
            pass


@pytest.mark.parametrize("wrong", ["0.1", True, np.zeros(2), np.array(True), [0.1], 1j, object()])
def test_a_loss_that_is_no_number_is_refused(wrong: object) -> None:
    with pytest.raises(MeasurementError, match="loss is"):
        Tuner(SPACE, "loss <= 0.1").report(wrong)  # type: ignore[arg-type] # what a person may pass


def test_a_default_outside_of_the_space_is_refused() -> None:
    with pytest.raises(SpaceError):
        Tuner(SPACE, "loss <= 0.1", default={"servers": 3})


def test_a_report_costs_next_to_nothing_however_many_came_before() -> None:
    tuner = Tuner(Space(Ordinal("workers", [0])), "samples >= 1e9")

    def hundred() -> None:
        for _ in range(100):
            tuner.report(samples=1, seconds=0.1)

    first, *_, last = (calls(hundred).total() for _ in range(6))
    assert last < 2 * first
    assert first < 100 * 300, "calls of our functions; about 60 a report are made"


class Tensor:
    """A scalar of some library: it is a number when it is asked."""

    shape = ()

    def item(self) -> float:
        return 0.25


@pytest.mark.parametrize("told", [np.array(0.25), np.float32(0.25), Tensor(), Fraction(1, 4)])
def test_scalars_of_any_library_are_losses(told: Any) -> None:
    tuner = Tuner(SPACE, "loss <= 0.1")
    tuner.report(told, seconds=np.array(1.0), samples=np.int64(3))
    assert tuner.loss == pytest.approx(0.25)
    assert tuner.course.watch.samples == 3


def test_a_loss_that_is_not_finite_is_passed_over_and_counted_with_the_next(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tuner = Tuner(SPACE, "loss <= 0.1")
    for loss in (0.5, math.nan, math.inf, 0.4):
        tuner.report(loss, seconds=1.0, samples=10)
    assert "the loss is nan at iteration 2: it is passed over" in caplog.text
    assert [each.loss for each in tuner.course.segments[0].iterations] == [0.5, 0.4]
    assert tuner.seconds == pytest.approx(4.0)
    assert tuner.course.watch.samples == 40


def test_a_training_that_broke_down_is_an_error_that_names_the_iteration() -> None:
    tuner = Tuner(SPACE, "loss <= 0.1")
    tuner.report(0.5, seconds=1.0)
    with pytest.raises(MeasurementError, match="the loss is nan at iteration 21"):
        for _ in range(20):
            tuner.report(math.nan, seconds=1.0)


def test_iterations_that_were_passed_over_are_counted_where_one_is_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tuner = Tuner(SPACE, "loss <= 0.1")
    for loss in (0.5, math.nan, math.inf, 0.4, math.nan):
        tuner.report(loss, seconds=1.0, samples=10)
    assert [each.split(":")[0] for each in caplog.messages] == [
        "the loss is nan at iteration 2",
        "the loss is nan at iteration 5",
    ]


def _switching(store: Store) -> Tuner:
    """A tuner that has just decided for another setting."""
    space = Space(Ordinal("workers", [0, 1]))
    told = Tuner(space, "samples >= 1000", each=5, storage=store, name="a")
    while not told.changed:
        told.report(samples=10, seconds=0.1)
    return told


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"seconds": -5.0}, "seconds is -5.0; expected a finite number, not below 0"),
    ({"seconds": math.nan}, "seconds is nan; expected a finite number, not below 0"),
    ({"kinds": "abc"}, "kinds is 'abc'; expected a set of names, such as {'batch'}"),
    ({"kinds": [3]}, "kinds is [3]; expected a set of names"),
    ({"kept": 3}, "kept is 3; expected None, or a whole number from 0 to 2"),
    ({"late": (1.0, -4.0, 8.0)}, "seconds is -4.0; expected a finite number, not below 0"),
    ({"late": (1.0, math.inf, 8.0)}, "seconds is inf; expected a finite number, not below 0"),
    ({"late": (1.0, 1.0, -8.0)}, "samples is -8.0; expected a finite number, not below 0"),
    ({"late": ("low", 1.0, 8.0)}, "loss is 'low'; expected a number"),
]


@pytest.mark.parametrize(
    ("wrong", "said", "fails"),
    [
        (*each, fails)
        for each in WRONG
        for fails in (False, True)
        if not fails or "kinds" not in each[0]
    ],
)
def test_nothing_of_a_switch_is_booked_where_some_of_it_is_wrong(
    wrong: dict[str, Any], said: str, fails: bool
) -> None:
    store = open_store(None)
    told = _switching(store)
    before, events = told.seconds, store.runs().events("a")
    finished = [Iteration(1.0, 1.0, 8.0), Iteration(*wrong.get("late", (1.0, 1.0, 8.0)))]
    late: dict[str, Any] = {"finished": finished, "kept": wrong.get("kept", 1)}
    seconds, kinds = wrong.get("seconds", 0.5), wrong.get("kinds", {"workers"})
    with pytest.raises(MeasurementError) as error:
        if fails:
            told.refused("broke", restarted=seconds, **late)
        else:
            told.switched(kinds, seconds, **late)
    assert said in str(error.value).replace("restarted is", "seconds is")
    assert told.seconds == before and store.runs().events("a") == events


def test_a_report_that_is_refused_books_no_switch() -> None:
    now = [0.0]
    space = Space(Ordinal("workers", [0, 1]))
    tuner = Tuner(space, "samples >= 1000", each=5, clock=lambda: now[0])
    for _ in tuner:
        if tuner.course.switching:
            break
        while not tuner.changed:
            now[0] += 0.1
            tuner.report(samples=10)
    before = tuner.seconds
    now[0] += 5.0
    with pytest.raises(MeasurementError, match="samples is -1"):
        tuner.report(samples=-1)
    assert tuner.seconds == before


def test_a_clock_that_is_set_back_takes_no_time_away() -> None:
    now = [100.0]
    tuner = Tuner(Space(Ordinal("workers", [0])), "samples >= 1000", clock=lambda: now[0])
    for step in (1.0, -50.0, 1.0):
        now[0] += step
        tuner.report(samples=10)
    assert tuner.seconds == pytest.approx(2.0)


def test_a_try_that_saves_money_says_how_much_in_usd() -> None:
    space = Space(Ordinal("workers", [1, 2]))
    tuner = Tuner(space, "samples >= 4000", price=lambda setting: 9.0 / setting["workers"])
    while not tuner.changed:
        tuner.report(samples=10, seconds=1.0)
    assert "USD" in tuner.believed[-1].why


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"deadline": -3}, "deadline is -3; expected seconds above 0"),
        ({"deadline": "soon"}, "deadline is 'soon'"),
        ({"price": 3.0}, "price is 3.0; expected a function of a setting"),
        ({"price": lambda _: math.nan}, "the price of .* is nan; expected USD per hour, above 0"),
        ({"price": lambda s: s["workers"] - 1}, "is 0; expected USD per hour, above 0"),
        ({"seed": "a"}, "seed is 'a'; expected a whole number, 0 or above"),
        ({"until": "samples >= -5"}, "until is 'samples >= -5', which is true before"),
        ({"space": {"workers": [1, 2]}}, "expected a tw.Space, such as"),
    ],
)
def test_what_a_tuner_cannot_use_is_refused_before_it_begins(
    options: dict[str, Any], said: str
) -> None:
    space = Space(Ordinal("workers", [1, 2]))
    usual: dict[str, Any] = {"space": space, "until": "loss <= 0.1", "price": lambda _: 1.0}
    with pytest.raises(TunewiseError, match=said):
        Tuner(**{**usual, **options})


def test_a_deadline_that_cannot_be_kept_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    space = Space(Ordinal("workers", [1, 2]))
    tuner = Tuner(space, "samples >= 1000", price=lambda _: 1.0, deadline="0.5 min")
    for _ in tuner:
        while not tuner.changed:
            tuner.report(samples=10, seconds=1.0)
    (said,) = caplog.messages
    assert said.startswith("the deadline of 30 s cannot be kept any more: after 8 s"), said


class Slow:
    """Wants to decide after each iteration, and takes a second for it."""

    def __init__(self, now: list[float]) -> None:
        self.now, self.decided = now, 0

    def first(self, setting: Config) -> int:
        return 1

    def due(self, situation: Situation) -> bool:
        return True

    def decide(self, situation: Situation, costs: ReconfigurationCosts) -> Decision:
        self.decided += 1
        self.now[0] += 1.0
        return Decision(situation.running.setting, situation.iterations + 1)


@pytest.mark.parametrize(("seconds", "most"), [(None, 4), (1.0, 400)], ids=["measured", "told"])
def test_thinking_takes_a_small_share_of_the_time_that_is_measured(
    seconds: float | None, most: int
) -> None:
    now = [0.0]
    slow = Slow(now)
    space = Space(Ordinal("workers", [0, 1]))
    tuner = Tuner(space, "samples >= 401", manager=slow, clock=lambda: now[0])
    for _ in range(401):
        now[0] += 1.0
        tuner.report(samples=1, seconds=seconds)
    assert tuner.done and 0 < slow.decided <= most
    assert tuner.seconds == pytest.approx(401.0)


def test_the_first_thought_which_loads_what_all_others_use_does_not_put_off_the_second() -> None:
    now = [0.0]

    class Cold(Slow):
        def decide(self, situation: Situation, costs: ReconfigurationCosts) -> Decision:
            self.decided += 1
            now[0] += 0.4 if self.decided == 1 else 0.001
            return Decision(situation.running.setting, situation.iterations + 1)

    cold = Cold(now)
    tuner = Tuner(
        Space(Ordinal("workers", [0, 1])), "samples >= 20", manager=cold, clock=lambda: now[0]
    )
    for _ in range(20):
        now[0] += 0.01
        tuner.report(samples=1)
    assert cold.decided > 10


class Hasty(Slow):
    """Goes over to the second setting at once, and back as soon as it may think again."""

    def decide(self, situation: Situation, costs: ReconfigurationCosts) -> Decision:
        super().decide(situation, costs)
        workers = 1 if len(situation.measured) == 1 else 0
        return Decision({"workers": workers}, situation.iterations + 1)


def test_a_far_slower_setting_is_left_although_the_first_thought_took_long() -> None:
    now = [0.0]
    space = Space(Ordinal("workers", [0, 1]))
    tuner = Tuner(space, "samples >= 400", manager=Hasty(now), clock=lambda: now[0])
    for setting in tuner:
        while not tuner.changed:
            now[0] += 1.0 if setting["workers"] else 0.01
            tuner.report(samples=1)
    slow = [each for each in tuner.switches if each.setting["workers"]]
    assert sum(each.iterations for each in slow) <= 4


@pytest.mark.parametrize("mode", ["clock", "told", "apart", "restart"])
def test_whoever_measures_a_start_is_the_switchs_and_tries_stay_cheap(mode: str) -> None:
    for begins_best in (False, True):
        ran = run(3, 1000, 3.0, mode, begins_best)
        assert ran.tries < 0.08 * ran.seconds
        if begins_best:
            assert ran.seconds < 1.1 * ran.first
        else:
            assert ran.seconds < 0.8 * ran.first


def test_a_command_whose_start_takes_long_is_not_started_again_to_save_little() -> None:
    ran = run(3, 200, 20.0, "restart", begins_best=False)
    assert ran.switches == 0 and ran.seconds < 1.05 * ran.first


SPEEDS = Space(Ordinal("workers", [0, 1]))


def test_a_loop_that_never_looks_whether_the_setting_changed_is_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tuner = Tuner(SPEEDS, "samples >= 3000", each=5)
    for _ in tuner:
        for _ in range(310):
            tuner.report(samples=10, seconds=0.1)
    assert caplog.text.count("the loop goes on under the old one") == 1
    assert caplog.text.count("looks at tuner.changed or tuner.done") == 1


def test_a_loop_that_counts_no_samples_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    tuner = Tuner(SPEEDS, "samples >= 30")
    for _ in tuner:
        while not tuner.changed:
            tuner.report(seconds=0.1)
    assert caplog.text.count("a report told no samples, so that it counts as one") == 1
    assert "under the old one" not in caplog.text


def test_a_loop_whose_samples_are_none_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    tuner = Tuner(SPEEDS, "samples >= 30")
    for samples in (0, 0, 0, 0, 10, *[0] * 20):
        tuner.report(samples=samples, seconds=0.1)
        assert samples or tuner.iterations < 10 or "in a row told samples=0" in caplog.text
    assert caplog.text.count("5 reports in a row told samples=0; the training ends when") == 1


def test_a_setting_that_runs_out_of_memory_is_ruled_out_and_the_loop_goes_on() -> None:
    tuner = Tuner(SPEEDS, "samples >= 3000", each=5)
    met = []
    for setting in tuner:
        met.append(setting["workers"])
        while not tuner.changed:
            if setting["workers"]:
                tuner.failed(MemoryError("out of memory"))
                break
            tuner.report(samples=10, seconds=0.1)
    assert tuner.done and met == [0, 1, 0]
    assert "workers=1 failed: out of memory" in " ".join(each.why for each in tuner.believed)


def test_a_guarded_loop_goes_on_where_a_setting_runs_out_of_memory_and_nowhere_else() -> None:
    tuner = Tuner(SPEEDS, "samples >= 3000", each=5)
    met = []
    for setting in tuner:
        met.append(setting["workers"])
        with tuner.guard():
            while not tuner.changed:
                if setting["workers"]:
                    raise OSError(errno.ENOMEM, "Cannot allocate memory")  # a fork of a worker
                tuner.report(samples=10, seconds=0.1)
    assert tuner.done and met == [0, 1, 0]
    with pytest.raises(RuntimeError, match="another"), tuner.guard():
        raise RuntimeError("another mistake")


def test_what_fails_under_a_setting_that_worked_is_raised() -> None:
    tuner = Tuner(SPEEDS, "samples >= 3000")
    tuner.report(samples=10, seconds=0.1)
    with pytest.raises(MemoryError, match="no more"):
        tuner.failed(MemoryError("no more"))


def test_a_deadline_that_another_setting_may_keep_is_not_given_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tuner = Tuner(SPEEDS, "samples >= 1000", each=5, deadline=60.0)
    for setting in tuner:
        while not tuner.changed:
            tuner.report(samples=1, seconds=0.05 if setting["workers"] else 0.1)
    assert tuner.seconds < 60 and "cannot be kept" not in caplog.text


def test_saving_usd_does_not_miss_a_deadline_that_a_tried_setting_keeps() -> None:
    space = Space(Ordinal("workers", [1, 2, 4]))
    tuner = Tuner(
        space, "samples >= 1000", default={"workers": 4}, deadline=160.0,
        price=lambda setting: 0.1 * setting["workers"],
    )  # fmt: skip
    rng = np.random.default_rng(0)
    for setting in tuner:
        while not tuner.changed:
            seconds = 0.4 / setting["workers"] ** 0.8 * np.exp(0.15 * rng.standard_normal())
            tuner.report(samples=1, seconds=seconds)
    assert tuner.seconds <= 160


@pytest.mark.parametrize("quick", [0.1, 0.9])
def test_a_switch_costs_what_it_took_whether_the_new_setting_is_quicker_or_slower(
    quick: float,
) -> None:
    now = [0.0]
    tuner = Tuner(SPEEDS, "samples >= 400", tries=1.0, clock=lambda: now[0])
    for setting in tuner:
        now[0] += 0.3  # a loader is made anew
        while not tuner.changed:
            now[0] += quick if setting["workers"] else 0.5
            tuner.report(samples=1)
    tried = tuner.switches[1]
    assert tried.reconfiguration == pytest.approx(0.3)
    assert tried.seconds == pytest.approx(quick)
    assert tuner.seconds == pytest.approx(now[0])
