"""Ask and tell as the first door: when a trial is hopeless, and whether anybody heeds that."""

import pytest

import tunewise as tw
from tunewise.history import outcome_as_json, outcome_from_json

SPACE = tw.Space(tw.Choice("learner", list("abcdefgh")))
PROBLEM = tw.Problem(
    SPACE, maximize="accuracy", subject_to="time <= 100", fractions=(0.1, 0.5, 1.0)
)


def seconds(trial: tw.Trial) -> float:
    """Every second learner is far too slow."""
    slow = trial.config["learner"] in "aceg"
    return (2000.0 if slow else 40.0) * trial.fraction


def told(study: tw.Study, heeds: bool) -> tw.Trial:
    trial = study.ask()
    took = seconds(trial)
    if heeds and trial.limit is not None and took > trial.limit:
        return study.tell(trial, tw.TimedOut("too slow", {"time": trial.limit}))
    return study.tell(trial, {"accuracy": 0.6, "time": took})


def test_a_trial_says_after_how_many_seconds_it_is_better_stopped() -> None:
    with tw.Study(PROBLEM, seed=0) as study:
        assert study.ask().limit == pytest.approx(20.0)  # twice its part of the limit
    unlimited = tw.Problem(SPACE, maximize="accuracy")
    with tw.Study(unlimited, "random", seed=0) as study:
        assert study.ask().limit is None


def test_the_same_trials_are_asked_for_as_in_a_run_that_stops_them(tmp_path: object) -> None:
    from tunewise.benchmark.replay import ReplayExecutor

    with tw.Study(PROBLEM, seed=0) as study:
        for _ in range(14):
            told(study, heeds=True)
        asked = [(t.config, t.fraction, t.state, t.metrics) for t in study.history]

    def job(trial: tw.Trial) -> dict[str, float]:
        return {"accuracy": 0.6, "time": seconds(trial)}

    with tw.Study(PROBLEM, seed=0) as study:
        study.optimize(job, trials=14, executor=ReplayExecutor(), progress=False)
        assert [(t.config, t.fraction, t.state, t.metrics) for t in study.history] == asked


def test_what_passes_its_limit_teaches_that_nobody_stops_trials() -> None:
    with tw.Study(PROBLEM, seed=0) as study:
        assert not study.history.unstopped
        while not study.history.unstopped:
            told(study, heeds=False)
        overran = study.history[-1]
        assert overran.measurement is not None and overran.measurement.overran
        assert outcome_from_json(outcome_as_json(overran.measurement)) == overran.measurement
        while not study.history[-1].pruned:
            told(study, heeds=True)
        assert not study.history.unstopped


def test_reports_are_kept_and_judged() -> None:
    problem = tw.Problem(
        tw.Space(tw.Real("x", 0, 1)), maximize="accuracy", fractions=(0.25, 0.5, 1.0)
    )
    with tw.Study(problem, seed=0) as study:
        for x in (0.8, 0.82, 0.84, 0.86):
            study.enqueue({"x": x})
            trial = study.ask()
            curve = {s: {"accuracy": 0.9 - 0.02 * (1 - s)} for s in (0.25, 0.5)}
            study.tell(trial, tw.Measurement({"accuracy": 0.9, "time": 10.0}, curve))
        study.enqueue({"x": 0.1})
        poor = study.ask()
        assert study.verdict(poor) is None
        why = study.verdict(poor, {0.25: {"accuracy": 0.2}, 0.5: {"accuracy": 0.22}})
        assert why is not None and "chance" in why
        assert study.history[-1].reported == {0.25: {"accuracy": 0.2}, 0.5: {"accuracy": 0.22}}
