"""Trials in a terminal: which columns there are, and what stands in them."""

from tests.report.studies import expected_better, maximising, measured, mixed, recommended, told
from tests.report.test_text import printed
from tunewise.history import Failure, History, Measurement, TimedOut
from tunewise.problem import Metric
from tunewise.report.failures import failures
from tunewise.report.front import cells, front
from tunewise.report.listing import metric_column, narrow_columns, trials_table, wide_columns
from tunewise.report.overview import UNSUPPORTED, UNTRIED, overview
from tunewise.report.table import table
from tunewise.report.text import recommendation_panel, spent_line, trials_line
from tunewise.strategy.strategy import UNKNOWN
from tunewise.surrogate.normal import Normal


def test_a_wide_table_has_a_column_for_each_parameter_and_metric() -> None:
    columns = wide_columns(table(maximising(), mixed()), limits=True)
    assert [c.name for c in columns] == [
        "trial", "state", "data", "vm", "vms", "rate", "layers", "accuracy", "cost (USD)", "time",
        "limits", "reason",
    ]  # fmt: skip
    by_name = {c.name: c for c in columns}
    assert by_name["limits"].cells == ["–", "kept", "broken", "–", "kept", "kept", "–", "–", "–"]
    assert by_name["reason"].cells[3] == "out of memory" and by_name["reason"].cells[4] == ""
    assert by_name["cost (USD)"].cells[2:4] == ["0.03", "0.002"]
    assert by_name["accuracy"].cells[3] == "–"
    assert by_name["time"].cells[:4] == ["1 m", "1 m", "1 m", "5 s"]
    assert by_name["data"].cells[:2] == ["1/2", "all"]
    assert {c.name for c in columns if c.right} == {"trial", "accuracy", "cost (USD)", "time"}


def test_columns_that_say_nothing_are_left_out() -> None:
    plain = maximising(subject_to=[], fractions=(1.0,))
    columns = wide_columns(table(plain, History([measured(0, 0.5, 0.01)])), limits=False)
    assert not {"limits", "reason", "data"} & {c.name for c in columns}
    # A trial on a part of the data makes the column tell, whatever the problem says by now.
    part = wide_columns(table(plain, History([measured(0, 0.5, 0.01, fraction=0.5)])), limits=False)
    assert "data" in {c.name for c in part}


def test_a_narrow_table_has_the_config_in_one_column_and_ticks_for_the_limits() -> None:
    columns = {c.name: c for c in narrow_columns(table(maximising(), mixed()))}
    assert columns["state"].cells[:4] == ["complete", "complete ✓", "complete ✗", "failed"]
    assert columns["config"].cells[1] == "vm=small vms=2 rate=0.01 layers=2 data=all"
    assert columns["config"].cells[3].endswith("data=all\nout of memory")


def test_a_metric_of_ones_own_carries_its_unit_in_each_cell() -> None:
    rows = table(
        maximising(), History([told(0, Measurement({"accuracy": 0.5, "speed": 3.0}))])
    ).rows
    column = metric_column(Metric("speed", "positive", "images/s"), rows)
    assert (column.name, column.cells) == ("speed", ["3 images/s"])


def test_only_the_last_trials_are_listed_and_the_others_are_counted() -> None:
    assert "8 earlier trials not shown" in printed(trials_table(maximising(), mixed(), limit=1))
    assert "1 earlier trial not shown" in printed(trials_table(maximising(), mixed(), limit=8))
    for limit in (9, 100, None):
        assert "not shown" not in printed(trials_table(maximising(), mixed(), limit=limit))


def test_failures_are_grouped_by_headline_the_most_frequent_first() -> None:
    late = [TimedOut(f"too slow: limit {n} s", {"cost": 0.5, "time": 9.0}) for n in (3, 4)]
    groups = failures(
        History(
            [
                told(0, Failure("out of memory", {"time": 5.0})),
                told(1, late[0]),
                told(2, late[1]),
                measured(3, 0.5, 0.01),
            ]
        )
    )
    assert [(g.headline, g.numbers) for g in groups] == [
        ("timed out: too slow", (1, 2)),
        ("out of memory", (0,)),
    ]
    assert (groups[0].cost, groups[0].time) == (1.0, 18.0)
    assert (groups[1].cost, groups[1].time) == (0.0, 5.0)
    assert groups[0].reason == "too slow: limit 3 s"


def test_the_front_names_the_data_only_where_a_part_may_be_deployed() -> None:
    both = {"maximize": ["accuracy"], "minimize": ["cost"], "subject_to": []}
    problem = maximising(**both, deploy="any")
    head, rows = cells(problem, front(problem, mixed()))
    assert head == ["trial", "accuracy", "cost", "data", "vm", "vms", "rate", "layers"]
    assert rows[0][:4] == ["2", "0.99", "0.03 USD", "all"]
    assert rows[1][:4] == ["0", "0.95", "0.001 USD", "1/2"]
    head, rows = cells(maximising(**both), front(maximising(**both), mixed()))
    assert "data" not in head and [row[0] for row in rows] == ["2", "4", "5", "1"]
    assert front(maximising(), mixed()) == ()


def test_what_was_spent_is_told_of_the_budget_and_in_red_beyond_it() -> None:
    def line(budget: float | None, history: History) -> tuple[str, str]:
        text = spent_line(overview(maximising(budget=budget), history))
        return text.plain, str(text.style)

    spent = History([measured(0, 0.5, 2.0)])
    assert line(8.0, spent) == ("spent 2.00 USD of 8.00 USD (25 %) and 1 m of training time", "")
    assert line(2.0, spent)[1] == "" and line(1.0, spent)[1] == "red"
    assert line(None, spent) == ("spent 2.00 USD and 1 m of training time", "")
    free = History([told(0, Measurement({"accuracy": 0.5, "time": 60.0}))])
    assert line(None, free) == ("spent 1 m of training time", "")
    assert line(8.0, free)[0].startswith("spent 0.00 USD of 8.00 USD")


def test_one_trial_is_no_trials() -> None:
    assert trials_line(overview(maximising(), mixed()[:1])).plain == "1 trial: 1 complete"
    assert trials_line(overview(maximising(), mixed()[:2])).plain == "2 trials: 2 complete"


def test_an_overview_counts_money_by_what_became_of_it() -> None:
    seen = overview(maximising(), mixed())
    assert {s.value: round(usd, 6) for s, usd in seen.spent_on.items()} == {
        "complete": 0.076, "failed": 0.002, "cancelled": 0.001, "preempted": 0.003,
    }  # fmt: skip
    assert seen.fractions == ("1/10", "1/2", "all")
    assert overview(maximising(fractions=(1.0,)), History()).fractions == ()


def test_a_belief_too_wide_to_help_is_not_written_as_a_number() -> None:
    wide = {"accuracy": Normal(0.9, 0.01), "cost": Normal(0.01, 0.021), "time": Normal(1.0, 1.9)}
    advice = overview(maximising(), mixed(), recommended(predicted=wide)).advice
    assert advice is not None
    expected = {p.metric: p.expected for p in advice.predictions}
    assert expected["cost"] == UNKNOWN and "±" in expected["time"]


def test_no_probability_stands_beside_what_is_not_known() -> None:
    wide = {"accuracy": Normal(0.9, 0.01), "cost": Normal(0.01, 0.021)}
    vague = recommended(config={"vm": "large"}, predicted=wide, feasible=0.64, least=0.9)
    advice = overview(maximising(), mixed(), vague).advice

    assert advice is not None and advice.predictions and advice.feasible is None
    assert "not known yet" in advice.warning and "64" not in advice.warning
    assert "64" not in repr(vague) + vague._repr_html_() and "feasible not known yet" in repr(vague)


def test_a_recommendation_shows_few_of_many_metrics_and_what_is_asked_for_first() -> None:
    many = {f"loss_{i}": Normal(0.5, 0.1) for i in range(100)} | recommended().predicted
    said = printed(
        recommendation_panel(overview(maximising(), mixed(), recommended(predicted=many)).advice)
    )
    assert all(name in said for name in ("accuracy", "cost", "loss_0"))
    assert "loss_50" not in said and "further metrics not shown" in said
    few = printed(recommendation_panel(overview(maximising(), mixed(), recommended()).advice))
    assert "not shown" not in few


def test_a_config_that_nothing_speaks_of_is_a_guess() -> None:
    for predicted in ({}, {"accuracy": Normal(0.5, 0.41)}, {"accuracy": Normal(float("nan"), 0.1)}):
        new = recommended(config={"vm": "large"}, predicted=predicted)
        advice = overview(maximising(), mixed(), new).advice
        assert advice is not None and advice.note == UNSUPPORTED
        assert advice.predictions == () and advice.feasible is None and advice.trial is None
        assert UNSUPPORTED.split(":")[0] in printed(recommendation_panel(advice))
    known = overview(maximising(), mixed(), recommended(config={"vm": "large"})).advice
    assert known is not None and known.note == UNTRIED and known.feasible == 0.973
    unlimited = overview(maximising(subject_to=[]), mixed(), recommended()).advice
    assert unlimited is not None and unlimited.feasible is None and unlimited.trial == 4


def test_what_the_models_prefer_stands_beside_only_where_it_differs() -> None:
    same, other = recommended().config, {"vm": "large"}
    hardly = recommended(config=other, predicted={"accuracy": Normal(0.9062, 0.003)})
    for beside, shown in (
        (expected_better(config=same), False),
        (expected_better(config=other), True),
        (hardly, False),
    ):
        advice = overview(maximising(), mixed(), recommended(predicted_best=beside)).advice
        assert advice is not None and (advice.predicted_best is not None) == shown
        assert ("The models expect this one" in printed(recommendation_panel(advice))) == shown


def test_the_sureness_of_a_recommendation_has_a_colour() -> None:
    def style(feasible: float) -> str:
        advice = overview(maximising(), mixed(), recommended(feasible=feasible)).advice
        lines = recommendation_panel(advice).renderable.renderables  # type: ignore[union-attr] # a group
        return str(next(line.style for line in lines if "probability of" in str(line)))

    assert [style(p) for p in (0.95, 0.9, 0.89, 0.5, 0.49)] == [
        "bold green", "bold green", "bold yellow", "bold yellow", "bold red",
    ]  # fmt: skip


def test_metrics_that_nobody_needs_come_last_by_name() -> None:
    extra = {"zeta": 1.0, "beta": 2.0, "alpha": 3.0, "delta": 4.0}
    history = History([told(0, Measurement({"accuracy": 0.5, "time": 1.0, "cost": 0.1, **extra}))])
    names = [metric.name for metric in table(maximising(), history).metrics]
    assert names == ["accuracy", "cost", "alpha", "beta", "delta", "time", "zeta"]


def test_a_narrow_table_keeps_to_the_metrics_that_are_asked_for() -> None:
    many = {"accuracy": 0.9, "cost": 0.01, "time": 30.0, **{f"k{i}": float(i) for i in range(500)}}
    history = History([told(0, Measurement(many))])
    shown = printed(trials_table(maximising(), history))
    assert "accuracy" in shown and "k101" in shown and "k499" not in shown
    assert "495 further metrics not shown" in " ".join(shown.split())
