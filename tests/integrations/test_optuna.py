"""TunewiseSampler beyond Optuna's own tests: slices, limits, parallel trials, imports."""

import math
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

optuna = pytest.importorskip("optuna", reason="needs optuna: pip install 'tunewise[optuna]'")

import tunewise as tw  # noqa: E402 - optuna may be absent
from tunewise.errors import StrategyError, StudyError, TunewiseWarning  # noqa: E402
from tunewise.integrations.optuna import TunewiseSampler, history_of, load_history  # noqa: E402


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield


def bowl(trial: Any) -> float:
    x, y = trial.suggest_float("x", -5, 5), trial.suggest_float("y", -5, 5)
    return float((x - 1) ** 2 + (y + 2) ** 2)


def best_of(sampler: Any, objective: Any, trials: int = 20) -> float:
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=trials)
    return float(study.best_value)


def test_it_beats_random_sampling() -> None:
    ours = [best_of(TunewiseSampler(seed=seed), bowl) for seed in range(3)]
    drawn = [best_of(optuna.samplers.RandomSampler(seed=seed), bowl) for seed in range(3)]
    assert max(ours) < min(drawn)


def test_the_same_seed_suggests_the_same() -> None:
    def params(seed: int) -> list[dict[str, Any]]:
        study = optuna.create_study(sampler=TunewiseSampler("random", seed=seed))
        study.optimize(bowl, n_trials=6)
        return [trial.params for trial in study.trials]

    assert params(1) == params(1)
    assert params(1) != params(2)


def slow_to_learn(trial: Any) -> float:
    """An accuracy that small slices underrate alike, at a cost that is told."""
    x = trial.suggest_float("x", 0, 1)
    fraction = trial.suggest_categorical("fraction", [1 / 16, 1 / 4, 1])
    trial.set_user_attr("cost", fraction * (1 + x))
    return float(1 - (x - 0.7) ** 2 - 0.2 * (1 - fraction))


def test_an_objective_with_a_fraction_is_tried_on_slices_and_recommended_at_the_full_data() -> None:
    missed = []
    for seed in range(3):
        sampler = TunewiseSampler(seed=seed)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        study.optimize(slow_to_learn, n_trials=15)
        fractions = [trial.params["fraction"] for trial in study.trials]
        assert fractions[0] == 1 / 16
        assert sum(fractions) < 8
        best = sampler.recommend(study)
        assert best.fraction == 1.0
        assert "fraction" not in best.config
        missed.append(abs(float(best.config["x"]) - 0.7))
    # The path of one search is luck: .17, .06 and .01 here, and at most .13 in 13 more.
    assert sorted(missed)[1] <= 0.1


def test_any_fraction_of_a_range_may_be_suggested() -> None:
    sampler = TunewiseSampler(seed=0)
    study = optuna.create_study(sampler=sampler)

    def objective(trial: Any) -> float:
        trial.set_user_attr("cost", trial.suggest_float("fraction", 0.01, 1.0))
        return float(trial.suggest_float("x", 0, 1))

    study.optimize(objective, n_trials=6)
    assert {t.params["fraction"] for t in study.trials} <= {1 / 64, 1 / 16, 1 / 4, 1.0}


def test_a_fraction_that_the_objective_chose_is_told_as_an_attribute() -> None:
    sampler = TunewiseSampler("cherrypick", seed=0)
    study = optuna.create_study(sampler=sampler)

    def objective(trial: Any) -> float:
        trial.set_user_attr("fraction", 0.25 if trial.number % 2 else 1.0)
        return float(trial.suggest_float("x", 0, 1))

    study.optimize(objective, n_trials=6)
    assert [t.fraction for t in history_of(study)] == [1.0, 0.25] * 3


def test_a_limit_on_an_attribute_is_kept() -> None:
    sampler = TunewiseSampler(seed=0, subject_to=["memory <= 4"])
    study = optuna.create_study(direction="maximize", sampler=sampler)

    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", 0, 10)
        trial.set_user_attr("memory", x)
        return float(x)

    study.optimize(objective, n_trials=15)
    best = sampler.recommend(study)
    assert 3 < best.config["x"] <= 4
    assert best.feasible > 0.5


@pytest.mark.parametrize("way", ["set_constraint", "constraints_func"])
def test_constraints_of_optuna_are_kept(way: str) -> None:
    func = (lambda trial: (trial.params["x"] - 4,)) if way == "constraints_func" else None
    sampler = TunewiseSampler(seed=0, constraints_func=func)
    study = optuna.create_study(direction="maximize", sampler=sampler)

    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", 0, 10)
        if func is None:
            trial.set_constraint("not too far", x - 4)
        return float(x)

    study.optimize(objective, n_trials=15)
    assert 3 < study.best_trial.params["x"] <= 4
    assert 3 < sampler.recommend(study).config["x"] <= 4


def test_trials_that_run_at_once_differ() -> None:
    study = optuna.create_study(sampler=TunewiseSampler(seed=0))
    study.optimize(bowl, n_trials=6)
    asked = [study.ask() for _ in range(3)]
    assert len({trial.suggest_float("x", -5, 5) for trial in asked}) == 3


def test_a_choice_may_be_anything_that_optuna_allows() -> None:
    study = optuna.create_study(sampler=TunewiseSampler(seed=0))
    choices = [None, True, 1, "1"]

    def objective(trial: Any) -> float:
        return float(choices.index(trial.suggest_categorical("c", choices)))

    study.optimize(objective, n_trials=8)
    assert len({repr(t.params["c"]) for t in study.trials}) >= 3


def test_failed_and_pruned_trials_do_not_stop_the_search() -> None:
    study = optuna.create_study(sampler=TunewiseSampler(seed=0))

    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", 0, 1)
        if trial.number % 3 == 1:
            raise optuna.TrialPruned
        if trial.number % 3 == 2:
            raise RuntimeError("out of memory")
        return float(x)

    study.optimize(objective, n_trials=12, catch=RuntimeError)
    assert len(study.trials) == 12


@pytest.mark.parametrize("end", [optuna.TrialPruned, ValueError])
def test_what_was_pruned_or_failed_is_not_suggested_again(end: type[Exception]) -> None:
    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", 0, 1)
        if x > 0.5:
            raise end
        return float((x - trial.suggest_float("best", 0.3, 0.3 + 1e-9)) ** 2)

    for seed in range(2):
        study = optuna.create_study(sampler=TunewiseSampler(seed=seed))
        study.optimize(objective, n_trials=14, catch=(ValueError,))
        asked = [trial.params["x"] for trial in study.trials]
        assert len({*asked}) == 14
        assert abs(study.best_params["x"] - 0.3) < 0.1


def test_it_searches_well_beside_the_default_pruner() -> None:
    def objective(trial: Any) -> float:
        rate = trial.suggest_float("rate", 1e-5, 1, log=True)
        momentum = trial.suggest_float("momentum", 0, 0.99)
        top = 0.95 - 0.06 * (math.log10(rate) + 2.3) ** 2 - 0.15 * (momentum - 0.85) ** 2
        score = 0.0
        for epoch in range(1, 11):
            score = max(top, 0.1) * (1 - math.exp(-epoch / 3))
            trial.report(score, epoch)
            if trial.should_prune():
                raise optuna.TrialPruned
        return score

    study = optuna.create_study(
        direction="maximize",
        sampler=TunewiseSampler(seed=0),
        pruner=optuna.pruners.MedianPruner(),
    )
    study.optimize(objective, n_trials=20)
    pruned = [t for t in study.trials if t.state == optuna.trial.TrialState.PRUNED]
    assert pruned and len({tuple(t.params.values()) for t in study.trials}) == 20
    assert study.best_value > 0.94 * (1 - math.exp(-10 / 3))


def test_a_study_in_a_storage_goes_on_in_another_process(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'optuna.db'}"
    for _ in range(2):
        sampler = pickle.loads(pickle.dumps(TunewiseSampler(seed=0)))
        study = optuna.create_study(
            storage=url, study_name="s", sampler=sampler, load_if_exists=True
        )
        study.optimize(bowl, n_trials=6)
    assert len(study.trials) == 12
    assert study.best_value < 5


def test_an_optuna_study_is_a_warm_start_of_ours(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'optuna.db'}"
    theirs = optuna.create_study(storage=url, study_name="old", direction="maximize")
    theirs.optimize(lambda t: 1 - (t.suggest_float("x", 0, 1) - 0.3) ** 2, n_trials=15)
    told = load_history(url, "old", metrics="accuracy")
    assert len(told.complete) == 15
    assert all({"accuracy", "time"} <= {*trial.metrics} for trial in told)
    problem = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy")
    study = tw.Study(problem, seed=0, warm_start=told)
    first = study.ask()
    assert first.config["x"] == pytest.approx(0.3, abs=0.25)
    with pytest.raises(StudyError, match=r"of an Optuna study: .*history_of\(study, 'loss'\)"):
        tw.Study(problem, seed=0, warm_start=theirs)


def test_a_study_that_is_not_there_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'optuna.db'}"
    optuna.create_study(storage=url, study_name="digits")
    with pytest.raises(StudyError, match="no study 'digit'; did you mean 'digits'"):
        load_history(url, "digit")
    with pytest.raises(StudyError, match="1 values a trial; expected so many names"):
        load_history(url, "digits", metrics=["accuracy", "cost"])
    with pytest.raises(StudyError, match=r"history_of\(study\) for a study that is at hand"):
        load_history(optuna.load_study(study_name="digits", storage=url))


def test_nothing_is_recommended_of_nothing() -> None:
    sampler = TunewiseSampler(seed=0)
    with pytest.raises(StrategyError, match="no complete trial"):
        sampler.recommend(optuna.create_study(sampler=sampler))


def test_several_objectives_are_searched() -> None:
    study = optuna.create_study(
        directions=["minimize", "maximize"], sampler=TunewiseSampler(seed=0)
    )
    study.optimize(lambda t: (t.suggest_float("x", 0, 1), t.suggest_float("y", 0, 1)), n_trials=10)
    assert len(study.best_trials) >= 1


@pytest.mark.parametrize("choices", [[0.1, 0.5], ["a", "b"], [0.5, 2]])
def test_a_fraction_that_is_no_share_of_the_data_is_refused_with_a_sentence(choices: Any) -> None:
    study = optuna.create_study(sampler=TunewiseSampler(seed=0))
    with pytest.raises(StrategyError, match=r"expected shares of the data.*fraction='share'"):
        study.optimize(lambda t: t.suggest_categorical("fraction", choices) or 0.0, n_trials=1)
    other = optuna.create_study(sampler=TunewiseSampler(seed=0, fraction="share"))
    other.optimize(
        lambda t: float(choices.index(t.suggest_categorical("fraction", choices))), n_trials=4
    )
    assert len(other.trials) == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"subject_to": 5}, "subject_to is 5; expected constraints"),
        ({"subject_to": ["memory"]}, "'memory' is not understood"),
        ({"subject_to": [("memory", "!", 3)]}, "uses '!'; expected <= or >="),
        ({"subject_to": [5]}, "constraint 5 is not understood"),
        ({"subject_to": ["memory <= lots"]}, "lots"),
        ({"seed": "a"}, "seed is 'a'; expected a whole number"),
        ({"seed": -1}, "seed is -1; expected a whole number"),
    ],
)
def test_senseless_options_are_refused_at_once(options: Any, said: str) -> None:
    with pytest.raises(tw.TunewiseError, match=said):
        TunewiseSampler(**options)


def test_a_limit_on_what_no_trial_told_is_said() -> None:
    sampler = TunewiseSampler(seed=0, subject_to=("memori", "<=", 3))

    def objective(trial: Any) -> float:
        trial.set_user_attr("memory", 2.0)
        return float(trial.suggest_float("x", 0, 1))

    study = optuna.create_study(sampler=sampler)
    with pytest.warns(TunewiseWarning, match="no trial told 'memori'") as warned:
        study.optimize(objective, n_trials=5)
    assert len(warned) == 1
    with pytest.raises(StrategyError, match="no trial told 'memori'.*did you mean 'memory'"):
        sampler.recommend(study)


def test_a_storage_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="there is no file"):
        load_history(f"sqlite:///{tmp_path / 'nope.db'}", "digits")
    assert not list(tmp_path.iterdir())


def chosen_method(trial: Any) -> float:
    """One method is better than the other, by parameters of its own."""
    if trial.suggest_categorical("method", ["a", "b"]) == "a":
        return float(0.5 + (trial.suggest_float("x", 0, 1) - 0.5) ** 2)
    if trial.suggest_categorical("kernel", ["linear", "rbf"]) == "linear":
        return 0.4
    return float((trial.suggest_float("gamma", 0, 1) - 0.7) ** 2)


def test_params_that_only_some_trials_have_are_searched_and_recommended() -> None:
    sampler = TunewiseSampler(seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(chosen_method, n_trials=20)
    suggested = [trial.system_attrs.get("tunewise:params", {}) for trial in study.trials]
    assert {name for params in suggested for name in params} == {"method", "x", "kernel", "gamma"}
    best = sampler.recommend(study).config
    assert (best["method"], best["kernel"]) == ("b", "rbf")
    assert best["gamma"] == pytest.approx(0.7, abs=0.1)
