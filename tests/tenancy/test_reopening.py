"""Models may be trained again: after a machine was lost, and when the data have changed."""

import pytest

from tunewise.errors import TenancyError
from tunewise.tenancy import Pick, Scheduler

MODELS = ["ridge", "trees", "lenet"]


def _all_told(scheduler: Scheduler) -> list[Pick]:
    picks = []
    while (pick := scheduler.next()) is not None:
        scheduler.tell(pick, 0.5 + 0.1 * MODELS.index(pick.model), 1.0)
        picks.append(pick)
    return picks


@pytest.mark.parametrize("rule", ["hybrid", "easeml", "round_robin", "fcfs", "greedy"])
def test_a_cancelled_pick_is_given_out_again(rule: str) -> None:
    scheduler = Scheduler(MODELS, rule, fractions=(0.5,))
    scheduler.join("anna")
    first = scheduler.next()
    assert first is not None
    scheduler.cancel(first)
    assert scheduler.running == []
    assert first.model in [pick.model for pick in _all_told(scheduler)]


def test_what_another_process_picked_is_taken_over() -> None:
    here, there = (Scheduler(MODELS, seed=0) for _ in range(2))
    here.join("anna")
    there.join("anna")
    for _ in range(2):
        pick = there.next()
        assert pick is not None
        there.tell(pick, 0.7, 1.0)
        here.tell(here.take(pick.user, pick.model, pick.fraction), 0.7, 1.0)
    last, same = there.next(), here.next()
    assert last is not None
    assert same is not None
    assert same.model == last.model
    with pytest.raises(TenancyError, match="is not open"):
        here.take("anna", last.model)


def test_changed_data_open_all_models_again_and_the_old_measurements_count_less() -> None:
    scheduler = Scheduler(MODELS)
    scheduler.join("anna")
    assert len(_all_told(scheduler)) == 3
    assert scheduler.next() is None
    scheduler.reopen("anna", ["trees"])
    assert [pick.model for pick in _all_told(scheduler)] == ["trees"]
    scheduler.reopen("anna")
    again = _all_told(scheduler)
    assert sorted(pick.model for pick in again) == sorted(MODELS)
    assert again[0].model == "lenet", "the best one before is the most promising one now"


def test_a_model_that_failed_is_tried_again_on_changed_data() -> None:
    scheduler = Scheduler(["ridge"])
    scheduler.join("anna")
    pick = scheduler.next()
    assert pick is not None
    scheduler.fail(pick, 1.0)
    assert scheduler.next() is None
    scheduler.reopen("anna")
    assert scheduler.next() is not None


def test_a_user_without_slices_has_every_model_trained_on_all_data() -> None:
    scheduler = Scheduler(MODELS, fractions=(0.1, 0.5))
    scheduler.join("anna", slices=False)
    assert [pick.fraction for pick in _all_told(scheduler)] == [1.0] * 3
    scheduler.reopen("anna")
    scheduler.add_model("vgg")
    picks = []
    while (pick := scheduler.next()) is not None:
        scheduler.tell(pick, 0.5, 1.0)
        picks.append((pick.model, pick.fraction))
    assert sorted(picks) == sorted((model, 1.0) for model in [*MODELS, "vgg"])
