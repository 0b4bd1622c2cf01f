"""What is stated of a config that was measured honours its measurements."""

import math
from collections.abc import Callable

import numpy as np
import pytest

import tunewise as tw
from tunewise.acquisition.modelled import Modelled
from tunewise.history import History, Trial

RATES = (1e-5, 4e-5, 2e-4, 7e-4, 1.1e-3, 3e-3, 2e-2, 6e-2)
Truth = Callable[[float, float], float]


def kinked(rate: float) -> float:
    return abs(math.log10(rate) + 3)


def smooth(rate: float) -> float:
    return 0.4 * (math.log10(rate) + 3) ** 2


EPOCHS: dict[str, tuple[str, Truth]] = {
    "kinked": ("share", lambda r, e: (0.9 - 0.1 * kinked(r)) * (1 - 0.5**e)),
    "smooth": ("share", lambda r, e: (0.9 - 0.1 * smooth(r)) * (1 - 0.5**e)),
    "slow": ("share", lambda r, e: 0.95 - 0.08 * smooth(r) - 0.4 * e**-0.7),
    "positive": ("positive", lambda r, e: 0.1 + 0.2 * kinked(r) + 2 * e**-0.8),
    "real": ("real", lambda r, e: -0.2 * smooth(r) - 2 * 0.6**e),
}


def stated(
    kind: str, truth: Truth, noise: float, seed: int, reports: bool = True
) -> list[tuple[tw.Normal, float]]:
    """What is said of each config that was trained to the end, and the truth."""
    rng = np.random.default_rng(seed)
    space = tw.Space(tw.Real("rate", 1e-5, 1e-1, log=True))
    fractions = (1 / 9, 1 / 3, 1.0) if reports else (1.0,)
    problem = tw.Problem(space, maximize="score", metrics={"score": kind}, fractions=fractions)

    def told(n: int, rate: float) -> Trial:
        last = (9, 9, 1, 3)[n % 4] if reports else 9
        at = {e: truth(rate, e) + noise * rng.standard_normal() for e in range(1, last + 1)}
        before = {e / 9: {"score": at[e]} for e in range(1, last)} if reports else {}
        measured = tw.Measurement({"score": at[last]}, snapshots=before)
        return Trial(n, {"rate": rate}, last / 9).told(measured)

    history = History(told(n, rate) for n, rate in enumerate(rng.permutation(RATES).tolist()))
    made = Modelled().posterior(problem, history, 0, None)
    assert made is not None
    posterior = made.stated
    return [
        (posterior.describe(trial.config, 1.0).predicted["score"], truth(trial.config["rate"], 9))
        for trial in history.full.complete
    ]


def deviations(found: list[tuple[tw.Normal, float]]) -> float:
    """How many stated deviations the truth is usually away (root mean square)."""
    return math.sqrt(np.mean([((truth - said.mean) / said.std) ** 2 for said, truth in found]))


@pytest.mark.parametrize("name", EPOCHS)
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_reports_on_the_way_do_not_outvote_the_end_of_a_training(name: str, noise: float) -> None:
    kind, truth = EPOCHS[name]
    found = [pair for seed in range(2) for pair in stated(kind, truth, noise, seed)]
    assert deviations(found) < 1.7


@pytest.mark.parametrize("shape", [kinked, smooth])
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_what_no_neighbour_explains_is_part_of_what_a_new_training_may_measure(
    shape: Callable[[float], float], noise: float
) -> None:
    def truth(rate: float, epochs: float) -> float:
        return 0.9 - 0.1 * shape(rate)

    found = [
        pair for seed in range(4) for pair in stated("share", truth, noise, seed, reports=False)
    ]
    assert deviations(found) < 1.5
