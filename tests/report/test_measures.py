"""The tables of a race: every strategy in words, the best of each column marked."""

import math
import re
from typing import Any

import numpy as np
import pytest

from tests.report.test_markup import Seen
from tunewise.benchmark.measures.cno import CnoCurve, CnoScore
from tunewise.benchmark.measures.reliability import Reliability
from tunewise.benchmark.measures.score import LEVELS, Score
from tunewise.benchmark.tenants.measures import Steps, TenantScore
from tunewise.benchmark.tenants.race import Run
from tunewise.report import tenants
from tunewise.report.race.cno import cno_table, draw_cno
from tunewise.report.race.measures import measures_table, span
from tunewise.report.race.reliability import cells, reliability_section


def score(strategy: str, **changes: Any) -> Score:
    none = dict.fromkeys(LEVELS)
    given: dict[str, Any] = {
        "seeds": 5,
        "final": 0.9,
        "strict": 0.8,
        "worst": 0.7,
        "feasible": 1.0,
        "ended_at": dict.fromkeys(LEVELS, 2),
        "cost_to": none,
        "time_to": none,
        "cost_interval": dict.fromkeys(LEVELS, (None, None)),
        "time_interval": dict.fromkeys(LEVELS, (None, None)),
        "cost": 1.0,
        "time": 60.0,
        "trials": 10.0,
        "seconds_per_ask": 0.5,
        "fraction": 0.5,
        "cost_per_trial": 0.1,
    }
    return Score(strategy, **(given | changes))


def rows(markup: str) -> list[list[str]]:
    """The cells of a table's body, row by row; the best ones with a star."""
    body = markup.partition("<tbody>")[2]
    found = []
    for row in body.split("</tr>")[:-1]:
        marked = re.sub(r"<b>(.*?)</b>", r"\1*", row)
        found.append([Seen(each).text.strip() for each in re.findall(r"<t[hd].*?</t[hd]>", marked)])
    return found


def test_more_is_better_of_shares_and_less_of_what_is_spent() -> None:
    scored = [
        score("a", final=0.95, seconds_per_ask=2.0, fraction=0.9, ended_at={0.99: 4}),
        score("b", final=0.85, seconds_per_ask=0.5, fraction=0.1, ended_at={0.99: 1}),
    ]
    first, second = rows(measures_table(scored, "cost"))
    assert first[:2] == ["a", "0.950*"] and second[:2] == ["b", "0.850"]
    assert (first[4], second[4]) == ("4 of 5*", "1 of 5")
    assert (first[6], second[6]) == ("2 s", "500 ms*")
    assert (first[7], second[7]) == ("90 %", "10 %*")
    # Both are the best where they are equal.
    assert (first[2], second[2]) == ("0.800*", "0.800*")
    assert first[-1] == second[-1] == "nevernever"


def test_levels_are_told_with_their_interval_and_the_cheapest_is_marked() -> None:
    to, between = dict.fromkeys(LEVELS, 2.0), dict.fromkeys(LEVELS, (1.5, None))
    scored = [
        score("a", cost_to=to, cost_interval=between),
        score("b", cost_to=dict.fromkeys(LEVELS, 1.0)),
        score("c"),
    ]
    found = [row[-1] for row in rows(measures_table(scored, "cost"))]
    assert found == ["2.001.50 – never", "1.00*never", "nevernever"]
    assert [row[-1] for row in rows(measures_table(scored, "time"))] == ["nevernever"] * 3


def test_an_interval_of_one_value_is_that_value() -> None:
    assert span((1.0, 1.0), str) == "1.0" and span((None, None), str) == "never"
    assert span((1.0, 2.0), str) == "1.0 – 2.0"


def cno(strategy: str, final: float, to: float | None) -> CnoScore:
    levels = {level: {50: to, 90: None} for level in (1.0, 1.1, 1.2, 1.5)}
    return CnoScore(strategy, {50: final, 90: math.inf}, levels, levels, levels)


def test_of_the_cno_the_least_is_best_and_what_is_infinite_is_never_reached() -> None:
    scored = [cno("a", 1.0, 90.0), cno("b", 1.234, None)]
    first, second = rows(cno_table(scored, "time"))
    assert first[:4] == ["a", "1*", "never", "1 m 30 s*"]
    assert second[:4] == ["b", "1.23", "never", "never"]
    assert rows(cno_table(scored, "trials"))[0][3] == "90*"
    assert rows(cno_table(scored, "cost"))[0][3] == "90.00*"


def test_a_line_of_the_cno_begins_where_so_many_seeds_have_an_incumbent() -> None:
    curve = CnoCurve("a", (60.0, 120.0, 600.0), {50: (math.inf, 3.0, 1.0), 90: (math.inf,) * 3})
    drawn = draw_cno([curve], "time", "cost")
    median, ninety = drawn.data
    assert list(median.x) == pytest.approx([2.0, 10.0]) and list(median.y) == [3.0, 1.0]
    assert list(ninety.x) == [] and not ninety.showlegend and median.showlegend
    assert median.line.width > ninety.line.width
    assert median.hovertext[0] == "a: 50 % of the seeds at 3 or below after 2 m"
    assert list(drawn.layout.yaxis.range) == pytest.approx([math.log10(0.95), math.log10(3.3)])
    assert list(drawn.layout.xaxis.range) == pytest.approx([math.log10(2 / 1.1), math.log10(11)])
    near = CnoCurve("a", (1.0, 2.0), {50: (1.2, 1.0), 90: (1.2, 1.1)})
    ends = draw_cno([near], "trials", "cost").layout
    assert ends.yaxis.range[1] == pytest.approx(math.log10(2.0))
    assert ends.xaxis.type == "linear" and list(ends.xaxis.range) == pytest.approx([0.94, 2.06])


def test_whether_it_came_true_is_told_in_per_cent_or_not_at_all() -> None:
    told = Reliability("1/2", 10, 0.8, 0.7, 3, 2 / 3, 0.9)
    nothing = Reliability("nothing", 4, 0.5, 0.25, 0, None, None)
    assert cells(told) == ["1/2", "10", "80 %", "70 %", "3", "67 %", "90 %"]
    assert cells(nothing)[-3:] == ["0", "–", "–"]
    drawn = reliability_section([score("a"), score("b", reliability=(told, nothing))])
    assert drawn is not None
    assert [row[0] for row in rows(drawn)] == ["b", ""]
    assert reliability_section([score("a")]) is None


def repeat(*best: float, seconds: float = 1.0) -> Run:
    """One user, whose best rises step by step to these."""
    count = len(best)
    at = seconds * np.arange(1, count + 1) / 10
    return Run("r", np.array([1.0]), at, at, np.zeros(count, int), np.array(best), count, 0.1)


def test_a_rule_that_has_ended_stays_where_it_is() -> None:
    runs = {"quick": [repeat(0.6, 0.9)], "slow": [repeat(0.5, 0.7, seconds=4.0)]}
    drawn = tenants.curves(runs, "time", "loss", worst=False)
    quick, slow = drawn["quick"], drawn["slow"]
    assert (quick.at[0], quick.at[-1]) == pytest.approx((0.1, 0.8))
    assert (slow.at[0], slow.at[-1]) == pytest.approx((0.4, 0.8))
    assert (quick.value[0], quick.value[-1]) == pytest.approx((0.4, 0.1))
    assert (slow.value[0], slow.value[-1]) == pytest.approx((0.5, 0.3))


def test_the_worst_repeat_is_never_below_the_mean() -> None:
    runs = {"a": [repeat(0.6, 0.9), repeat(0.2, 0.3)]}
    mean = tenants.curves(runs, "time", "loss", worst=False)["a"]
    worst = tenants.curves(runs, "time", "loss", worst=True)["a"]
    assert (mean.value[0], mean.value[-1]) == pytest.approx((0.6, 0.4))
    assert (worst.value[0], worst.value[-1]) == pytest.approx((0.8, 0.7))


def test_losses_are_drawn_on_log_axes_from_a_little_below_the_lowest() -> None:
    drawn = {"a": Steps(np.array([0.1, 1.0]), np.array([0.4, 0.0]))}
    figure = tenants.draw(drawn, "time", "loss")
    assert list(figure.data[0].y) == pytest.approx([0.4, 1e-3])
    assert list(figure.layout.yaxis.range) == pytest.approx([-3.0, 0.0])
    assert list(figure.layout.xaxis.range) == pytest.approx([-1.0, 0.0])
    assert figure.layout.xaxis.title.text == "share of the total run time"
    higher = {"a": Steps(np.array([0.1, 1.0]), np.array([0.4, 0.2]))}
    ends = tenants.draw(higher, "runs", "loss").layout.yaxis.range
    assert ends[0] == pytest.approx(math.log10(0.14))
    relative = tenants.draw(higher, "runs", "relative")
    assert list(relative.data[0].y) == pytest.approx([0.4, 0.2])
    assert relative.layout.yaxis.type == "linear"
    assert relative.layout.xaxis.title.text == "share of all models"


def test_shares_of_the_run_time_are_in_per_cent_and_what_is_not_reached_is_never() -> None:
    told = TenantScore(
        {"0.05": 0.125, "0.02": 0.5, "0.01": None}, {"0.02": (0.4, None)}, {}, {"0.05": 0.3},
        {}, 1.0, 0.1, 2,
    )  # fmt: skip
    assert tenants._cells(told) == ["12.5", "50", "never", "40 to never", "30"]
