import math
import subprocess
import sys
from pathlib import Path

import pytest

import tunewise as tw
from tunewise.errors import MeasurementError, SpaceError, StrategyError, StudyError

SPACE = tw.Space(tw.Ordinal("x", list(range(12))))


def problem(**wanted: object) -> tw.Problem:
    return tw.Problem(SPACE, **{"maximize": "accuracy", **wanted})  # type: ignore[arg-type] # a mix of keywords


def told(study: tw.Study, count: int) -> list[int]:
    asked = []
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, {"accuracy": 1 - abs(trial.config["x"] - 7) / 10, "cost": 0.5, "time": 2})
        asked.append(trial.config["x"])
    return asked


def test_ask_and_tell_build_a_history() -> None:
    study = tw.Study(problem(), strategy="random", seed=0)
    asked = told(study, 4)
    assert [t.number for t in study.history] == [0, 1, 2, 3]
    assert [t.config["x"] for t in study.history] == asked and len(set(asked)) == 4
    assert study.spent == {"cost": 2.0, "time": 8.0}
    best = study.best
    assert best is not None
    assert best.metrics["accuracy"] == max(t.metrics["accuracy"] for t in study.history)
    assert study.recommend().config == best.config


def test_a_trial_is_told_once() -> None:
    study = tw.Study(problem(), strategy="random", seed=0)
    trial = study.ask()
    study.tell(trial, {"accuracy": 0.5})
    with pytest.raises(StudyError, match="trial 0 .*already"):
        study.tell(trial, {"accuracy": 0.6})
    with pytest.raises(StudyError, match="no trial 99|trial 99"):
        study.tell(99, {"accuracy": 0.6})
    assert study.history[0].metrics == {"accuracy": 0.5}


@pytest.mark.parametrize(
    "wrong", [{"accuracy": math.nan}, {"accuracy": math.inf}, {"acuracy": 0.5}, {}, 0.5, None]
)
def test_a_wrong_measurement_is_refused_and_the_trial_stays_open(wrong: object) -> None:
    study = tw.Study(problem(), strategy="random", seed=0)
    trial = study.ask()
    with pytest.raises(MeasurementError):
        study.tell(trial, wrong)  # type: ignore[arg-type] # wrong on purpose
    study.tell(trial, {"accuracy": 0.5})
    assert len(study.history.complete) == 1


@pytest.mark.parametrize("huge", [1e300, 1.7e308])
def test_a_study_goes_on_from_a_store_that_has_what_would_be_refused_now(huge: float) -> None:
    study = tw.Study(tw.Problem(SPACE, minimize="loss"), strategy="cherrypick", seed=0)
    for number in range(6):
        trial = study.ask()
        kept = huge * (-1) ** number if number < 2 else float(trial.config["x"])
        study.store.tell(study.name, trial.number, tw.Measurement({"loss": kept}))
    assert study.ask().config["x"] in range(12)
    assert math.isfinite(study.recommend().predicted["loss"].mean)


def test_a_snapshot_must_be_smaller_than_its_trial() -> None:
    study = tw.Study(problem(fractions=(0.5, 1.0)), strategy="random", seed=0)
    study.enqueue({"x": 3}, fraction=0.5)
    trial = study.ask()
    with pytest.raises(MeasurementError, match="snapshot at 0.7"):
        study.tell(trial, tw.Measurement({"accuracy": 0.5}, {0.7: {"accuracy": 0.4}}))


def test_failures_are_booked_and_teach() -> None:
    study = tw.Study(problem(price=lambda config: 3.6), strategy="random", seed=0)
    study.tell(study.ask(), tw.Failure("out of memory", {"time": 10.0}))
    assert study.spent == {"cost": pytest.approx(0.01), "time": 10.0}
    assert study.history[0].state == tw.TrialState.FAILED
    with pytest.raises(StrategyError, match="nothing can be recommended"):
        study.recommend()


def test_a_preempted_trial_is_given_out_again_with_its_number() -> None:
    study = tw.Study(problem(), strategy="random", seed=0)
    first = study.ask()
    study.tell(first, tw.Preempted("spot reclaimed", {"cost": 0.25}))
    again = study.ask()
    assert (again.number, again.config) == (first.number, first.config)
    study.tell(again, {"accuracy": 0.5, "cost": 1.0})
    assert study.spent["cost"] == pytest.approx(1.25)
    assert len(study.history) == 1 and len(study.history.complete) == 1


def test_what_an_enqueued_config_does_not_say_is_drawn_as_the_space_allows() -> None:
    space = tw.Space(
        tw.Choice("optimizer", ["adam", "sgd"]),
        tw.Real("momentum", 0, 1, when={"optimizer": "sgd"}),
        tw.Integer("layers", 1, 9),
        where=lambda config: config["layers"] > 5,
    )
    study = tw.Study(tw.Problem(space, maximize="accuracy"), "random", seed=0)
    for given in ({"optimizer": "sgd"}, {"momentum": 0.5}, {"layers": 7}, {}):
        drawn = study.enqueue(given).config
        assert drawn.items() >= given.items()
        assert drawn in space
    with pytest.raises(SpaceError, match="no valid config was found with {'layers': 2}"):
        study.enqueue({"layers": 2})
    with pytest.raises(SpaceError, match="unknown parameter 'layer'; did you mean 'layers'"):
        study.enqueue({"layer": 7})


def test_an_enqueued_config_comes_first_and_is_checked() -> None:
    study = tw.Study(problem(), strategy="random", seed=0)
    study.enqueue({"x": 5})
    assert study.ask().config == {"x": 5}
    with pytest.raises(SpaceError, match="unknown parameter 'y'"):
        study.enqueue({"y": 5})
    with pytest.raises(SpaceError):
        study.enqueue({"x": 55})
    with pytest.raises(StudyError, match="fraction 0.3"):
        study.enqueue({"x": 5}, fraction=0.3)


def test_a_spent_budget_ends_asking() -> None:
    study = tw.Study(problem(budget=1.0), strategy="random", seed=0)
    told(study, 2)
    with pytest.raises(StudyError, match="budget of 1 USD"):
        study.ask()


def test_a_used_up_space_ends_asking_with_a_sentence() -> None:
    study = tw.Study(problem(), strategy="random", seed=0)
    assert len(set(told(study, 12))) == 12
    with pytest.raises(StudyError, match="every config of the space was tried"):
        study.ask()


def test_a_durable_study_is_resumed_by_name(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/studies.db"
    unbroken = told(tw.Study(problem(), strategy="random", seed=3), 6)
    with tw.Study(problem(), strategy="random", seed=3, storage=url, name="mine") as study:
        begun = told(study, 3)
    with tw.Study(problem(), strategy="random", storage=url, name="mine") as study:
        assert study.seed == 3
        assert begun + told(study, 3) == unbroken


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (
            {"problem": problem(maximize=None, minimize="cost")},
            "was to maximize accuracy and is to minimize cost",
        ),
        ({"problem": problem(subject_to="cost <= 1")}, "the limit cost <= 1 is new"),
        ({"strategy": "cherrypick"}, "exists with strategy"),
        ({"seed": 4}, "exists with seed 3, not 4"),
    ],
)
def test_another_study_under_the_same_name_is_refused(
    tmp_path: Path, other: dict[str, object], sentence: str
) -> None:
    url = f"sqlite:///{tmp_path}/studies.db"
    same: dict[str, object] = {"problem": problem(), "strategy": "random", "seed": 3}
    tw.Study(**same, storage=url, name="mine").close()  # type: ignore[arg-type] # a mix of keywords
    with pytest.raises(StudyError, match=sentence):
        tw.Study(**{**same, **other}, storage=url, name="mine")  # type: ignore[arg-type] # a mix of keywords
    larger = {**same, "problem": problem(budget=9)}
    tw.Study(**larger, storage=url, name="mine").close()  # type: ignore[arg-type] # a mix of keywords


@pytest.mark.parametrize("strategy", ["random", "cherrypick"])
def test_a_new_process_asks_what_this_one_would(tmp_path: Path, strategy: str) -> None:
    url = f"sqlite:///{tmp_path}/studies.db"
    with tw.Study(problem(), strategy=strategy, seed=5, storage=url, name="s") as study:
        told(study, 6)
        script = (
            "import tunewise as tw\n"
            "space = tw.Space(tw.Ordinal('x', list(range(12))))\n"
            f"study = tw.Study(tw.Problem(space, maximize='accuracy'), strategy={strategy!r},"
            f" storage={url!r}, name='s')\n"
            "print(study.ask().config['x'])\n"
        )
        asked = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        assert asked.returncode == 0, asked.stderr
        here = tw.Study(problem(), strategy=strategy, seed=5)
        told(here, 6)
        assert int(asked.stdout) == here.ask().config["x"]


@pytest.mark.parametrize("seed", [-1, "one", 1.5, True])
def test_a_seed_is_a_whole_number(seed: object) -> None:
    with pytest.raises(StudyError, match="seed is"):
        tw.Study(problem(), strategy="random", seed=seed)  # type: ignore[arg-type] # wrong on purpose
