"""What the papers recommend, by hand: the argmax of the models, or the best run."""

from math import exp, log

import numpy as np
import pytest

import tunewise as tw
from tests.belief.tiny import problem, ran, written
from tests.extras import late
from tests.tables import table_path
from tunewise.history import History
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.strategy.published.incumbent import Incumbent, best_full_run, best_run
from tunewise.surrogate.scale import SCALES

norm = late("scipy.stats", "norm")

SLICED = problem(4, (0.5, 1.0), maximize="accuracy", subject_to="cost <= 0.1")
# Config 0 was tried, 1 is predicted better and unsure, 2 is better still and too dear, 3 is poor.
RAN = History([ran(0, 0.5, accuracy=0.7, cost=0.02)])
ACCURACY = ([0.9, 1.0, 0.9, 1.1, 1.4, 1.5, 0.1, 0.2], [0.1, 0.1, 0.5, 0.5, 0.1, 0.1, 0.1, 0.1])


def cost(*full: float) -> tuple[list[float], list[float]]:
    """Log costs of the four configs on the full data, a fifth unsure."""
    return [m for usd in full for m in (log(usd / 2), log(usd))], [0.2] * 8


def test_line_20_takes_the_best_prediction_among_the_feasible_without_caution() -> None:
    # 0.2 deviations and a probability of 0.9: up to 0.1 exp(-1.2816 * 0.2) = 0.0774 USD.
    most = 0.1 * exp(-norm.ppf(0.9) * 0.2)
    costs = cost(0.05, 0.999 * most, 1.001 * most, 0.05)
    posterior = written(SLICED, {"accuracy": ACCURACY, "cost": costs}, RAN)
    found = Incumbent(0.9)(posterior)
    assert (found.config["x"], found.fraction) == (1, 1.0)
    assert found.feasible == pytest.approx(0.9, abs=2e-3)


def test_where_nothing_is_feasible_enough_the_likeliest_is_taken() -> None:
    posterior = written(SLICED, {"accuracy": ACCURACY, "cost": cost(0.2, 0.15, 0.3, 0.4)}, RAN)
    assert Incumbent(0.9)(posterior).config["x"] == 1


def test_fabolas_does_not_see_limits_and_takes_what_was_tested() -> None:
    costs = cost(0.5, 0.05, 0.5, 0.05)
    history = History([*RAN, ran(3, 0.5, 1, accuracy=0.6, cost=0.02)])
    posterior = written(SLICED, {"accuracy": ACCURACY, "cost": costs}, history)
    assert Incumbent(None, tested=True)(posterior).config["x"] == 0
    assert Incumbent(None)(posterior).config["x"] == 2


def test_the_best_run_is_what_was_measured_whatever_the_models_say() -> None:
    wanted = problem(2, (0.5, 1.0), minimize="cost", subject_to="accuracy >= 0.8", deploy="any")
    history = History(
        [
            ran(0, 0.5, 0, accuracy=0.81, cost=0.1),
            ran(1, 0.5, 1, accuracy=0.79, cost=0.01),
            ran(1, 1.0, 2, accuracy=0.9, cost=0.2),
        ]
    )
    beliefs = {"cost": ([-9.0] * 4, [0.1] * 4), "accuracy": ([-9.0] * 4, [0.1] * 4)}
    posterior = written(wanted, beliefs, history)
    assert (best_run(posterior).config["x"], best_run(posterior).fraction) == (0, 0.5)
    assert (best_full_run(posterior).config["x"], best_full_run(posterior).fraction) == (1, 1.0)


def test_as_published_shares_are_modelled_by_their_logarithm() -> None:
    scale = SCALES["logarithm"]
    assert scale.forward(np.array([0.5])) == pytest.approx([log(0.5)])
    assert scale.backward(np.array([log(0.5), 0.3])) == pytest.approx([0.5, 1.0])


@pytest.mark.parametrize(("name", "least"), [("trimtuner_paper", 0.9), ("fabulinus_paper", 0.99)])
def test_every_recommendation_on_a_measured_table_is_the_papers_argmax(
    name: str, least: float
) -> None:
    table = tw.Table(
        table_path("trimtuner/cnn.csv"),
        config=["vm", "vms", "learning_rate", "batch_size", "mode"],
        fraction="fraction",
        metrics=["accuracy", "time", "cost"],
    )
    wanted = tw.Problem(
        table.space, maximize="accuracy", subject_to="cost <= 0.1", fractions=table.fractions
    )
    few = {"initial": 1, "samples": 1} if name == "fabulinus_paper" else {}
    strategy = tw.strategy(name, **few).build(wanted, 3)
    assert isinstance(strategy, ModelBased)
    history = History()
    for number in range(8):
        (asked,) = strategy.suggest(history, 1)
        trial = tw.Trial(number, asked.config, asked.fraction, asked.snapshots)
        history = History([*history, trial.told(table(trial))])
        posterior = strategy.posterior(history)
        assert posterior is not None
        accuracy, spent = (posterior.predict(m)[:, -1] for m in ("accuracy", "cost"))
        feasible = norm.cdf((log(0.1) - spent.mean) / spent.std)
        safe = np.flatnonzero(feasible >= least)
        by_hand = safe[accuracy.mean[safe].argmax()] if len(safe) else feasible.argmax()
        found = posterior.grid.candidates.configs.index(strategy.recommend(history).config)
        value = accuracy.mean if len(safe) else feasible
        assert value[found] == pytest.approx(value[by_hand], rel=1e-5)
        assert not len(safe) or feasible[found] >= least
