import json
import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest

from tests.report.studies import (
    CONFIG,
    many,
    maximising,
    measured,
    mixed,
    recommended,
    record,
    told,
)
from tests.report.test_markup import Seen
from tunewise.history import Failure, History
from tunewise.problem import Problem
from tunewise.report.layout.parts import plot
from tunewise.report.page import render

EVIL = "</script><script>alert('&\"`1`')</script><img src=x onerror=alert(2)>"

SECTIONS = ("progress", "plane", "parameters", "importance", "limits", "table", "failures")


@pytest.fixture(scope="module")
def page() -> str:
    return render(record(stopped="9 trials"), maximising(), mixed(), recommended())


def without_plotly(page: str) -> str:
    from plotly.offline import get_plotlyjs

    assert page.count(get_plotlyjs()) == 1
    return page.replace(get_plotlyjs(), "")


CHART = r'data-plot="([\w-]+)"[^>]*></div><script type="application/json">(.*?)</script>'


def charts(page: str) -> dict[str, Any]:
    found = re.findall(CHART, page)
    return {key: json.loads(data) for key, data in found}


def test_the_page_has_all_its_sections(page: str) -> None:
    ids = {value for name, value in Seen(without_plotly(page)).attributes if name == "data-part"}
    assert ids.issuperset(SECTIONS)


def test_the_page_tells_question_answer_and_spending(page: str) -> None:
    text = Seen(without_plotly(page)).text
    for part in (
        "digits",
        "Maximise accuracy with cost ≤ 0.02 USD, for at most 1.00 USD.",
        "97 % probability of keeping all limits",
        "0.9012 ± 0.0051",
        "0.082 USD of 1.00 USD",
        "8 % of the budget used",
        "2025-10-09 08:53 UTC",
        "9 trials",
    ):
        assert part in text


def test_the_page_asks_for_nothing_from_outside(page: str) -> None:
    own = without_plotly(page)
    attributes = Seen(own).attributes
    assert not [value for name, value in attributes if name in ("src", "href", "action", "data")]
    assert not re.search(r"https?://|@import|url\(", own)


def test_the_browser_is_told_to_fetch_nothing_and_run_only_these_scripts(page: str) -> None:
    policy = next(
        v for k, v in Seen(page).attributes if k == "content" and v and "default-src" in v
    )
    assert "default-src 'none'" in policy
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    assert len(scripts) == 2
    assert re.findall(r"'sha256-(.*?)'", policy) == digests
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


def test_every_chart_has_its_place_and_its_data(page: str) -> None:
    drawn = charts(page)
    places = re.findall(r'<div data-plot="([\w-]+)" class="plot', page)
    assert sorted(drawn) == sorted(places)
    assert {
        "best-cost",
        "best-time",
        "best-trials",
        "trials-cost",
        "parameter-0",
        "margin-0",
    } <= set(drawn)


def test_light_and_dark_have_each_colour(page: str) -> None:
    assert "prefers-color-scheme:dark" in page
    sides = json.loads(
        re.findall(r'<script type="application/json" data-dark>(.*?)</script>', page)[0]
    )
    for colour in re.findall(
        r'color":"(#[0-9a-f]{6})"', json.dumps(charts(page), separators=(",", ":"))
    ):
        assert colour in sides


def test_nothing_that_users_wrote_becomes_markup_or_script() -> None:
    problem = maximising(metrics=["accuracy", "loss<b>"])
    history = History(
        [
            measured(0, 0.9, 0.01, vm=EVIL),
            told(1, Failure(f"Traceback\n{EVIL}", {"cost": 0.1}), vm=EVIL),
        ]
    )
    given = recommended(config=CONFIG | {"vm": EVIL})
    page = without_plotly(render(record(EVIL, stopped=EVIL), problem, history, given))
    harmless = without_plotly(render(record(), problem, mixed(), recommended()))
    assert EVIL not in page
    assert "<img" not in page
    assert set(Seen(page).tags) <= set(Seen(harmless).tags) | {"details", "summary", "pre"}
    assert page.count("<script>") == 2
    assert not [name for name, _ in Seen(page).attributes if name.startswith("on")]
    drawn = json.dumps(charts(page))
    assert "&lt;img" in drawn
    assert not re.search(r"<(?!br>|/?b>)", drawn)


def test_no_text_of_a_chart_can_end_its_data() -> None:
    import plotly.graph_objects as go

    drawn = plot("key", go.Figure(layout_title_text="</script><!--<b>"), "about")
    assert drawn.count("<") == 4
    assert charts(drawn)["key"]["layout"]["title"]["text"] == "</script><!--<b>"


def test_a_config_is_offered_as_json_that_reads_back(page: str) -> None:
    offered = next(v for k, v in Seen(without_plotly(page)).attributes if k == "data-copy")
    assert offered is not None
    assert json.loads(offered) == recommended().config


def test_every_trial_is_a_row_that_sorts_by_its_exact_value(page: str) -> None:
    body = page.split("<tbody>")[-1].split("</tbody>")[0]
    assert body.count("<tr") == 9
    assert 'data-v="0.002"' in body
    assert 'class="chosen"' in body


LIMITLESS = maximising(subject_to=[], budget=None, fractions=(1.0,))
MINIMISING = maximising(maximize=None, minimize="cost", subject_to=["accuracy >= 0.82"])


@pytest.mark.parametrize("problem", [maximising(), LIMITLESS, MINIMISING, maximising(deploy="any")])
@pytest.mark.parametrize(
    "history",
    [
        History(),
        History([measured(0, 0.9, 0.01)]),
        History([measured(0, 0.9, 0.01, fraction=0.1)]),
        History([told(0, None)]),
        History([told(0, Failure("no")), told(1, Failure("no", {"cost": 0.1}))]),
        mixed(),
    ],
    ids=["none", "one", "one on a part", "running", "failures", "mixed"],
)
def test_a_page_is_made_of_any_study(problem: Problem, history: History) -> None:
    page = render(record(), problem, history, None)
    assert "Nothing to recommend yet." in page
    ids = {value for name, value in Seen(without_plotly(page)).attributes if name == "data-part"}
    assert ids.issuperset(set(SECTIONS) - (set() if problem.constraints else {"limits"}))


def test_a_study_without_costs_has_no_chart_of_them() -> None:
    history = History([measured(0, 0.9, 0.0)])
    drawn = charts(render(record(), LIMITLESS, history))
    assert "best-cost" not in drawn
    assert "best-trials" in drawn


def test_spending_above_the_budget_is_marked() -> None:
    history = History([measured(0, 0.9, 2.0)])
    assert 'class="bar over"' in render(record(), maximising(), history)


def test_the_same_study_gives_the_same_page(page: str) -> None:
    assert page == render(record(stopped="9 trials"), maximising(), mixed(), recommended())


def test_two_thousand_trials_make_a_page_that_a_browser_can_hold() -> None:
    history = many(2000)
    page = render(record(), maximising(), history, recommended())
    assert len(page) < 12_000_000


def test_plotly_and_rich_are_loaded_only_when_something_is_drawn() -> None:
    code = (
        "from tunewise.report import failures, overview, page, plot, text\n"
        "from tunewise.report.charts import by_parameter, curves, feasibility, importance, trials\n"
        "import sys\n"
        "print([m for m in ('plotly', 'rich', 'scipy', 'sqlalchemy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_section_is_a_function_and_a_line_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    from tunewise.report import page as module
    from tunewise.report.layout.markup import Markup, tag
    from tunewise.report.sections.subject import Subject

    def newest(subject: Subject) -> Markup:
        return tag("section", f"{len(subject.history)} trials of {subject.record.name}", id="new")

    monkeypatch.setattr(module, "SECTIONS", (*module.SECTIONS, newest))
    shown = render(record(), maximising(), mixed())
    assert f'<section id="new">{len(mixed())} trials of {record().name}</section>' in shown
