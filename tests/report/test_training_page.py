"""The page of a training: what it says of time, settings, beliefs and money."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.report.test_markup import Seen
from tests.report.test_page import charts
from tests.report.test_training import followed
from tunewise.online import Tuner
from tunewise.report.file import library_name
from tunewise.report.layout import theme
from tunewise.report.training import render, write
from tunewise.report.training.charts import draw_losses, draw_outcomes
from tunewise.report.training.course import Losses, Outcome, Stretch, losses, outcomes, stretches
from tunewise.space import Config, Real, Space

DONE = "samples >= 40"


def hourly(setting: Config) -> float:
    """A dollar a second, two with a worker more."""
    return 3600.0 * (1 + int(setting["workers"]))


def page(
    *told: float,
    until: str = DONE,
    price: Callable[[Config], float] | None = None,
    deadline: float | None = None,
) -> str:
    return render("digits", followed(*told, until=until), price, deadline, script="plotly.js")


def cards(shown: str) -> list[str]:
    found = re.findall(r'<section class="card"><h2>.*?</section>', shown)
    return [Seen(each).text for each in found]


FOUR = (0.9, 0.8, 0.7, 0.6)


def test_the_header_tells_whether_it_is_done_and_under_which_setting() -> None:
    done = Seen(page(*FOUR)).text
    assert "Done, under workers=1." in done
    assert "until samples >= 40" in done
    assert "iterations 4" in done and "settings 2" in done and "deadline" not in done
    assert "Not done yet, under workers=0." in Seen(page(0.9, until="samples >= 1000")).text


def test_a_deadline_is_named_and_said_to_be_missed_once_it_is() -> None:
    # All took 13 seconds.
    late = Seen(page(*FOUR, deadline=12.0)).text
    assert "deadline 12 s" in late and "; the deadline of 12 s" in late
    even = Seen(page(*FOUR, deadline=13.0)).text
    assert "deadline 13 s" in even and "; the deadline" not in even


def test_the_cards_tell_time_switches_and_what_staying_would_have_taken() -> None:
    time, staying, switches = cards(page(*FOUR))
    assert time == "Time13 s23 % of it in switches"
    assert staying.startswith("First setting alone") and "by staying" in staying
    assert switches == "Switches1from setting to setting"
    assert cards(page(0.9, until="samples >= 10"))[2].startswith("Switches0")


def test_with_prices_the_last_card_is_what_it_cost() -> None:
    assert cards(page(*FOUR, price=hourly))[2] == "Cost23.00 USDin all"
    cost = cards(page(*FOUR, until="samples >= 1000", price=hourly))[2]
    assert re.fullmatch(r"Cost23\.00 USDso far; [\d,.]+ USD expected in all", cost)


def test_while_it_runs_the_time_card_tells_what_is_left() -> None:
    time, *_ = cards(page(*FOUR, until="samples >= 1000"))
    assert re.search(r"in switches, about .+ left$", time)


def test_a_training_without_a_loss_says_so_and_draws_none() -> None:
    nan = float("nan")
    shown = page(nan, nan, until="samples >= 20")
    assert "No loss was reported." in shown
    assert "losses" not in charts(shown)
    assert "losses" in charts(page(*FOUR))


def test_beliefs_are_counted_only_once_the_truth_is_known() -> None:
    known = page(*FOUR)
    assert "The truth lay inside in 100 % of them." in known
    running = page(*FOUR, until="samples >= 1000")
    assert "as a range from 10 to 90 %." in running and "The truth lay" not in running
    assert "outcomes" in charts(running)
    assert 'data-part="believed"' not in page(0.9, until="samples >= 10")


def test_the_table_has_a_row_for_each_stretch() -> None:
    body = page(*FOUR).partition("<tbody>")[2].partition("</tbody>")[0]
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in body.split("</tr>")[:-1]]
    assert rows == [
        ["0 s", "workers=0", "2", "1.5 s", "0 s", "0.8"],
        ["3 s", "workers=1", "2", "3.5 s", "3 s", "0.6"],
    ]


def test_switches_are_marked_where_they_began_at_the_loss_before() -> None:
    tuner = followed(*FOUR, until=DONE)
    line, marks = draw_losses(losses(tuner), stretches(tuner), target=None).data
    assert (list(line.x), list(line.y)) == ([1.0, 3.0, 9.0, 13.0], list(FOUR))
    assert (list(marks.x), list(marks.y)) == ([3.0], [0.8])
    assert list(marks.hovertext) == ["to workers=1"]
    assert line.hovertext[0] == "loss 0.9 after 1 s"


def test_the_target_is_a_dotted_line_where_there_is_one() -> None:
    tuner = followed(*FOUR, until=DONE)
    none = draw_losses(losses(tuner), stretches(tuner), target=None).layout
    assert len(none.shapes) == 0
    [line] = draw_losses(losses(tuner), stretches(tuner), target=0.5).layout.shapes
    assert (line.y0, line.y1) == (0.5, 0.5) and (line.x0, line.x1) == (0, 1)


def test_long_trainings_are_drawn_in_hours_with_a_little_room_at_the_end() -> None:
    seen = Losses(np.array([3600.0, 7200.0]), np.array([0.9, 0.8]))
    second = Stretch({"workers": 1}, 5400.0, 7200.0, 1, 1.0, 0.0, 0.8)
    drawn = draw_losses(seen, [second, second], None)
    assert drawn.layout.xaxis.title.text == "Time (h)"
    assert list(drawn.layout.xaxis.range) == pytest.approx([0.0, 2.04])
    assert list(drawn.data[0].x) == pytest.approx([1.0, 2.0])
    assert list(drawn.data[1].x) == pytest.approx([1.5])


def test_what_is_not_known_yet_leaves_a_gap_in_the_line_of_truths() -> None:
    [told] = outcomes(followed(*FOUR, until=DONE))
    gaps = [Outcome(told.believed, 1.0, 4.0, true) for true in (None, 2.0, 0.0)]
    believed, true = draw_outcomes(gaps).data
    assert list(true.y) == pytest.approx([None, 2.0, 1e-9])
    assert list(believed.x) == list(true.x) == [told.believed.at] * 3
    assert list(believed.y) == pytest.approx([2.0] * 3)
    assert true.line.color == theme.colour("keeps")


def test_a_page_is_written_with_the_library_beside_it_or_inside(tmp_path: Path) -> None:
    tuner = followed(*FOUR, until=DONE)
    write(tmp_path / "new" / "run.html", "digits", tuner, price=hourly, deadline=20.0)
    names = sorted(each.name for each in (tmp_path / "new").iterdir())
    assert names == sorted([library_name(), "run.html"])
    text = (tmp_path / "new" / "run.html").read_text()
    assert f'<script src="{library_name()}">' in text
    assert "23.00 USD" in text and "deadline <b>20 s</b>" in text
    write(tmp_path / "one" / "run.html", "digits", tuner, self_contained=True)
    assert [each.name for each in (tmp_path / "one").iterdir()] == ["run.html"]


def test_a_space_of_numbers_has_many_settings() -> None:
    tuner = Tuner(Space(Real("rate", 0.0, 1.0)), "samples >= 40", default={"rate": 0.5})
    assert "settings many" in Seen(render("digits", tuner, script="plotly.js")).text
