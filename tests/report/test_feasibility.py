import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.studies import maximising, measured, mixed
from tunewise.history import History, Measurement, Trial
from tunewise.problem import Problem
from tunewise.report.charts.feasibility import draw_margin, draw_share, margins, share_feasible
from tunewise.space import Real, Space


def test_the_share_counts_measured_trials_on_the_deployed_fraction() -> None:
    share = share_feasible(maximising(), mixed())
    assert share.numbers == (1, 2, 4, 5)
    assert share.shares == pytest.approx((1.0, 0.5, 2 / 3, 0.75))


def test_margins_are_parts_of_the_limit() -> None:
    (margin,) = margins(maximising(), mixed())
    assert margin.numbers == (1, 2, 4, 5)
    assert margin.values == (0.010, 0.030, 0.020, 0.015)
    assert margin.ratios == pytest.approx((0.5, 1.5, 1.0, 0.75))
    assert margin.limit == 1.0


def test_each_constraint_has_its_margins() -> None:
    problem = maximising(subject_to=["cost <= 0.02", "accuracy >= 0.5"])
    assert [str(m.constraint) for m in margins(problem, mixed())] == [
        "cost <= 0.02", "accuracy >= 0.5"
    ]  # fmt: skip


def test_without_constraints_there_are_no_margins() -> None:
    assert margins(maximising(subject_to=[]), mixed()) == ()


@pytest.mark.parametrize("bound", [0.0, -2.0])
def test_a_limit_that_is_not_above_zero_is_compared_as_it_is(bound: float) -> None:
    problem = Problem(
        Space(Real("x", 0, 1)), maximize="reward", subject_to=[f"drift <= {bound}"],
        metrics=["reward", "drift"],
    )  # fmt: skip
    trial = Trial(0, {"x": 0.5}).told(Measurement({"reward": 1.0, "drift": -1.0}))
    (margin,) = margins(problem, History([trial]))
    assert (margin.ratios, margin.limit) == ((-1.0,), bound)
    assert draw_margin(margin).layout.shapes[1].y0 == bound


@pytest.mark.parametrize(
    ("constraint", "beyond"), [("cost <= 0.02", "above"), ("accuracy >= 0.9", "below")]
)
def test_the_limit_is_a_line_and_what_lies_beyond_is_shaded(constraint: str, beyond: str) -> None:
    (margin,) = margins(maximising(subject_to=[constraint]), mixed())
    shade, line = draw_margin(margin).layout.shapes
    assert (line.y0, line.y1) == (1.0, 1.0)
    assert shade.y0 == 1.0
    assert (shade.y1 > 1.0) is (beyond == "above")


def test_kept_and_broken_trials_are_drawn_apart() -> None:
    (margin,) = margins(maximising(), mixed())
    kept, broken = draw_margin(margin).data
    assert (list(kept.x), list(broken.x)) == ([1, 4, 5], [2])


def test_an_empty_history_is_drawn_all_the_same() -> None:
    share = share_feasible(maximising(), History())
    assert share.shares == ()
    assert len(draw_share(share).data[0].x) == 0


@given(st.lists(st.floats(0.001, 0.1), min_size=1, max_size=40))
def test_a_ratio_of_at_most_one_is_a_kept_limit(costs: list[float]) -> None:
    problem = maximising()
    history = History(measured(i, 0.9, cost) for i, cost in enumerate(costs))
    (margin,) = margins(problem, history)
    share = share_feasible(problem, history)
    assert [r <= 1 for r in margin.ratios] == list(share.kept)
    assert share.shares[-1] == pytest.approx(sum(share.kept) / len(costs))


def test_hovering_over_the_share_tells_it_up_to_each_trial() -> None:
    drawn = draw_share(share_feasible(maximising(), mixed()))
    [line] = drawn.data
    assert list(line.hovertext) == [
        "up to trial 1: 100 % kept the limits",
        "up to trial 2: 50 % kept the limits",
        "up to trial 4: 67 % kept the limits",
        "up to trial 5: 75 % kept the limits",
    ]
    assert (list(line.x), line.line.shape) == ([1, 2, 4, 5], "hv")
    assert list(drawn.layout.yaxis.range) == pytest.approx([0, 1.03])
    assert drawn.layout.yaxis.tickformat == ".0%"


def test_hovering_over_a_mark_tells_the_value_and_its_part_of_the_limit() -> None:
    (margin,) = margins(maximising(), mixed())
    kept, broken = draw_margin(margin).data
    assert broken.hovertext[0] == "trial 2: cost 0.03 USD: 150 % of 0.02 USD"
    assert list(kept.customdata) == [1, 4, 5]
    assert (kept.marker.symbol, broken.marker.symbol) == ("circle", "diamond")
    assert list(broken.y) == pytest.approx([1.5])


def test_where_all_keep_a_limit_no_mark_is_drawn_for_those_that_break_it() -> None:
    (margin,) = margins(maximising(subject_to=["cost <= 1"]), mixed())
    assert [trace.marker.symbol for trace in draw_margin(margin).data] == ["circle"]


def test_a_ratio_to_the_limit_is_in_per_cent_and_spreads_on_a_log_axis() -> None:
    (near,) = margins(maximising(), mixed())
    axis = draw_margin(near).layout.yaxis
    assert (axis.title.text, axis.tickformat, axis.type) == ("cost / limit", ".0%", "linear")
    # From 0.5 to 1.5 of the limit, with 6 % of that around.
    assert list(axis.range) == pytest.approx([0.44, 1.56])
    far = margins(maximising(), History([measured(0, 0.9, 0.001), measured(1, 0.9, 0.01)]))
    assert draw_margin(far[0]).layout.yaxis.type == "log"


def test_what_is_compared_as_it_is_keeps_its_unit_and_is_never_in_per_cent() -> None:
    problem = Problem(
        Space(Real("x", 0, 1)), maximize="reward", subject_to=["drift <= -2"],
        metrics=["reward", "drift"],
    )  # fmt: skip
    trials = [
        Trial(i, {"x": 0.5}).told(Measurement({"reward": 1.0, "drift": drift}))
        for i, drift in enumerate((-3.0, -1.0))
    ]
    (margin,) = margins(problem, History(trials))
    drawn = draw_margin(margin)
    axis = drawn.layout.yaxis
    assert (axis.title.text, axis.tickformat, axis.type) == ("drift", None, "linear")
    kept, broken = drawn.data
    assert (list(kept.x), list(broken.x)) == ([0], [1])
    assert broken.hovertext[0] == "trial 1: drift -1"


def test_a_trial_that_lacks_the_limited_metric_has_no_mark() -> None:
    lacking = Trial(1, {}).told(Measurement({"accuracy": 0.5}))
    (margin,) = margins(maximising(), History([measured(0, 0.9, 0.01), lacking]))
    assert margin.numbers == (0,)
