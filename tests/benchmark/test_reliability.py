"""What was said of recommended configs, against the truth."""

from pathlib import Path

import pytest

import tunewise as tw
from tunewise.benchmark.contest import Contest
from tunewise.benchmark.measures.reliability import Claim, claimed, looked_back, reliability
from tunewise.benchmark.measures.score import score
from tunewise.benchmark.race import replayed
from tunewise.errors import StrategyError
from tunewise.history import History
from tunewise.strategy import StrategySpec
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion
from tunewise.surrogate import Normal
from tunewise.surrogate.scale import SCALES

SPACE = tw.Space(tw.Ordinal("size", [1, 2, 4]))
PROBLEM = tw.Problem(SPACE, maximize="accuracy", subject_to=["cost <= 2"], fractions=(0.1, 1.0))


def told(*trials: tuple[int, float]) -> History:
    measured = {"accuracy": 0.8, "cost": 1.0, "time": 1.0}
    return History(
        tw.Trial(i, {"size": size}, s).told(tw.Measurement(measured))
        for i, (size, s) in enumerate(trials)
    )


def test_a_claim_says_how_much_was_seen_and_which_intervals_held() -> None:
    expected = {"accuracy": Normal(0.8, 0.01), "cost": Normal(1.0, 0.5)}
    answer = Recommendation({"size": 2}, 1.0, expected, feasible=0.95)
    history = told((2, 0.1), (4, 1.0))
    claim = claimed(PROBLEM, history, answer, {"accuracy": 0.9, "cost": 1.7})
    assert claim == Claim(0.95, True, 0.1, {"accuracy": False, "cost": True})
    broken = claimed(PROBLEM, history, answer, {"accuracy": 0.8, "cost": 2.1})
    assert broken is not None and not broken.true
    failed = claimed(PROBLEM, history, answer, None)
    assert failed == Claim(0.95, False, 0.1, {})


def test_an_answer_without_a_prediction_claims_nothing() -> None:
    assert claimed(PROBLEM, told((1, 1.0)), Recommendation({"size": 1}), {"cost": 1.0}) is None


def test_claims_are_counted_by_the_largest_fraction_seen() -> None:
    rows = reliability([
        Claim(0.95, True, 0.1, {"cost": True}),
        Claim(0.91, False, 0.25, {"cost": False}),
        Claim(0.5, True, 0.2),
        Claim(0.3, False, 0.0),
        Claim(1.0, True, 1.0, {"cost": True}),
    ])  # fmt: skip
    never, some, full = rows
    assert (never.seen, never.claims, never.sure, never.sure_true) == ("never measured", 1, 0, None)
    assert (some.seen, some.claims, some.sure) == ("up to 30 %", 3, 2)
    assert some.sure_true == pytest.approx(0.5)
    assert some.true == pytest.approx(2 / 3)
    assert some.said == pytest.approx((0.95 + 0.91 + 0.5) / 3)
    assert some.held == pytest.approx(0.5)
    assert (full.seen, full.true, full.held) == ("100 %", 1.0, 1.0)


def test_the_interval_of_a_cost_is_the_one_of_its_logarithm() -> None:
    scale = SCALES["positive"]
    natural = scale.natural(Normal(1.0, 0.8))
    low, high = scale.interval(natural, 0.9)
    assert low == pytest.approx(2.71828 ** (1.0 - 1.645 * 0.8), rel=1e-2)
    assert high == pytest.approx(2.71828 ** (1.0 + 1.645 * 0.8), rel=1e-2)
    assert SCALES["real"].interval(Normal(2.0, 1.0), 0.9) == pytest.approx((0.355, 3.645), abs=1e-3)


def test_a_race_tells_whether_what_was_said_came_true(tmp_path: Path) -> None:
    rows = "size,fraction,accuracy,time,cost\n" + "".join(
        f"{size},{s},{0.5 + 0.1 * size * s},{10 * size * s},{size * s}\n"
        for size in (1, 2, 4) for s in (0.1, 1.0)
    )  # fmt: skip
    (tmp_path / "t.csv").write_text(rows)
    table = tw.Table(tmp_path / "t.csv", ["size"], fraction="fraction")
    problem = tw.Problem(
        table.space, maximize="accuracy", subject_to=["cost <= 2"], fractions=table.fractions
    )
    run = replayed(Contest(table, problem, 5), StrategySpec("trimtuner"), 0)
    claims = [step.claim for step in run.steps if step.claim is not None]
    assert claims, "trimtuner says what it expects"
    assert all(step.claim is None or step.claim.true == step.feasible for step in run.steps)
    assert sum(row.claims for row in score([run]).reliability) == len(claims)


@pytest.mark.parametrize(
    ("largest", "row"),
    [
        (0.0, "never measured"),
        (0.05, "up to 5 %"),
        (0.051, "up to 30 %"),
        (0.3, "up to 30 %"),
        (0.5, "below 100 %"),
        (0.999, "below 100 %"),
        (1.0, "100 %"),
    ],
)
def test_rows_are_by_how_much_of_a_config_was_seen(largest: float, row: str) -> None:
    assert [found.seen for found in reliability([Claim(0.5, True, largest)])] == [row]


def test_nine_in_ten_is_sure() -> None:
    [row] = reliability([Claim(0.9, True, 1.0), Claim(0.899, False, 1.0)])
    assert (row.sure, row.sure_true) == (1, 1.0)
    assert reliability([]) == []


def test_a_truth_at_the_very_end_of_an_interval_lies_within() -> None:
    exact = Recommendation({"size": 2}, 1.0, {"accuracy": Normal(0.8, 0.0)}, feasible=1.0)
    for truth, held in ((0.8, True), (0.8 * (1 + 1e-10), True), (0.81, False), (0.79, False)):
        claim = claimed(PROBLEM, told(), exact, {"accuracy": truth, "cost": 1.0})
        assert claim is not None and claim.held == {"accuracy": held}


class Fixed(Strategy):
    """Recommends what was measured first, and says what it expects; nothing before that."""

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        raise AssertionError("nobody asks")

    def recommend(self, history: History) -> Recommendation:
        if not history.complete:
            raise StrategyError("nothing was measured")
        first = history.complete[0]
        return Recommendation(first.config, 1.0, {"cost": Normal(1.0, 0.5)}, feasible=0.8)


def test_looking_back_checks_what_would_have_been_said_after_each_trial() -> None:
    failed = tw.Trial(0, {"size": 1}).told(tw.Failure("no"))
    on_part = tw.Trial(1, {"size": 2}, 0.1).told(tw.Measurement({"accuracy": 0.5, "cost": 0.1}))
    running = tw.Trial(2, {"size": 4})
    whole = tw.Trial(3, {"size": 2}).told(tw.Measurement({"accuracy": 0.8, "cost": 3.0}))
    strategy = Fixed(PROBLEM, 0)
    claims = list(looked_back(strategy, History([failed, on_part, running, whole])))
    # After the failure nothing is known, and nothing new after a trial that still runs.
    assert [(claim.largest, claim.said, claim.true) for claim in claims] == [
        (0.1, 0.8, False), (1.0, 0.8, False)
    ]  # fmt: skip
    # What was never measured on all of the data cannot be checked.
    assert list(looked_back(strategy, History([on_part]))) == []
