"""The section that says what failed, and the reasons in the table of trials."""

import re

from tests.report.studies import CONFIG, maximising, measured, mixed, recommended, subject, told
from tests.report.test_markup import Seen
from tunewise.history import Failure, History, TimedOut, Trial
from tunewise.problem import Problem
from tunewise.report.sections.failures import failed
from tunewise.report.sections.trials import LONGEST, trials
from tunewise.space import Choice, Real, Space


def articles(*outcomes: Failure) -> list[str]:
    """What is said of each group of failures, as text."""
    history = History([told(i, outcome) for i, outcome in enumerate(outcomes)])
    page = failed(subject(history=history))
    return [Seen(part).text for part in re.findall(r"<article>(.*?)</article>", page, re.DOTALL)]


def test_where_nothing_failed_the_section_says_so() -> None:
    page = failed(subject(history=History([measured(0, 0.9, 0.01)])))
    assert "No trial has failed." in page and "<article>" not in page


def test_a_group_tells_how_often_which_trials_and_what_was_lost() -> None:
    memory = [Failure("out of memory", {"cost": 0.25, "time": 30.0}) for _ in range(2)]
    assert articles(*memory, Failure("no disk")) == [
        "2 × out of memorytrials 0, 1 · 0.50 USD · 1 m",
        "1 × no disktrial 2",
    ]


def test_reasons_that_differ_in_numbers_are_one() -> None:
    alike = [Failure(f"no file /data/x{value}") for value in (0.25, 1e-5, 3)]
    assert articles(*alike, Failure("no disk"))[0].startswith("3 × no file /data/x0.25")


def test_what_cost_nothing_or_took_no_time_is_not_spoken_of() -> None:
    assert articles(Failure("no", {"time": 5.0})) == ["1 × notrial 0 · 5 s"]
    assert articles(Failure("no", {"cost": 0.5})) == ["1 × notrial 0 · 0.50 USD"]


def test_of_many_trials_only_the_first_twenty_are_listed() -> None:
    (twenty,) = articles(*[Failure("no")] * 20)
    assert twenty == f"20 × notrials {', '.join(map(str, range(20)))}"
    (more,) = articles(*[Failure("no")] * 21)
    assert more == f"21 × notrials {', '.join(map(str, range(20)))} …"


def test_the_whole_message_is_there_where_the_headline_is_not_all() -> None:
    (short,) = articles(Failure("  out of memory \n"))
    assert "whole message" not in short
    (long,) = articles(Failure("Traceback\n  File x\nMemoryError: all used"))
    assert long.startswith("1 × MemoryError: all used")
    assert long.endswith("whole messageTraceback\n  File x\nMemoryError: all used")
    (late,) = articles(TimedOut("too slow: limit 3 s"))
    assert late.startswith("1 × timed out: too slow") and late.endswith("too slow: limit 3 s")


def rows(page: str) -> list[list[str]]:
    """The cells of each trial's row, as markup."""
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    return [re.findall(r"<t[hd].*?</t[hd]>", row) for row in re.findall(r"<tr.*?</tr>", body)]


def head(page: str) -> list[str]:
    """The names of the table's columns."""
    return re.findall(r'<th scope="col" aria-sort="none"><button type="button">(.*?)<', page)


def test_the_table_has_only_the_columns_that_say_something() -> None:
    assert head(trials(subject())) == [
        "trial", "state", "data", "vm", "vms", "rate", "layers", "accuracy", "cost", "time",
        "limits", "reason",
    ]  # fmt: skip
    plain = subject(maximising(subject_to=[], fractions=(1.0,)), mixed()[1:2])
    assert head(trials(plain)) == [
        "trial", "state", "vm", "vms", "rate", "layers", "accuracy", "cost", "time"
    ]  # fmt: skip


def test_each_column_of_the_table_has_a_cell_in_every_row() -> None:
    for about in (subject(), subject(maximising(subject_to=[], fractions=(1.0,)), mixed()[1:2])):
        page = trials(about)
        assert {len(cells) for cells in rows(page)} == {len(head(page))}


def test_the_table_waits_for_the_first_trial() -> None:
    page = trials(subject(history=History()))
    assert "No trial has been asked yet." in page and "<table" not in page


def test_the_trial_of_the_recommended_config_has_a_star() -> None:
    page = trials(subject(given=recommended()))
    starred = [cells[0] for cells in rows(page) if "★" in cells[0]]
    assert starred == [
        '<th scope="row" data-v="4">4<span title="the recommended config"> ★</span></th>'
    ]
    assert page.count('class="chosen"') == 1
    assert "★" not in trials(subject())
    assert "★" not in trials(subject(given=recommended(config=CONFIG | {"vms": 1})))


def test_rows_can_be_filtered_by_the_states_that_are_there() -> None:
    page = trials(subject())
    offered = re.findall(r'data-state="(\w*)" aria-pressed="(\w+)">(\w+)</button>', page)
    assert offered[0] == ("", "true", "all")
    assert [name for _, _, name in offered[1:]] == [
        "running", "complete", "failed", "preempted", "cancelled"
    ]  # fmt: skip
    assert {pressed for _, pressed, _ in offered[1:]} == {"false"}
    states = re.findall(r'<tr data-state="(\w+)" data-number="(\d)"', page)
    assert states[2:4] == [("complete", "2"), ("failed", "3")]
    assert "9 shown" in Seen(page).text


def test_limits_are_kept_or_broken_or_not_known() -> None:
    column = head(trials(subject())).index("limits")
    cells = [row[column] for row in rows(trials(subject()))]
    assert [Seen(cell).text for cell in cells[:4]] == ["–", "kept", "broken", "–"]


def test_numbers_sort_by_their_exact_value_and_words_as_they_are() -> None:
    space = Space(Choice("bias", [True, False]), Real("rate", 0.0, 1.0), Choice("kind", ["a", "b"]))
    problem = Problem(space, maximize="accuracy", subject_to=["cost <= 0.02"])
    trial = Trial(0, {"bias": True, "rate": 0.123456789})
    ended = trial.told(Failure("no", {"cost": 0.123456789}))
    (row,) = rows(trials(subject(problem, History([ended]))))
    assert [Seen(cell).text for cell in row[2:7]] == ["True", "0.1235", "–", "–", "0.123 USD"]
    assert [number for number, cell in enumerate(row) if 'data-v="0.123456789"' in cell] == [3, 6]


def test_a_share_of_the_data_sorts_by_its_number() -> None:
    (row,) = rows(trials(subject(history=mixed()[:1])))
    assert 'data-v="0.5"' in row[2] and Seen(row[2]).text == "1/2"


def test_a_reason_is_its_headline_with_all_of_it_to_hover_up_to_a_length() -> None:
    long = "x" * (LONGEST + 100)
    history = History(
        [told(0, Failure("out of\nmemory")), told(1, Failure(long)), measured(2, 1, 1)]
    )
    reasons = [row[-1] for row in rows(trials(subject(history=history)).replace("\n", "|"))]
    assert [Seen(each).text for each in reasons] == ["out of", "x" * LONGEST, ""]
    assert 'title="out of|memory"' in reasons[0]
