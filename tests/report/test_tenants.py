"""The page of a race between rules for many users: its figures, its table, and its words."""

import re

import numpy as np
import pytest

from tests.report.test_markup import Seen
from tests.report.test_measures import repeat, rows
from tests.report.test_page import charts
from tunewise.benchmark.tenants.measures import Steps, TenantScore, scores
from tunewise.benchmark.tenants.race import Protocol, Run
from tunewise.benchmark.tenants.studies import Study
from tunewise.benchmark.tenants.table import TenantTable
from tunewise.report import tenants
from tunewise.report.layout import theme

TABLE = TenantTable(
    "clinics",
    ("small", "large"),
    np.array([[0.5, 0.9], [0.6, np.nan], [0.7, 0.8]]),
    np.array([[1.0, 100.0], [10.0, np.nan], [1e-6, 10.0]]),
)
RUNS = {"hybrid": [repeat(0.6, 0.9, 1.0)], "random": [repeat(0.2, 0.3, 0.5)]}


@pytest.fixture(scope="module")
def page() -> str:
    shown = [
        Study("rules", "The rules", "time", RUNS),
        Study("models", "Counted in models", "runs", {"hybrid": RUNS["hybrid"]}),
    ]
    protocol = Protocol(users=1, repeats=1, devices=2)
    return tenants.render(TABLE, protocol, scores(RUNS), shown, script="plotly.js")


def test_the_header_tells_the_size_of_the_table_and_how_it_was_raced(page: str) -> None:
    text = Seen(page).text
    assert "clinics" in text and "Tunewise tenants" in text
    for fact in ("users 3", "models 2", "test users 1", "repeats 1", "devices 2", "run times "):
        assert fact in text
    assert "<title>clinics tenants" in page


def test_the_first_study_is_shown_from_all_sides_and_the_others_from_two(page: str) -> None:
    keys = list(charts(page))
    assert keys == [
        "rules-loss-mean", "rules-worst-mean", "rules-loss-worst", "rules-relative-mean",
        "costs-spread", "models-loss-mean", "models-worst-mean",
    ]  # fmt: skip


def test_every_rule_has_a_row_of_measures(page: str) -> None:
    table = page.partition('data-part="measures"')[2].partition("</section>")[0]
    assert re.findall(r'<th scope="col">(.*?)</th>', table) == [
        "rule", "loss 0.05", "loss 0.02", "loss 0.01", "95 % of 0.02", "every user at 0.05"
    ]  # fmt: skip
    # The one user reaches all of 1.0 with the third model, after 0.3 of the time.
    assert rows(table) == [
        ["hybrid", "30", "30", "30", "30", "30"],
        ["random", "never", "never", "never", "never", "100"],
    ]


def test_run_times_are_spread_over_forty_bins_of_equal_ratio(page: str) -> None:
    drawn = charts(page)["costs-spread"]
    [bars] = drawn["data"]
    heights = np.array(bars["y"])
    # Five models ended; the quickest is counted as a tenth of a millisecond.
    assert len(heights) == 40 and heights.sum() == 5
    x, width = np.array(bars["x"]), np.array(bars["width"])
    assert x[1:] / x[:-1] == pytest.approx(np.full(39, 10 ** (6 / 40)))
    assert width == pytest.approx(x * (10 ** (3 / 40) - 10 ** (-3 / 40)))
    assert drawn["layout"]["xaxis"]["range"] == pytest.approx([-4.0, 2.0])
    assert drawn["layout"]["xaxis"]["title"]["text"] == "run time of a model (s)"


def test_the_first_rule_is_drawn_last_above_the_others() -> None:
    curve = Steps(np.array([0.1, 1.0]), np.array([0.4, 0.2]))
    drawn = tenants.draw({"<a>": curve, "b": curve}, "time", "worst")
    assert [line.name for line in drawn.data] == ["b", "&lt;a&gt;"]
    assert [line.line.color for line in drawn.data] == [
        theme.colour(theme.SERIES[1]), theme.colour(theme.SERIES[0])
    ]  # fmt: skip
    assert drawn.layout.yaxis.title.text == "loss of the worst user"
    assert drawn.data[0].line.shape == "hv"


def test_more_rules_than_colours_begin_again_with_the_first() -> None:
    curve = Steps(np.array([0.1, 1.0]), np.array([0.4, 0.2]))
    drawn = tenants.draw({str(i): curve for i in range(10)}, "time", "loss").data
    assert drawn[0].line.color == drawn[-1].line.color != drawn[-2].line.color


def test_relative_accuracy_is_shown_from_a_half_in_per_cent() -> None:
    curve = Steps(np.array([0.1, 1.0]), np.array([0.0, 1.0]))
    axis = tenants.draw({"a": curve}, "time", "relative").layout.yaxis
    assert list(axis.range) == pytest.approx([0.5, 1.01]) and axis.tickformat == ".0%"
    assert axis.title.text == "accuracy, relative to each user's best"


def test_losses_that_stay_high_are_shown_from_a_third_on() -> None:
    high = Steps(np.array([0.1, 1.0]), np.array([0.9, 0.8]))
    ends = tenants.draw({"a": high}, "time", "loss").layout.yaxis.range
    assert list(ends) == pytest.approx([np.log10(0.35), 0.0])


def test_curves_are_read_at_two_hundred_places_of_equal_ratio() -> None:
    found = tenants.curves(RUNS, "time", "loss", worst=False)["hybrid"]
    assert len(found.at) == 200
    assert found.at[1:] / found.at[:-1] == pytest.approx(np.full(199, 3 ** (1 / 199)))


def test_a_race_in_which_nothing_rose_is_drawn_over_a_tenth_of_it() -> None:
    none = np.empty(0)
    stuck = Run("r", np.array([1.0]), none, none, np.empty(0, int), none, 0, 0.1)
    found = tenants.curves({"a": [repeat(0.5)], "b": [stuck]}, "time", "loss", worst=False)
    assert (found["b"].at[0], found["b"].at[-1]) == pytest.approx((0.01, 0.1))
    assert set(found["b"].value.tolist()) == {1.0}
    # What rises only at the end still has a little width.
    assert (found["a"].at[0], found["a"].at[-1]) == pytest.approx((0.1, 0.101))


def test_an_interval_of_one_end_is_told_once() -> None:
    def told(low: float | None, high: float | None) -> str:
        level: dict[str, float | None] = {"0.05": 0.1, "0.02": 0.1, "0.01": 0.1}
        score = TenantScore(level, {"0.02": (low, high)}, {}, {"0.05": 1.0}, {}, 1.0, 0.1, 1)
        return tenants._cells(score)[3]

    assert told(0.125, 0.125) == "12.5"
    assert told(0.125, 0.5) == "12.5 to 50"
    assert told(None, None) == "never"
