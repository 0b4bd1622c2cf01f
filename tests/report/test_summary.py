"""The head of a study's page: the question, the answer, what was spent, and what was asked."""

import re
from dataclasses import replace
from typing import Any

import pytest

from tests.report.studies import (
    CONFIG,
    expected_better,
    maximising,
    measured,
    mixed,
    recommended,
    subject,
    told,
)
from tests.report.test_markup import Seen
from tunewise.history import Failure, History, Measurement
from tunewise.report.sections.summary import header, summary
from tunewise.surrogate.normal import Normal


def lead(**changes: Any) -> str:
    """The question as the page asks it."""
    found = re.search(r'<p class="lead">(.*?)</p>', header(subject(maximising(**changes))))
    assert found is not None
    return Seen(found[1]).text


def cards(given: Any = None, **changes: Any) -> tuple[str, str, str]:
    """The answer, what was spent, and what was asked, as markup."""
    history = changes.pop("history", mixed())
    page = summary(subject(maximising(**changes), history, given))
    answer, spent, asked = page.removesuffix("</div>").split("<section")[1:]
    return answer, spent, asked


@pytest.mark.parametrize(
    ("limits", "question"),
    [
        ([], "Maximise accuracy, for at most 1.00 USD."),
        (["cost <= 0.02"], "Maximise accuracy with cost ≤ 0.02 USD, for at most 1.00 USD."),
        (
            ["cost <= 0.02", "time <= 60"],
            "Maximise accuracy with cost ≤ 0.02 USD and time ≤ 1 m, for at most 1.00 USD.",
        ),
        (
            ["cost <= 0.02", "time <= 60", "accuracy >= 0.5"],
            "Maximise accuracy with cost ≤ 0.02 USD, time ≤ 1 m and accuracy ≥ 0.5, for at most"
            " 1.00 USD.",
        ),
    ],
)
def test_the_question_lists_its_limits_as_a_sentence(limits: list[str], question: str) -> None:
    assert lead(subject_to=limits) == question


def test_a_question_without_a_budget_does_not_speak_of_money() -> None:
    assert lead(subject_to=[], budget=None) == "Maximise accuracy."


def test_the_header_tells_strategy_seed_and_when_it_began() -> None:
    text = Seen(header(subject())).text
    assert "Tunewise report" in text and "digits" in text
    assert "strategy cherrypick" in text and "seed 7" in text
    assert "started 2025-10-09 08:53 UTC" in text
    assert "stopped" not in text and "another problem" not in text


def test_the_header_leaves_out_what_a_record_does_not_know() -> None:
    about = subject()
    unknown = replace(about, record=replace(about.record, created_at=None, strategy={}))
    text = Seen(header(unknown)).text
    assert "started" not in text and "strategy" not in text
    assert "seed 7" in text


def test_the_header_tells_since_when_another_problem_holds() -> None:
    changed = [{"since": 3, "problem": {}}, {"since": 8, "problem": {}}]
    text = Seen(header(subject(problems=changed, stopped="9 trials"))).text
    assert "another problem from trial 3 on" in text and "another problem from trial 8 on" in text
    assert "stopped 9 trials" in text


def test_without_a_recommendation_the_answer_says_so_and_offers_no_copy() -> None:
    answer, *_ = cards()
    assert "Nothing to recommend yet." in answer
    assert "data-copy" not in answer and "warning" not in answer


def test_where_nothing_keeps_the_limits_the_answer_begins_with_a_warning() -> None:
    dear = History([measured(0, 0.9, 0.05)])
    for given in (None, recommended()):
        answer, *_ = cards(given, history=dear)
        assert 'role="alert"' in answer and "No measured config keeps the limits" in answer


def test_the_answer_names_the_share_of_the_data_only_where_it_is_a_part() -> None:
    whole, *_ = cards(recommended())
    assert "of the data" not in Seen(whole).text
    part, *_ = cards(recommended(fraction=0.5), deploy="any")
    assert "on 1/2 of the data" in Seen(part).text


def test_the_answer_lists_the_config_with_shortened_numbers() -> None:
    answer, *_ = cards(recommended(config=CONFIG | {"rate": 0.000861137}))
    pairs = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", answer)
    assert pairs == [("vm", "small"), ("vms", "2"), ("rate", "0.0008611"), ("layers", "2")]


@pytest.mark.parametrize(
    ("feasible", "level", "width"),
    [
        (0.95, "good", "95.0"),
        (0.9, "good", "90.0"),
        (0.89, "fair", "89.0"),
        (0.5, "fair", "50.0"),
        (0.499, "poor", "49.9"),
    ],
)
def test_a_meter_shows_how_sure_the_limits_are(feasible: float, level: str, width: str) -> None:
    answer, *_ = cards(recommended(feasible=feasible))
    assert level in answer and f"width:{width}%" in answer


def test_without_limits_there_is_no_meter_and_no_column_of_limits() -> None:
    answer, *_ = cards(recommended(), subject_to=[])
    assert "meter" not in answer and "limit" not in Seen(answer).text
    answer, *_ = cards(recommended())
    said = Seen(answer).text
    assert "0.9012 ± 0.0051" in said
    assert re.search(r"0\.01910 ± 0\.00040 USD.*≤ 0\.02 USD", said, re.S)


def test_two_limits_of_one_metric_stand_in_one_cell() -> None:
    answer, *_ = cards(recommended(), subject_to=["cost <= 0.02", "cost >= 0.001"])
    assert "≤ 0.02 USD and ≥ 0.001 USD" in answer


def test_a_config_that_was_not_measured_is_said_to_be_a_prediction() -> None:
    known, *_ = cards(recommended())
    assert "measured (trial 4)" in known and "not measured" not in known
    new, *_ = cards(recommended(config=CONFIG | {"vms": 1}))
    assert "measured (" not in new and "not measured" in new


def test_a_guess_has_a_note_and_no_numbers() -> None:
    guess = recommended(config={"vm": "large"}, predicted={"accuracy": Normal(0.5, 0.45)})
    answer, *_ = cards(guess)
    assert "Nothing that was measured says" in answer
    assert "<table" not in answer and "meter" not in answer


@pytest.mark.parametrize(("fraction", "where"), [(1.0, ""), (0.1, ", on 1/10 of the data")])
def test_what_the_models_expect_to_be_better_stands_below(fraction: float, where: str) -> None:
    beside = expected_better(config=CONFIG | {"vms": 4, "rate": 0.03}, fraction=fraction)
    answer, *_ = cards(recommended(predicted_best=beside), deploy="any")
    before, heading, after = Seen(answer).text.partition(f"not measured{where}")
    assert heading and "0.002" in before and "0.03" in after
    assert "not measured" not in cards(recommended())[0].partition("<h3>")[2]


def test_the_bar_of_spending_has_a_part_for_each_state_out_of_the_budget() -> None:
    # Of 1 USD: 0.076 on complete trials, 0.002 on failed, 0.003 preempted, 0.001 cancelled ones.
    _, spent, _ = cards()
    parts = re.findall(r'width:([\d.]+)%[^>]*?title="([\d.]+ USD) on (\w+)', spent)
    assert sorted(parts) == [
        ("0.10", "0.001 USD", "cancelled"),
        ("0.20", "0.002 USD", "failed"),
        ("0.30", "0.003 USD", "preempted"),
        ("7.60", "0.076 USD", "complete"),
    ]


def test_beyond_the_budget_the_bar_is_full_and_marked() -> None:
    history = History([measured(0, 0.9, 3.0), told(1, Failure("no", {"cost": 1.0}))])
    _, spent, _ = cards(history=history, budget=2.0)
    assert re.findall(r"width:([\d.]+)%", spent) == ["75.00", "25.00"]
    assert "200 % of the budget used" in spent
    _, even, _ = cards(history=history, budget=4.0)
    assert "100 % of the budget used" in even


def test_without_a_budget_spending_is_shown_as_it_is() -> None:
    _, spent, _ = cards(budget=None)
    assert "0.082 USD" in spent
    assert "no budget set · 5 m 16 s of training time booked" in spent
    assert "width:92.68%" in spent  # 0.076 of 0.082


def test_a_free_study_tells_its_time_instead_of_money() -> None:
    free = History([told(0, Measurement({"accuracy": 0.5, "time": 90.0}))])
    _, spent, _ = cards(history=free, budget=None)
    assert "1 m 30 s" in spent
    _, budgeted, _ = cards(history=free)
    assert "0.00 USD of 1.00 USD" in Seen(budgeted).text


def test_trials_are_counted_by_state_with_a_dot_each() -> None:
    _, spent, _ = cards()
    assert "9 trials" in spent
    said = Seen(spent).text
    for count in ("1 preempted", "1 failed", "5 complete", "1 cancelled", "1 running"):
        assert count in said
    assert "1 trial" in cards(history=mixed()[:1])[1]


def test_what_was_asked_is_listed_in_full() -> None:
    *_, asked = cards(subject_to=["cost <= 0.02", "time <= 60"])
    pairs = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", asked))
    assert pairs == {
        "objective": "Maximise accuracy",
        "limits": "<div>cost ≤ 0.02 USD</div><div>time ≤ 1 m</div>",
        "budget": "1.00 USD",
        "data used": "1/10, 1/2, all",
        "vm": "small, large",
        "vms": "1, 2, 4",
        "rate": "1e-5 to 0.1, log scale",
        "layers": "1 to 4",
    }


def test_what_was_not_asked_is_called_none() -> None:
    *_, asked = cards(subject_to=[], budget=None, fractions=(1.0,))
    pairs = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", asked))
    assert (pairs["limits"], pairs["budget"]) == ("none", "none")
    assert "data used" not in pairs
