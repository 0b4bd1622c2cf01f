"""One repeat of the cheapest trial tells noise from what configs have of their own."""

import numpy as np
import pytest

import tunewise as tw
from tunewise.history.repeats import noisy, repeated

PROBLEM = tw.Problem(
    tw.Space(tw.Real("x", 0.0, 1.0), tw.Real("y", 0.0, 1.0)),
    maximize="accuracy",
    fractions=(0.1, 1.0),
)


def searched(noise: float, own: bool, trials: int = 14, probe: bool = True) -> tw.Study:
    """A search where what no neighbour foretells is of each config, or of each trial."""
    study = tw.Study(PROBLEM, tw.strategy("trimtuner", probe_noise=probe), seed=3)
    for number in range(trials):
        trial = study.ask()
        x, y = float(trial.config["x"]), float(trial.config["y"])
        seed = [int(1e6 * x), int(1e6 * y)] if own else [number]
        drawn = noise * float(np.random.default_rng(seed).standard_normal())
        accuracy = 0.8 - 0.4 * ((x - 0.4) ** 2 + (y - 0.6) ** 2) - 0.1 * (trial.fraction < 1)
        told = {"accuracy": float(np.clip(accuracy + drawn, 0.01, 0.99)), "time": trial.fraction}
        study.tell(trial, told)
    return study


def test_noise_is_found_out_by_one_repeat_on_the_smallest_slice() -> None:
    study = searched(0.1, own=False)
    assert noisy(PROBLEM, study.history)
    places = [(PROBLEM.space.key(t.config), t.fraction) for t in study.history]
    first = next(n for n, place in enumerate(places) if place in places[:n])
    assert study.history[first].fraction == 0.1
    assert first >= 8


def test_what_configs_have_of_their_own_is_asked_for_once_and_never_again() -> None:
    study = searched(0.1, own=True)
    places = [(PROBLEM.space.key(t.config), t.fraction) for t in study.history]
    assert len(places) - len(set(places)) == 1
    assert not noisy(PROBLEM, study.history)


@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_where_neighbours_foretell_each_other_nothing_is_repeated(noise: float) -> None:
    assert not repeated(PROBLEM, searched(noise, own=True).history)


def test_nothing_is_repeated_unless_it_is_asked_for() -> None:
    assert not repeated(PROBLEM, searched(0.1, own=False, probe=False).history)
