"""What was said of recommended configs, against the truth."""

from pathlib import Path

import pytest

import tunewise as tw
from tunewise.benchmark.contest import Contest
from tunewise.benchmark.measures.reliability import Claim, claimed, reliability
from tunewise.benchmark.measures.score import score
from tunewise.benchmark.race import replayed
from tunewise.history import History
from tunewise.strategy import StrategySpec
from tunewise.strategy.strategy import Recommendation
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
