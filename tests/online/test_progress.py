"""The thesis' estimators, computed by hand."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.online.landscape import SPACE, Landscape
from tunewise.errors import ProblemError, StudyError
from tunewise.execution.training.reconfigurable import Iteration
from tunewise.online import Tuner, follow
from tunewise.online.belief.progress import Progress
from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.managers.manager import Situation
from tunewise.online.managers.selftf import SelfTf, orthogonal
from tunewise.online.segment import Segment
from tunewise.online.until import Until
from tunewise.space import Config


def test_h_is_fitted_to_the_losses_since_the_setting_began_and_counted_from_there() -> None:
    losses = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    steps = np.log(0.9 / losses[1:]) / losses[1:]
    h = float(np.arange(1, 5) @ steps / (steps @ steps))
    expected = h / 0.1 * math.log(0.9 / 0.1) - 4
    left = Progress("since_switch").left(losses, 5, 0.1, 100.0)
    assert left.mean == pytest.approx(expected)
    assert left.std > 0


@pytest.mark.parametrize(("kind", "total"), [("stateful", 356), ("since_switch", 139)])
def test_the_thesis_example_needs_so_many_iterations(kind: str, total: int) -> None:
    losses = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    passed = 9 if kind == "stateful" else 4  # since the training began, since the switch
    left = Progress(kind).left(losses, 5, 0.07, 100.0)
    assert float(left.mean) + passed == pytest.approx(total, abs=0.5)


def test_the_stateless_estimator_counts_from_the_beginning_with_a_large_d() -> None:
    losses = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    steps = np.log(100 / losses) / losses
    h = float(np.arange(5, 10) @ steps / (steps @ steps))
    expected = h / 0.1 * math.log(100 / 0.1) - 9
    assert Progress("stateless").left(losses, 5, 0.1, 100.0).mean == pytest.approx(expected)


def test_a_loss_that_follows_the_law_is_foreseen_exactly() -> None:
    grid = np.geomspace(1.0, 0.05, 20_000)
    at = 50 / grid * np.log(1 / grid)
    losses = np.interp(np.arange(200), at, grid).astype(np.float64)
    left = Progress("stateful").left(losses, 0, 0.1, 100.0)
    assert left.mean == pytest.approx(50 / 0.1 * math.log(10) - 199, rel=1e-3)


def test_variance_reduced_gradients_have_a_rate_of_their_own() -> None:
    losses = np.asarray(0.9 ** np.arange(30), np.float64)
    left = Progress("stateful", "linear").left(losses, 0, 0.01, 100.0)
    assert left.mean == pytest.approx(math.log(0.01) / math.log(0.9) - 29, rel=1e-6)


def test_a_loss_that_does_not_fall_says_nothing_of_the_end() -> None:
    assert Progress("stateful").left(np.array([0.5, 0.6, 0.7]), 0, 0.1, 1.0).mean == math.inf


def test_an_unknown_estimator_is_refused() -> None:
    with pytest.raises(StudyError, match="unknown estimator of progress 'statefull'"):
        Progress("statefull")


def segment(setting: dict[str, object], losses: list[float], seconds: float, first: int) -> Segment:
    return Segment(setting, first, [Iteration(loss, seconds, 1.0) for loss in losses])


def test_the_managers_data_are_the_first_loss_and_the_seconds_left_of_each_setting() -> None:
    a, b = SPACE.configs[0], SPACE.configs[70]
    first = segment(a, [0.9, 0.8, 0.7], 2.0, 0)
    second = segment(b, [0.69, 0.6, 0.5], 1.0, 3)
    manager = SelfTf(SPACE, Until(loss=0.1))
    rows = manager.training_data(Situation([first, second], 0.5, 6, 9.0))
    assert rows is not None
    x, y = rows
    assert x[:, -1].tolist() == [0.9, 0.69]
    left = Progress("stateful").left(first.losses, 0, 0.1, 90.0)
    assert y[1] == pytest.approx(
        (float(Progress("stateful").left(second.losses, 3, 0.1, 90.0).mean) + 2) * 1.0
    )
    assert y[0] == pytest.approx((float(left.mean) + 2) * 2.0)


def test_a_switch_that_costs_more_than_it_may_save_is_not_made() -> None:
    job = Landscape(0)
    settings = [SPACE.configs[i] for i in range(0, 144, 6)][:22]
    seen, first = [], 0
    for setting in settings:
        job.begin(setting)
        told = job.run(6)
        seen.append(Segment(setting, first, list(told)))
        first += 6
    seen[-1].planned = 6
    manager = SelfTf(SPACE, Until(loss=0.1), each=6)
    situation = Situation(seen, seen[-1].losses[-1], 0.0, job.now)
    dear = ReconfigurationCosts(unknown=1e12)
    assert manager.decide(situation, dear).setting == settings[-1]
    free = ReconfigurationCosts(unknown=0.0)
    assert manager.decide(situation, free).setting != settings[-1]


def test_the_initialisation_tries_so_many_settings_of_an_orthogonal_sample() -> None:
    job, tuner = Landscape(0), Tuner(SPACE, "loss <= 0.6", manager="selftf")
    job.begin(tuner.setting)
    follow(job, tuner)
    first = [SPACE.key(each.setting) for each in tuner.switches[:21]]
    assert len(set(first)) == 21
    assert tuner.switches[0].iterations == 4  # a, the number of workers


@pytest.mark.parametrize("each", [7, lambda setting: 7])
def test_the_iterations_of_a_setting_may_be_told(each: int | Callable[[Config], int]) -> None:
    job, tuner = Landscape(0), Tuner(SPACE, "loss <= 0.6", manager="selftf", each=each)
    job.begin(tuner.setting)
    follow(job, tuner)
    assert {stretch.iterations for stretch in tuner.switches[:21]} == {7}


@pytest.mark.parametrize("until", ["samples >= 1000", "variance <= 1e-6"])
def test_an_end_without_a_target_loss_is_refused_at_the_start(until: str, tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    with pytest.raises(ProblemError, match="selftf estimates when a loss is reached, and until is"):
        Tuner(SPACE, until, manager="selftf", storage=store, name="refused")
    assert Tuner(SPACE, "loss <= 0.6", storage=store, name="refused").iterations == 0


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"least": 0.1}, "least is 0.1, and the training ends at a loss of 0.1"),
        ({"m": 0}, "m is 0; expected a number of settings, 1 or above"),
    ],
)
def test_what_the_manager_cannot_work_with_is_refused(told: dict[str, Any], said: str) -> None:
    with pytest.raises(ProblemError, match=said):
        SelfTf(SPACE, Until(loss=0.1), **told)


def test_an_orthogonal_sample_covers_pairs_of_parameters() -> None:
    sample = orthogonal(SPACE, 49, np.random.default_rng(0))
    pairs = {(each["servers"], each["workers"]) for each in sample}
    assert len(pairs) == 16


def test_an_unknown_manager_is_refused() -> None:
    with pytest.raises(StudyError, match="unknown manager 'selftf2'"):
        Tuner(SPACE, "loss <= 0.6", manager="selftf2")
