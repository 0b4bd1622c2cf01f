"""The page of a race: the paper's figures, the table of measures, nothing from outside."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return render(contest(tmp_path_factory.mktemp("race")), NAMED, runs())


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
    drawn = re.findall(r'<div data-plot="([\w-]+)" class="plot[^"]*js-plotly-plot', seen)
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


def lean(folder: Path, *raced: Run, **changes: Any) -> str:
    """A page of these runs, whose charts' library stands beside it."""
    named = entrants(",".join(dict.fromkeys(each.strategy for each in raced)))
    return render(replace(contest(folder), **changes), named, raced, script="plotly.js")


def cards(page: str) -> list[str]:
    """The three verdicts at the head of a page."""
    found = re.findall(r'<section class="card"><h2>.*?</section>', page.partition("curves-s")[0])
    return [Seen(each).text for each in found]


def test_the_header_tells_what_is_raced_on(tmp_path: Path) -> None:
    text = Seen(lean(tmp_path, run(0.5, 1.0, strategy="eic"))).text
    assert "configs 3" in text and "data all" in text and "optimum 0.8" in text
    assert "seeds 1" in text and "trials 4" in text
    assert "at once" not in text and "budget" not in text
    budget = Problem(contest(tmp_path).table.space, maximize="accuracy", budget=2.5)
    more = Seen(lean(tmp_path, run(0.5, strategy="eic"), parallel=3, problem=budget)).text
    assert "at once 3" in more and "budget 2.50 USD" in more
    assert "optimum 0.9" in more


def test_the_optimum_names_its_share_of_the_data_and_is_left_out_where_there_is_none(
    tmp_path: Path,
) -> None:
    (tmp_path / "parts.csv").write_text(
        "x,fraction,accuracy,cost\n1,0.5,0.7,0.01\n1,1,0.8,0.02\n2,0.5,0.9,0.01\n2,1,0.95,0.04\n"
    )
    table = Table(tmp_path / "parts.csv", ["x"], metrics=["accuracy", "cost"])

    def optimum(limit: str) -> str:
        wanted = Problem(
            table.space,
            maximize="accuracy",
            subject_to=limit,
            fractions=table.fractions,
            deploy="any",
        )
        shown = lean(tmp_path, run(0.5, strategy="eic"), table=table, problem=wanted)
        facts = re.search(r'<p class="facts">(.*?)</p>', shown)
        assert facts is not None
        return Seen(facts[1]).text.partition("seeds")[0].partition("all")[2]

    assert optimum("cost <= 0.01") == "optimum 0.9 on 1/2 of the data"
    assert optimum("cost <= 1") == "optimum 0.95"
    assert optimum("cost <= 0.001") == ""


def test_a_verdict_compares_the_first_with_the_cheapest_of_the_others(tmp_path: Path) -> None:
    own = run(0.4, 0.96, strategy="eic", cost=1.0)
    rivals = [run(0.4, 0.92, strategy="random", cost=4.0), run(0.93, strategy="pi", cost=3.0)]
    # The first needs 2 USD for 90 and for 95 %; of the others one needs 8 USD, and one 3 USD.
    assert cards(lean(tmp_path, own, *rivals)) == [
        "eic to 90%2.00 USD in 20 s1.5× less than pi, the best of the others (3.00 USD)",
        "eic to 95%2.00 USD in 20 sno other strategy gets there",
        "eic to 99%neverno other strategy gets there",
    ]
    assert cards(lean(tmp_path, own))[0] == "eic to 90%2.00 USD in 20 sof the optimum"
    losing = cards(lean(tmp_path, rivals[0], own))[0]
    assert losing.endswith("4× more than eic, the best of the others (2.00 USD)")


def test_a_first_that_never_gets_there_still_names_the_best_of_the_others(tmp_path: Path) -> None:
    shown = cards(lean(tmp_path, run(0.5, strategy="eic"), run(1.0, strategy="pi", cost=3.0)))
    assert shown[0] == "eic to 90%neverbest of the others: pi, 3.00 USD"


def test_a_race_without_costs_tells_the_time(tmp_path: Path) -> None:
    steps = [replace(step, cost=0.0) for step in run(0.5, 1.0).steps]
    free = Run("eic", 0, tuple(steps), 0.1)
    page = lean(tmp_path, free)
    assert cards(page)[0] == "eic to 90%20 sof the optimum"
    keys = list(charts(page))
    assert "curves-cost-share" not in keys and "curves-time-share" in keys


def test_the_curves_are_shown_against_all_that_can_be_spent(tmp_path: Path) -> None:
    page = lean(tmp_path, run(0.5, 1.0, strategy="eic"), run(0.5, 0.9, strategy="random"))
    tabs = page.partition('data-part="curves-section"')[2].partition("</section>")[0]
    for effort in ("by cost", "by time", "by trials", "by time with thinking"):
        assert effort in tabs


def test_what_the_curves_show_depends_on_limits_and_on_what_is_deployed(tmp_path: Path) -> None:
    limited = lean(tmp_path, run(0.5, strategy="eic"))
    assert "on the full data" in limited and "limit / value" in limited
    space = contest(tmp_path).table.space
    free = Problem(space, maximize="accuracy", deploy="any")
    shown = lean(tmp_path, run(0.5, strategy="eic"), problem=free)
    assert "at the fraction chosen with it" in shown and "limit / value" not in shown


def test_savings_are_told_in_words_for_readers_aloud(tmp_path: Path) -> None:
    raced = [run(0.4, 0.96, strategy="eic"), run(0.4, 0.92, strategy="random", cost=4.0)]
    page = lean(tmp_path, *raced)
    assert "random 4×" in page and "random &gt; 4×" in page


def test_a_minimising_race_shows_how_dear_the_incumbent_still_is(tmp_path: Path) -> None:
    cheapest = replace(
        contest(tmp_path),
        problem=Problem(contest(tmp_path).table.space, minimize="cost"),
    )
    found = run(0.5, 1.0, strategy="eic", optimum=0.01)
    page = render(cheapest, NAMED[1:2], [found], script="plotly.js")
    assert {"cno-cost", "cno-time", "cno-trials"} <= set(charts(page))
    assert "median at the end: eic 1" in page
    nothing = run(0.0, 0.0, strategy="eic", optimum=0.01)
    empty = render(cheapest, NAMED[1:2], [nothing], script="plotly.js")
    assert "In less than half of the seeds anything that keeps all limits was found." in empty
    assert "cno-cost" not in charts(empty)
    assert "cno" not in "".join(charts(lean(tmp_path, found)))
