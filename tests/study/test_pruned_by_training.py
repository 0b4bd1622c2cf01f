"""A training that prunes itself, as those do that were written for Optuna."""

from typing import Any

import pytest

import tunewise as tw


class TrialPruned(Exception):
    """A training's own, for where Optuna is not installed."""


def own(trial: Any) -> dict[str, float]:
    if trial.suggest_int("x", 0, 9) < 5:
        raise TrialPruned
    return {"accuracy": trial.suggest_int("x", 0, 9) / 10}


def optunas(trial: Any) -> dict[str, float]:
    import optuna

    if trial.suggest_int("x", 0, 9) < 5:
        raise optuna.TrialPruned("no hope")
    return {"accuracy": trial.suggest_int("x", 0, 9) / 10}


@pytest.mark.parametrize("strategy", ["random", "cherrypick"])
@pytest.mark.parametrize("train", [own, optunas])
def test_a_training_that_raises_trialpruned_is_a_pruned_trial(train: Any, strategy: str) -> None:
    if train is optunas:
        pytest.importorskip("optuna")
    study = tw.Study(
        tw.Problem(tw.Space(tw.Integer("x", 0, 9)), maximize="accuracy"), strategy, seed=0
    )
    best = study.optimize(train, trials=10, progress=False)
    poor = [trial for trial in study.history if trial.config["x"] < 5]
    assert poor and all(trial.pruned for trial in poor)
    assert all("the training raised TrialPruned" in str(trial.outcome) for trial in poor)
    assert all(trial.spent["time"] > 0 for trial in poor)
    assert len(study.history.complete) == 10 - len(poor) and best and best.config["x"] >= 5
