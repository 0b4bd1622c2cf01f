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


@pytest.mark.parametrize("seed", range(3))
def test_what_is_pruned_beside_it_does_not_count_against_the_best_that_ran(seed: int) -> None:
    def train(trial: Any) -> dict[str, float]:
        if trial.config["x"] > 0.6:
            raise TrialPruned
        return {"accuracy": trial.config["x"]}

    study = tw.Study(tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy"), seed=seed)
    answer = study.optimize(train, trials=10, progress=False)
    best = study.history.best(study.problem)
    assert answer and best and answer.config == best.config and answer.feasible == 1
    pruned = [trial for trial in study.history if trial.config["x"] > 0.6]
    assert pruned and {trial.status for trial in pruned} == {"pruned"}
    assert "pruned: the training raised" in repr(pruned[0]) and "failed" not in repr(pruned[0])


def test_what_pruned_itself_is_not_tried_again_where_others_are() -> None:
    def train(trial: Any) -> dict[str, float]:
        if trial.config["kind"] == "c":
            raise TrialPruned
        return {"accuracy": 0.5 + 0.1 * (trial.config["kind"] == "a") + 0.01 * (trial.number % 3)}

    space = tw.Space(tw.Choice("kind", ["a", "b", "c"]))
    study = tw.Study(tw.Problem(space, maximize="accuracy"), seed=0)
    study.optimize(train, trials=12, progress=False)
    kinds = [trial.config["kind"] for trial in study.history]
    assert kinds.count("c") == 1 and len(kinds) > 3
