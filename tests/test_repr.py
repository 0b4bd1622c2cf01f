"""What a person sees of an object, in a terminal and in a notebook: short, and safe."""

import re

import pytest

import tunewise as tw
from tests.report.test_markup import Seen

SPACE = tw.Space(tw.Ordinal("vms", [1, 2]), tw.Real("rate", 1e-5, 1e-1, log=True))
PROBLEM = tw.Problem(
    SPACE, maximize="accuracy", subject_to="cost <= 0.02", fractions=(0.1, 1.0), budget=1.0
)
CONFIG = {"vms": 2, "rate": 0.000861137345141}
METRICS = {"accuracy": 0.9303882964169486, "time": 1200.0, "cost": 0.007666666666666666}
TRIAL = tw.Trial(3, CONFIG, 0.1).told(tw.Measurement(METRICS))
BEST = tw.Recommendation(CONFIG, 1.0, {"accuracy": tw.Normal(0.93038829, 0.0077093)}, 0.973)


@pytest.fixture
def study() -> tw.Study:
    made = tw.Study(PROBLEM, "random", seed=0, name="digits")
    made.tell(made.ask(), METRICS)
    return made


def test_a_trial_is_one_short_line() -> None:
    assert repr(TRIAL) == (
        "Trial(3: vms=2, rate=0.0008611 at fraction 1/10; complete: accuracy 0.9304, time 20 m,"
        " cost 0.00767 USD)"
    )
    failed = tw.Trial(0, CONFIG).told(tw.Failure("Traceback\n  x\nMemoryError: all used"))
    assert repr(failed).endswith("; failed: MemoryError: all used)")
    assert repr(tw.Trial(0, CONFIG)).endswith("; running)")


def test_a_recommendation_tells_config_belief_and_sureness() -> None:
    assert repr(BEST) == (
        "Recommendation(vms=2, rate=0.0008611; accuracy 0.9304 ± 0.0077, feasible 97 %)"
    )


def test_a_belief_has_as_many_digits_as_it_is_sure_of() -> None:
    assert repr(tw.Normal(0.9303882964169486, 0.007709311998113492)) == "Normal(0.9304 ± 0.0077)"


def test_a_history_and_a_study_tell_what_was_done_and_spent(study: tw.Study) -> None:
    assert repr(study.history) == "History(1 trials, 1 complete, 0.00767 USD, 20 m)"
    assert repr(study) == (
        "Study('digits': maximise accuracy with cost ≤ 0.02 USD, by random; History(1 trials, 1"
        " complete, 0.00767 USD, 20 m))"
    )


@pytest.mark.parametrize(
    ("shown", "parts"),
    [
        (SPACE, ["vms", "1, 2", "1e-5 to 0.1, log scale", "many"]),
        (PROBLEM, ["maximise accuracy with cost ≤ 0.02 USD", "1.00 USD", "1/10, all", "rate"]),
        (TRIAL, ["Trial 3", "complete", "0.0008611", "0.9304", "20 m"]),
        (tw.History([TRIAL]), ["0.00767 USD"]),
        (BEST, ["0.9304 ± 0.0077", "97 %", "0.0008611"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_notebook_shows_it_as_html_without_long_numbers(shown: object, parts: list[str]) -> None:
    page = shown._repr_html_()  # type: ignore[attr-defined]  # what notebooks look for
    text = Seen(page).text
    for part in parts:
        assert part in text
    assert not re.search(r"\.\d{8}", page)


def test_a_notebook_shows_a_study_with_its_trials(study: tw.Study) -> None:
    text = Seen(study._repr_html_()).text
    assert "Study digits" in text
    assert "complete" in text


def test_only_the_last_trials_of_a_long_history_are_shown() -> None:
    many = tw.History(tw.Trial(i, CONFIG).told(tw.Measurement(METRICS)) for i in range(100))
    page = many._repr_html_()
    assert page.count("<tr>") == 31
    assert "earlier trials <b>70</b>" in page


def test_what_users_wrote_stays_text() -> None:
    evil = "<script>alert(1)</script>"
    page = tw.History([tw.Trial(0, {"vm": evil})])._repr_html_()
    assert "<script>" not in page


@pytest.mark.parametrize("strategy", ["random", "cherrypick", "lynceus"])
def test_without_limits_a_recommendation_says_nothing_of_them(strategy: str) -> None:
    def printed(*limits: str) -> tuple[str, str]:
        space = tw.Space(tw.Integer("x", 1, 9))
        study = tw.Study(tw.Problem(space, minimize="cost", subject_to=limits), strategy, seed=0)
        for _ in range(5):
            trial = study.ask()
            study.tell(trial, {"cost": 1.0 + trial.config["x"], "time": 60.0})
        best = study.recommend()
        again = tw.Recommendation.from_description(best.describe())
        assert repr(again) == repr(best)
        return repr(best), best._repr_html_()

    assert all("feasible" not in text for text in printed())
    assert all("feasible" in text for text in printed("time <= 10 min"))
