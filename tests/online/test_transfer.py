"""A past training that is similar shortens the tries; one that misleads costs next to nothing."""

import numpy as np
import pytest

from tests.online.landscape import SPACE, Landscape
from tunewise.online import Tuner, follow
from tunewise.online.belief.summary import Summary
from tunewise.space import Config
from tunewise.storage import MemoryStore


def kinds(old: Config, new: Config) -> frozenset[str]:
    return frozenset() if old == new else frozenset({"II"})


def trained(job: Landscape, store: MemoryStore, name: str, transfer: bool) -> Tuner:
    job.begin(SPACE.configs[0])
    tuner = Tuner(
        SPACE, "loss <= 0.25", storage=store, name=name, transfer=transfer, classify=kinds
    )
    follow(job, tuner)
    return tuner


def explored(tuner: Tuner) -> float:
    """Seconds until the setting that ran longest was first tried."""
    longest = max(tuner.switches, key=lambda each: each.iterations).setting
    at = 0.0
    for each in tuner.switches:
        if each.setting == longest:
            return at
        at += each.seconds * each.iterations + each.reconfiguration
    return at


def test_the_best_setting_of_a_similar_training_is_found_at_once() -> None:
    store = MemoryStore()
    trained(Landscape(1), store, "past", transfer=False)
    alone = trained(Landscape(1, noise=0.003), MemoryStore(), "new", transfer=True)
    helped = trained(Landscape(1, noise=0.003), store, "new", transfer=True)
    assert explored(helped) < explored(alone) / 2
    assert helped.seconds < alone.seconds


@pytest.mark.long
def test_a_misleading_training_costs_next_to_nothing() -> None:
    ratios = []
    for seed in (2, 5):
        store = MemoryStore()
        past = Landscape(seed)
        past.seconds = past.seconds.min() * past.seconds.max() / past.seconds  # turned round
        trained(past, store, "past", transfer=False)
        alone = trained(Landscape(seed), MemoryStore(), "new", transfer=True)
        misled = trained(Landscape(seed), store, "new", transfer=True)
        ratios.append(misled.seconds / alone.seconds)
    assert np.mean(ratios) < 1.05 and max(ratios) < 1.1


def summary(seconds: list[float]) -> Summary:
    keys = tuple((i,) for i in range(len(seconds)))
    return Summary(keys, tuple({"a": i} for i in range(3)), np.array(seconds), np.zeros(3))


def test_trainings_agree_that_differ_by_a_common_factor() -> None:
    one, twice = summary([0.0, 1.0, 2.0]), summary([0.7, 1.7, 2.7])
    expected = np.sqrt(2 * 1.0**2 / 4)
    assert one.disagreement(twice) == pytest.approx((expected, expected))
    assert one.shift(twice)[0] == pytest.approx(-0.7)
    turned = summary([2.0, 1.0, 0.0])
    assert one.disagreement(turned)[0] == pytest.approx(np.sqrt((2 * 1.0**2 + 8) / 4))
