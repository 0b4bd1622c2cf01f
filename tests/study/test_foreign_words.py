"""What people type who come from other tools is taken, or answered with the line to write."""

from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tunewise.errors import ProblemError, SpaceError, StrategyError, StudyError

SPACE = tw.Space(tw.Real("x", 0, 1))


def problem(**wanted: Any) -> tw.Problem:
    return tw.Problem(SPACE, **{"maximize": "accuracy", **wanted})


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"n_trials": 20}, r"has no argument 'n_trials'; write trials=20"),
        ({"n_jobs": 2}, "write parallel=2"),
        ({"max_trials": 3}, "write trials=3"),
        ({"catch": ()}, "a trial that fails does not end the run"),
        ({"trial": 20}, "did you mean 'trials'"),
    ],
)
def test_a_run(given: dict[str, Any], line: str) -> None:
    with pytest.raises(StudyError, match=line):
        tw.Study(problem()).optimize(lambda trial: {"accuracy": 1.0}, **given)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"study_name": "s"}, "write name='s'"),
        ({"direction": "maximize"}, "maximize= or minimize= in tunewise.Problem"),
        ({"sampler": object()}, "strategy='cherrypick'"),
        ({"sead": 1}, "did you mean 'seed'"),
    ],
)
def test_a_study(given: dict[str, Any], line: str) -> None:
    with pytest.raises(StudyError, match=line):
        tw.Study(problem(), **given)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"direction": "maximize"}, "maximize='accuracy' or minimize='loss'"),
        ({"constraints": "cost <= 1"}, "write subject_to='cost <= 1'"),
        ({"limits": "cost <= 1"}, "write subject_to='cost <= 1'"),
        ({"price": "cheap"}, "expected USD per hour: a number, '0.36 USD/h', or a function"),
        ({"price": -1}, "expected USD per hour"),
        ({"subject_to": "time <= 5 USD"}, "'5 USD' is no time; expected such as '5 min'"),
        ({"subject_to": "cost <= 5 min"}, "'5 min' is no cost; expected such as '0.10 USD'"),
    ],
)
def test_a_problem(given: dict[str, Any], line: str) -> None:
    with pytest.raises(ProblemError, match=line) as refused:
        problem(**given)
    assert "did you mean" not in str(refused.value)


@pytest.mark.parametrize(
    "several", ["time <= 5 min and cost <= 1", "time <= 5 min, cost <= 1", "time<=5 min&&cost <= 1"]
)
def test_several_limits_in_one(several: str) -> None:
    with pytest.raises(
        ProblemError, match=r"more than one limit; write \['time ?<= ?5 min', 'cost"
    ):
        problem(subject_to=several)


@pytest.mark.parametrize(("name", "ours"), [("tpe", "cherrypick"), ("ASHA", "hyperband")])
def test_a_strategy(name: str, ours: str) -> None:
    with pytest.raises(StrategyError, match=f"no strategy '{name}'; write strategy='{ours}'"):
        tw.Study(problem(), strategy=name)


def test_one_price_for_all_configs_is_a_number_and_is_kept(tmp_path: Path) -> None:
    priced = problem(price=0.36)
    assert priced.cost({"x": 0.5}, 100.0) == pytest.approx(0.01)
    again = tw.Problem.from_description(priced.describe())
    assert again.cost({"x": 0.5}, 100.0) == pytest.approx(0.01)
    assert again.lost == ()
    url = f"sqlite:///{tmp_path / 's.db'}"
    tw.Study(priced, storage=url, name="s").close()
    with pytest.raises(StudyError, match="price was 0.36 and is 0.5"):
        tw.Study(problem(price=0.5), storage=url, name="s")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("best_params", r"write study\.recommend\(\)\.config"),
        ("best_value", r"write study\.best\.metrics\[study\.problem\.objective\]"),
        ("best_trial", r"write study\.best$"),
        ("trials", r"write study\.history$"),
        ("trials_dataframe", r"write study\.dataframe\(\)"),
        ("enqueue_trial", r"write study\.enqueue\(config\)"),
        ("add_trial", r"write study\.enqueue\(config\), then study\.tell"),
        ("study_name", r"write study\.name$"),
        ("directions", r"write study\.problem\.goal$"),
        ("get_trials", r"write study\.history$"),
        ("sampler", r"write study\.strategy$"),
    ],
)
def test_attributes_of_a_study(name: str, line: str) -> None:
    with tw.Study(problem(), "random", seed=0) as study:
        assert not hasattr(study, name)
        with pytest.raises(AttributeError, match=f"a Study has no '{name}'; {line}"):
            getattr(study, name)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("suggest_float", r"write trial\.config\[name\]: trials name"),
        ("suggest_int", r"write trial\.config\[name\]"),
        ("params", r"write trial\.config$"),
        ("reason", r"write trial\.outcome\.reason"),
        ("report", r"write study\.report\(trial, "),
        ("should_prune", r"write study\.verdict\(trial"),
    ],
)
def test_attributes_of_a_trial_that_was_asked_for(name: str, line: str) -> None:
    with tw.Study(problem(), "random", seed=0) as study:
        trial = study.ask()
        with pytest.raises(AttributeError, match=f"a Trial has no '{name}'; {line}"):
            getattr(trial, name)


def test_a_study_is_created_by_its_class() -> None:
    with pytest.raises(AttributeError, match=r"'create_study'; write tunewise\.Study\("):
        getattr(tw, "create_study")  # noqa: B009 - mypy knows that there is none


def test_a_value_for_a_parameter_that_does_not_apply() -> None:
    space = tw.Space(
        tw.Choice("opt", ["sgd", "adam"]),
        tw.Real("momentum", 0, 0.99, when={"opt": ["sgd"]}),
        tw.Real("rate", 0, 1),
    )
    with (
        tw.Study(tw.Problem(space, maximize="accuracy"), "random", seed=0) as study,
        pytest.raises(SpaceError, match="'momentum', which applies only when opt is 'sgd'"),
    ):
        study.enqueue({"opt": "adam", "momentum": 0.5})


def test_a_sign_may_have_a_space_in_it() -> None:
    assert [str(limit) for limit in problem(subject_to="time < = 3").constraints] == ["time <= 3"]


@pytest.mark.parametrize(
    ("name", "line"), [("Float", "Real("), ("Int", "Integer("), ("Categorical", "Choice(")]
)
def test_a_parameter(name: str, line: str) -> None:
    with pytest.raises(AttributeError, match=f"'{name}'; write tunewise.{line[:-1]}"):
        getattr(tw, name)


def test_a_list_of_configs_is_no_config() -> None:
    with pytest.raises(StudyError, match="expected one dict of parameters to values"):
        tw.Study(problem()).enqueue([{"x": 0.5}])  # type: ignore[arg-type] # as Optuna's users do


def test_a_study_that_is_loaded_as_elsewhere(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 's.db'}"
    with pytest.raises(StudyError, match="has no argument 'study_name'; write name='a'"):
        tw.load_study(study_name="a", storage=url)  # type: ignore[call-arg] # as Optuna's users do
    with pytest.raises(StudyError, match=r"expected load_study\(storage, name\)"):
        tw.load_study("a", url)


@pytest.mark.parametrize("name", ["samplers", "pruners", "TrialPruned", "Tuner", "Scheduler"])
def test_a_part_of_optuna(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; (write|leave it out)"):
        getattr(tw, name)


_TW: Any = tw  # what mypy refuses is what is tried


def _study() -> Any:
    return tw.Study(problem(), "random", seed=0)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: _TW.Space(x=_TW.Real("x", 0, 1)), r"write tunewise\.Space\(tunewise\.Real\('x'"),
        (lambda: _TW.Real("rate", [0, 1]), r"its two ends, as in tunewise\.Real\('rate', 1e-5"),
        (lambda: _TW.Integer("n", 1, 8, stp=2), "did you mean 'step'"),
        (lambda: _study().ask({"x": 0.5}), r"after study\.enqueue\("),
        (lambda: _study().tell(0, state="pruned"), r"tunewise\.TimedOut\('pruned"),
        (lambda: _study().tell(0), r"missing .*'outcome'; write study\.tell\(trial, \{"),
        (lambda: _study().ask().user_attrs, r"write trial\.metrics"),
        (lambda: _study().ask().values, r"write trial\.metrics"),
        (lambda: _study().ask().duration, r"write trial\.metrics\['time'\]"),
        (lambda: _TW.visualization, r"write tunewise\.plot\.best_so_far"),
        (lambda: _TW.delete_study, r"tunewise delete NAME"),
        (lambda: _TW.plot.optimization_history, r"write tunewise\.plot\.best_so_far\(study\)"),
        (lambda: _TW.plot.plot_param_importances, r"write tunewise\.plot\.importance\(study\)"),
        (lambda: _TW.plot.limit, "did you mean 'limits'"),
    ],
)
def test_what_is_called_otherwise_elsewhere(call: Any, line: str) -> None:
    with pytest.raises((AttributeError, SpaceError, StudyError), match=line):
        call()
