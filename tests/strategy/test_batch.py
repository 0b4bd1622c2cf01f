"""Several trials asked for at once."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import tunewise as tw
from tests.belief import tiny
from tunewise.belief.grid import Index
from tunewise.belief.posterior import Posterior
from tunewise.history import History, Measurement, Trial
from tunewise.strategy.loop.model_based import ModelBased, best_of

SPACE = tw.Space(tw.Ordinal("x", list(range(30))), tw.Ordinal("y", list(range(12))))


def job(trial: Trial) -> Measurement:
    x, y = trial.config["x"] / 29, trial.config["y"] / 11
    accuracy = 0.9 * np.exp(-((x - 0.6) ** 2) - (y - 0.3) ** 2) * trial.fraction**0.05
    return Measurement({"accuracy": float(accuracy), "time": 100 * trial.fraction * (1 + x)})


@pytest.fixture(scope="module")
def history() -> History:
    rng = np.random.default_rng(0)
    trials = [Trial(i, c, [0.1, 1.0][i % 2]) for i, c in enumerate(SPACE.sample(14, rng))]
    return History(trial.told(job(trial)) for trial in trials)


@pytest.fixture(scope="module")
def problem() -> tw.Problem:
    return tw.Problem(SPACE, maximize="accuracy", subject_to="time <= 170", fractions=(0.1, 1.0))


@pytest.mark.parametrize("name", ["trimtuner", "eic"])
def test_a_batch_begins_with_what_one_ask_gives_and_repeats_nothing(
    name: str, problem: tw.Problem, history: History
) -> None:
    strategy = tw.strategy(name).build(problem, 3)
    batch = strategy.suggest(history, 10)
    [alone] = strategy.suggest(history, 1)
    assert (batch[0].config, batch[0].fraction) == (alone.config, alone.fraction)
    assert len({(SPACE.key(s.config), s.fraction) for s in batch}) == 10


def test_a_shorter_batch_is_the_beginning_of_a_longer_one(
    problem: tw.Problem, history: History
) -> None:
    strategy = tw.strategy("trimtuner").build(problem, 3)
    long, short = (strategy.suggest(history, count) for count in (8, 4))
    assert [(s.config, s.fraction) for s in short] == [(s.config, s.fraction) for s in long[:4]]


def test_the_contenders_are_the_trials_of_most_worth() -> None:
    trials, worth = np.array([7, 3, 5, 1]), np.array([0.1, 0.9, 0.5, 0.7])
    best = best_of(trials, worth, 2)
    assert best is not None and best.tolist() == [1, 3]
    assert best_of(trials, worth, 4) is None


@pytest.mark.parametrize("seed", range(6))
def test_logarithms_that_differ_by_little_of_a_large_number_are_not_equal(seed: int) -> None:
    """A thousandth part of a logarithm is much more than a tie, however large the logarithm is."""

    @dataclass(frozen=True)
    class Tiny:
        logarithms: bool = True

        def __call__(
            self, posterior: Posterior, trials: Index, rng: np.random.Generator
        ) -> np.ndarray:
            return np.asarray(-1e4 + 1e-3 * (trials == 2), float)

    wanted = tiny.problem(5, maximize="accuracy")
    made = tiny.believing(
        tw.strategy("eic").build(wanted, seed), tiny.Fixed({"accuracy": ([0.0] * 5, [1.0] * 5)})
    )
    strategy = ModelBased(wanted, seed, replace(made.parts, acquisition=Tiny()))
    assert strategy.suggest(tw.History(), 1)[0].config == {"x": 2}
