"""Figures for notebooks, straight from a study."""

import subprocess
import sys
from dataclasses import dataclass

import pytest

import tunewise as tw
from tests.report.studies import many, maximising, mixed
from tunewise.errors import StudyError
from tunewise.history import History
from tunewise.problem import Problem


@dataclass
class Studied:
    problem: Problem
    history: History


STUDY = Studied(maximising(), mixed())
LONG = Studied(maximising(), many(60))
EMPTY = Studied(maximising(), History())


def test_the_best_so_far_is_drawn_against_each_effort() -> None:
    by_cost, by_trials = tw.plot.best_so_far(STUDY), tw.plot.best_so_far(STUDY, by="trials")
    assert "USD" in by_cost.layout.xaxis.title.text
    assert by_trials.layout.xaxis.title.text != by_cost.layout.xaxis.title.text


def test_slices_have_a_chart_for_each_parameter_or_for_one() -> None:
    every = tw.plot.slices(STUDY)
    titles = {axis.title.text for axis in every.select_xaxes()}
    assert titles == {"vm", "vms", "rate", "layers"}
    one = tw.plot.slices(STUDY, "rate")
    assert one.layout.xaxis.type == "log"
    points = sum(len(t.x) for t in one.data)
    assert points == len(STUDY.history.complete)
    assert sum(len(t.x) for t in every.data) == 4 * points


def test_importance_is_a_figure_and_numbers() -> None:
    shares = tw.plot.importances(LONG)
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    [bars] = tw.plot.importance(LONG).data
    assert sorted(bars.x) == pytest.approx(sorted(shares.values()))


def test_trials_and_limits_are_drawn() -> None:
    assert "cost" in tw.plot.trials(STUDY).layout.xaxis.title.text
    assert "time" in tw.plot.trials(STUDY, "time").layout.xaxis.title.text
    assert len(tw.plot.limits(STUDY).data) >= 1


def test_every_measured_trial_is_a_line_through_all_its_values() -> None:
    [lines] = tw.plot.parallel_coordinates(STUDY).data
    assert [d.label for d in lines.dimensions] == ["vm", "vms", "rate", "layers", "accuracy"]
    assert {len(d["values"]) for d in lines.dimensions} == {len(STUDY.history.complete)}
    rate = lines.dimensions[2]
    assert min(rate["values"]) >= -5, "a log scale is drawn in powers of ten"


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda: tw.plot.importance(STUDY), "importance needs 10 or more"),
        (lambda: tw.plot.best_so_far(STUDY, by="costs"), "did you mean 'cost'|expected"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: tw.plot.trials(STUDY, "money"), "against is 'money'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: tw.plot.slices(STUDY, "rates"), "unknown parameter 'rates'.*rate"),
        (lambda: tw.plot.limits(Studied(maximising(subject_to=[]), mixed())), "no limits"),
        (lambda: tw.plot.parallel_coordinates(EMPTY), "no trial has been measured"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_a_sentence(draw: object, sentence: str) -> None:
    with pytest.raises(StudyError, match=sentence):
        draw()  # type: ignore[operator]  # a function of nothing


def test_plotly_is_loaded_only_when_something_is_drawn() -> None:
    code = "import sys, tunewise; tunewise.plot; print('plotly' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_trials_are_drawn_by_their_time_where_no_cost_was_measured() -> None:
    told = tw.Measurement({"accuracy": 0.9, "time": 60.0})
    history = History([tw.Trial(0, {"x": 1}).told(told)])
    study = Studied(Problem(tw.Space(tw.Choice("x", [1, 2])), maximize="accuracy"), history)
    drawn = tw.plot.trials(study)
    assert "time" in drawn.layout.xaxis.title.text
    assert sum(len(trace.x) for trace in drawn.data) == 1


def test_completion_shows_the_figures_and_nothing_else() -> None:
    assert dir(tw.plot) == sorted(tw.plot.__all__)


def test_several_charts_stand_in_rows_of_three_with_axes_of_their_own() -> None:
    drawn = tw.plot.slices(STUDY)
    assert len(list(drawn.select_xaxes())) == 4
    # Two rows: the fourth chart stands alone in the second, at the left.
    lefts = [round(axis.domain[0], 3) for axis in drawn.select_xaxes()]
    assert lefts[0] == lefts[3] == 0.0 and lefts[0] < lefts[1] < lefts[2]
    downs = [axis.domain[1] for axis in drawn.select_yaxes()]
    assert downs[:3] == pytest.approx([1.0] * 3) and downs[3] < 0.5
    assert drawn.layout.height == 560 and not drawn.layout.showlegend
    one = tw.plot.limits(STUDY)
    assert one.layout.height == 280


def test_charts_side_by_side_keep_their_titles_scales_and_shades() -> None:
    drawn = tw.plot.slices(STUDY)
    assert drawn.layout.xaxis3.title.text == "rate" and drawn.layout.xaxis3.type == "log"
    limited = Studied(maximising(subject_to=["cost <= 0.02", "accuracy >= 0.5"]), mixed())
    both = tw.plot.limits(limited)
    spans = [(shape.xref, shape.yref) for shape in both.layout.shapes]
    # What spanned a whole chart spans its part, and stays at its height.
    assert spans == [("x domain", "y"), ("x domain", "y"), ("x2 domain", "y2"), ("x2 domain", "y2")]
    assert [trace.xaxis for trace in both.data] == ["x", "x", "x2"]


def test_trials_are_drawn_by_their_time_where_the_cost_is_the_objective() -> None:
    cheapest = Studied(maximising(maximize=None, minimize="cost", subject_to=[]), mixed())
    assert "time" in tw.plot.trials(cheapest).layout.xaxis.title.text


def test_importances_are_shares_by_parameter() -> None:
    shares = tw.plot.importances(LONG)
    assert next(iter(shares)) == "rate" and set(shares) == {"vm", "vms", "rate", "layers"}
    with pytest.raises(StudyError, match="5 trials were measured; importance needs 10 or more"):
        tw.plot.importances(STUDY)
