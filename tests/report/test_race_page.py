"""The page of a race: the paper's figures, the table of measures, nothing from outside."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmark.races import run
from tests.report.test_browser import opened
from tests.report.test_markup import Seen
from tests.report.test_page import charts, without_plotly
from tunewise.benchmark import Table
from tunewise.benchmark.contest import Contest
from tunewise.benchmark.entrants import entrants, label
from tunewise.benchmark.measures.reliability import Claim
from tunewise.benchmark.race import Run
from tunewise.problem import Problem
from tunewise.report.race.page import render

NAMED = entrants("trimtuner,eic,random,trimtuner(filter=cea),trimtuner(filter=cea,share=0.01)")
PACES = dict(zip(map(label, NAMED), (0.1, 1.0, 3.0, 0.2, 0.3), strict=True))


def contest(folder: Path) -> Contest:
    rows = "x,accuracy,time,cost\n1,0.5,10,0.01\n2,0.8,20,0.02\n3,0.9,30,0.03\n"
    (folder / "digits.csv").write_text(rows)
    table = Table(folder / "digits.csv", ["x"], fraction=None)
    return Contest(table, Problem(table.space, maximize="accuracy", subject_to="cost <= 0.02"), 4)


def runs() -> list[Run]:
    ends = {"random": 0.93}
    return [
        run(0.4, 0.7 + 0.05 * seed, 0.9, ends.get(name, 1.0), seed=seed, cost=pace, strategy=name,
            bootstrap=1)
        for name, pace in PACES.items()
        for seed in range(3)
    ]  # fmt: skip


@pytest.fixture
def page(tmp_path: Path) -> str:
    return render(contest(tmp_path), NAMED, runs())


def test_all_four_figures_are_drawn(page: str) -> None:
    keys = set(charts(page))
    assert {"curves-cost-share", "curves-time-share", "savings-90", "filters-cost-share",
            "shares-cost-share"} <= keys  # fmt: skip
    names = {t["name"] for t in charts(page)["curves-cost-share"]["data"] if "name" in t}
    assert names == set(PACES)


def test_figures_of_variants_are_left_out_where_none_were_raced(tmp_path: Path) -> None:
    raced = [r for r in runs() if r.strategy in ("eic", "random")]
    keys = charts(render(contest(tmp_path), NAMED[1:3], raced))
    assert not [key for key in keys if key.startswith(("filters", "shares"))]


def test_the_page_tells_question_verdict_and_measures(page: str) -> None:
    text = Seen(without_plotly(page)).text
    for part in (
        "digits.csv",
        "Maximise accuracy with cost ≤ 0.02 USD.",
        "trimtuner to 90%",
        "2× less than trimtuner(filter=cea), the best of the others",
        "3 of 3",
        "0 of 3",
        "never",
    ):
        assert part in text


def test_a_first_that_loses_is_said_to_lose(tmp_path: Path) -> None:
    raced = [r for r in runs() if r.strategy in ("eic", "random")]
    swapped = sorted(raced, key=lambda r: r.strategy != "random")
    text = Seen(without_plotly(render(contest(tmp_path), NAMED[1:3], swapped))).text
    assert "3× more than eic, the best of the others" in text
    assert "The mean of random never stays above 99% of the optimum." in text


def test_one_strategy_alone_has_a_page(tmp_path: Path) -> None:
    text = Seen(without_plotly(render(contest(tmp_path), NAMED[1:2], runs()[3:6]))).text
    assert "eic to 90%" in text
    assert "Figure 2" not in text


def test_names_cannot_inject_anything(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    raced = [run(0.5, 1.0, strategy=evil), run(0.5, 1.0, strategy="b")]
    own = without_plotly(render(contest(tmp_path), NAMED[1:3], raced))
    assert "<script>alert" not in own


def test_the_browser_draws_it_in_silence(page: str, tmp_path: Path) -> None:
    seen, console = opened(page, tmp_path)
    assert console == []
    drawn = re.findall(r'<div id="([\w-]+)" class="plot[^"]*js-plotly-plot', seen)
    assert {"curves-cost-share", "savings-90", "filters-cost-share"} <= set(drawn)


def test_the_page_tells_whether_what_was_said_came_true(tmp_path: Path) -> None:
    steps = [
        replace(step, claim=Claim(0.95, i % 2 == 0, 0.1, {"cost": True}))
        for one in runs()[3:6]
        for i, step in enumerate(one.steps[:2])
    ]
    raced = [Run("eic", 0, tuple(steps), 0.1)]
    text = Seen(without_plotly(render(contest(tmp_path), NAMED[1:2], raced))).text
    assert "Did it come true?" in text
    assert "up to 30 %" in text
    assert "50 %" in text
    assert (
        "Did it come true?"
        not in Seen(without_plotly(render(contest(tmp_path), NAMED[1:2], runs()[3:6]))).text
    )
