"""The sections that are charts: which there are, what they are called, and what stands beside."""

import json
import re
from typing import Any

from tests.report.studies import many, maximising, measured, mixed, recommended, subject, told
from tests.report.test_markup import Seen
from tests.report.test_page import CHART
from tunewise.history import Failure, History, Measurement
from tunewise.report.layout.markup import Markup
from tunewise.report.sections.gallery import influence, limits, parameters, progress_and_plane

PART = History([measured(0, 0.9, 0.01, fraction=0.5)])


def drawn(section: Markup) -> dict[str, Any]:
    """The charts of a section by their key."""
    found = re.findall(CHART, section)
    return {key: json.loads(data) for key, data in found}


def about(section: Markup) -> dict[str, str]:
    """What is read aloud of each chart."""
    return dict(re.findall(r'data-plot="([\w-]+)"[^>]* aria-label="(.*?)"', section))


def legend(section: Markup) -> list[tuple[str, str, str]]:
    """Role, sign and words of each mark."""
    item = r'<li><i class="(\w+)" aria-hidden="true">(.)</i>(.*?)</li>'
    return re.findall(item, section)


def halves(section: Markup) -> tuple[Markup, Markup]:
    """The progress and the plane, which stand side by side."""
    progress, _, plane = section.partition('<section class="card" data-part="plane">')
    return Markup(progress), Markup(plane)


def test_progress_has_a_chart_for_each_effort_and_says_where_it_ended() -> None:
    progress, _ = halves(progress_and_plane(subject()))
    told = about(progress)
    assert set(told) == {"best-cost", "best-time", "best-trials"}
    assert all(words.endswith(": 0.9") for words in told.values())


def test_progress_says_so_where_no_trial_keeps_the_limits() -> None:
    dear = subject(history=History([measured(0, 0.9, 0.5)]))
    progress, _ = halves(progress_and_plane(dear))
    assert about(progress)["best-cost"].endswith(": none keeps all")


def test_progress_leaves_out_an_effort_that_nothing_was_booked_of() -> None:
    free = History([told(0, Measurement({"accuracy": 0.5}))])
    progress, _ = halves(progress_and_plane(subject(maximising(subject_to=[]), free)))
    assert list(drawn(progress)) == ["best-trials"]


def test_progress_waits_for_a_trial_on_the_full_data() -> None:
    for history in (History(), PART, History([told(0, Failure("no", {"cost": 0.1}))])):
        progress, _ = halves(progress_and_plane(subject(history=history)))
        assert "No trial on the full data has been measured yet." in progress
        assert not drawn(progress)


def test_progress_speaks_of_limits_only_where_there_are_some() -> None:
    limited, _ = halves(progress_and_plane(subject()))
    assert "The best measured trial that keeps all limits, against what" in limited
    free, _ = halves(progress_and_plane(subject(maximising(subject_to=[]))))
    assert "The best measured trial so far, against what" in free


def test_the_plane_is_drawn_against_cost_and_time_without_a_legend_of_its_own() -> None:
    _, plane = halves(progress_and_plane(subject()))
    assert about(plane) == {
        "trials-cost": "7 trials by accuracy and cost",
        "trials-time": "7 trials by accuracy and time",
    }
    layouts = [chart["layout"] for chart in drawn(plane).values()]
    assert [(each["showlegend"], each["margin"]["t"]) for each in layouts] == [(False, 12)] * 2


def test_the_plane_never_shows_the_objective_against_itself() -> None:
    cheapest = maximising(maximize=None, minimize="cost", subject_to=["accuracy >= 0.5"])
    _, plane = halves(progress_and_plane(subject(cheapest)))
    assert list(drawn(plane)) == ["trials-time"]


def test_the_plane_waits_for_a_trial_that_ended() -> None:
    for history in (History(), History([told(0, None)])):
        _, plane = halves(progress_and_plane(subject(history=history)))
        assert "No trial has ended yet." in plane
        assert legend(plane) == []


def test_the_legend_of_the_plane_has_the_marks_that_are_there() -> None:
    _, plane = halves(progress_and_plane(subject(given=recommended())))
    assert legend(plane) == [
        ("keeps", "●", "keeps the limits"),
        ("breaks", "◆", "breaks a limit"),
        ("partial", "○", "part of the data"),
        ("failed", "×", "failed"),
        ("partial", "+", "cancelled"),
        ("recommended", "★", "recommended"),
    ]
    _, alone = halves(progress_and_plane(subject(maximising(subject_to=[]), mixed()[1:2])))
    assert legend(alone) == [("keeps", "●", "complete")]


def test_each_parameter_has_a_small_chart_with_a_name_for_readers_aloud() -> None:
    shown = parameters(subject())
    assert about(shown) == {
        "parameter-0": "accuracy against vm",
        "parameter-1": "accuracy against vms",
        "parameter-2": "accuracy against rate",
        "parameter-3": "accuracy against layers",
    }


def test_parameters_speak_of_the_dotted_line_only_where_there_is_one() -> None:
    assert "dotted line" not in parameters(subject())
    assert "dotted line" in parameters(subject(given=recommended()))
    # The star of the plane has no place here: the line takes its part.
    assert [words for *_, words in legend(parameters(subject(given=recommended())))] == [
        "keeps the limits", "breaks a limit", "part of the data"
    ]  # fmt: skip


def test_parameters_wait_for_a_measured_trial() -> None:
    shown = parameters(subject(history=History([told(0, Failure("no"))])))
    assert "No trial has been measured yet." in shown and not drawn(shown)


def test_influence_needs_enough_trials_and_says_how_many() -> None:
    assert "This needs at least 10 measured trials." in influence(subject(history=many(9)))
    shown = influence(subject(history=many(60)))
    bars = drawn(shown)["importance-bars"]["data"][0]
    assert f"rate explains {bars['text'][-1]}" in about(shown)["importance-bars"]


def test_limits_have_a_titled_chart_each_and_the_share_that_kept_all() -> None:
    shown = limits(subject(maximising(subject_to=["cost <= 0.02", "accuracy >= 0.5"])))
    assert shown is not None
    assert list(drawn(shown)) == ["margin-0", "margin-1", "share"]
    assert re.findall(r"<h3>(.*?)</h3>", shown) == [
        "cost ≤ 0.02 USD", "accuracy ≥ 0.5", "75 % of 4 trials kept all limits"
    ]  # fmt: skip
    assert about(shown)["share"] == "75 % of 4 trials kept all limits"


def test_limits_are_left_out_where_there_are_none_and_wait_for_the_full_data() -> None:
    assert limits(subject(maximising(subject_to=[]))) is None
    waiting = limits(subject(history=PART))
    assert waiting is not None
    assert "No trial on the full data has been measured yet." in Seen(waiting).text
    assert not drawn(waiting)


def test_a_limit_that_no_trial_measured_has_no_chart() -> None:
    only_time = History([told(0, Measurement({"accuracy": 0.5, "time": 9.0}))])
    shown = limits(subject(maximising(subject_to=["cost <= 1", "time <= 60"]), only_time))
    assert shown is not None
    assert list(drawn(shown)) == ["margin-1", "share"]
