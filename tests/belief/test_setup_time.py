"""Trainings that begin with a set-up bend the cost's power law: the belief must allow for it."""

import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.candidates import Candidates
from tunewise.belief.model import Model
from tunewise.history import Measurement, TrialState

SPACE = tw.Space(*(tw.Real(f"p{j}", 0.0, 1.0) for j in range(4)))
PROBLEM = tw.Problem(
    SPACE, maximize="accuracy", subject_to=["cost <= 0.05"], fractions=(1 / 60, 0.1, 1.0)
)


def cost(config: dict[str, float], fraction: float) -> float:
    return (600 * fraction * (0.2 + config["p0"]) + 5) * (1 + config["p1"]) * 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_the_full_cost_is_within_what_is_believed_though_a_setup_bends_it(seed: int) -> None:
    configs = SPACE.latin(20, np.random.default_rng(seed))
    ran = [(c, 1 / 60) for c in configs] + [(c, 0.1) for c in configs[:8]]
    history = tw.History(
        tw.Trial(n, c, s, (), TrialState.COMPLETE, Measurement({"accuracy": 0.5, "cost": usd}))
        for n, (c, s, usd) in enumerate((c, s, cost(c, s)) for c, s in ran)
    )
    others = SPACE.latin(100, np.random.default_rng(100 + seed))
    believed = Model().learn(PROBLEM, history, several=True, prior=None).metrics["cost"]
    predicted = believed.predict(Candidates.of(PROBLEM, others), 1.0)
    truth = np.log([cost(c, 1.0) for c in others])
    surprise = np.abs(truth - predicted.mean) / predicted.std
    assert np.mean(surprise < 3) > 0.9
