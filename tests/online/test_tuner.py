import math
import time

import numpy as np
import pytest

from tests.online.landscape import SPACE, Landscape
from tunewise.errors import MeasurementError, SpaceError, StudyError
from tunewise.online import Tuner, follow
from tunewise.space import Config, Ordinal, Space


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


@pytest.mark.parametrize("wrong", [math.nan, math.inf, "0.1", True])
def test_a_loss_that_is_no_number_is_refused(wrong: object) -> None:
    with pytest.raises(MeasurementError, match="loss is"):
        Tuner(SPACE, "loss <= 0.1").report(wrong)  # type: ignore[arg-type] # what a person may pass


def test_a_default_outside_of_the_space_is_refused() -> None:
    with pytest.raises(SpaceError):
        Tuner(SPACE, "loss <= 0.1", default={"servers": 3})


def test_a_report_costs_next_to_nothing_between_decisions() -> None:
    tuner = Tuner(Space(Ordinal("workers", [0])), "samples >= 1e9")
    for _ in range(200):
        tuner.report(samples=1, seconds=0.1)
    began = time.process_time()
    for _ in range(100):
        tuner.report(samples=1, seconds=0.1)
    assert (time.process_time() - began) / 100 < 0.01
