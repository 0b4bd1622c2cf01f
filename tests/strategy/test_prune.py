"""Every strategy prunes trials, on slices too, unless the user says otherwise."""

from typing import Literal

import pytest

import tunewise as tw
from tunewise.errors import StrategyError
from tunewise.history import History, Measurement, TimedOut, Trial
from tunewise.strategy import STRATEGIES, Strategy, StrategySpec

FRACTIONS = (0.1, 0.25, 0.5, 1.0)
QUALITY = {1: 0.6, 2: 0.7, 4: 0.8, 8: 0.9, 16: 0.85, 32: 0.5}
PUBLISHED = {name for name in STRATEGIES.names() if name.endswith("_paper")}
OURS = sorted({*STRATEGIES.names()} - PUBLISHED - {"machines", "lynceus"})
"""What finds the cheapest machine has a stop of its own, and takes no slices."""


def wanted(limit: str = "time <= 100") -> tw.Problem:
    space = tw.Space(tw.Ordinal("width", list(QUALITY)))
    return tw.Problem(space, maximize="accuracy", subject_to=limit, fractions=FRACTIONS)


def metrics(width: int, fraction: float) -> dict[str, float]:
    seconds = 40.0 * fraction
    return {"accuracy": QUALITY[width] - 0.08 * (1 - fraction), "time": seconds, "cost": seconds}


def measured(number: int, width: int, fraction: float = 1.0) -> Trial:
    passed = {s: metrics(width, s) for s in FRACTIONS if s < fraction}
    return Trial(number, {"width": width}, fraction).told(
        Measurement(metrics(width, fraction), passed)
    )


def build(name: str, problem: tw.Problem | None = None, **options: object) -> Strategy:
    return StrategySpec(name, dict(options)).build(problem or wanted(), 0)


def known() -> list[Trial]:
    return [measured(i, width) for i, width in enumerate((1, 4, 8))]


@pytest.mark.parametrize("name", OURS)
def test_trials_that_cannot_win_are_stopped_unless_the_user_says_so(name: str) -> None:
    behind = Trial(9, {"width": 32}, reported={s: metrics(32, s) for s in (0.1, 0.25)})
    history, alone = History([*known(), behind]), History([behind])
    strategy = build(name)
    limit = strategy.pruner.limit(history, behind)
    assert limit is not None and 0.99 * 100 < limit < 1.6 * 100
    assert strategy.pruner.verdict(history, behind) is not None
    patient = build(name, prune=False)
    assert patient.pruner.limit(history, behind) is patient.pruner.limit(alone, behind) is None
    assert patient.pruner.verdict(history, behind) is None
    with pytest.raises(StrategyError, match="prune is 'no'; expected True or False"):
        build(name, prune="no")


@pytest.mark.parametrize("name", sorted({"hyperband", "bohb", "random"}))
@pytest.mark.parametrize("limit", ["time <= 100", "cost <= 100"])
def test_without_a_model_a_slice_has_its_part_of_the_limit_and_some_doubt(
    name: str, limit: str
) -> None:
    slice_ = Trial(9, {"width": 2}, 0.1)
    seconds = build(name, wanted(limit)).pruner.limit(History([*known(), slice_]), slice_)
    # Time was seen to grow in proportion to the data: a tenth of the limit, and its doubt.
    assert seconds is not None and 10 < seconds < 60


def test_a_rung_goes_on_without_a_trial_that_was_stopped() -> None:
    strategy, told = build("hyperband", eta=2), list[Trial]()
    for number in range(6):
        asked = strategy.suggest(History(told), 1)[0]
        trial = Trial(number, asked.config, asked.fraction)
        slow = asked.config["width"] == 8
        outcome = TimedOut("pruned: stopped", {"time": 60.0}) if slow else None
        told.append(trial.told(outcome or Measurement(metrics(asked.config["width"], 0.1))))
    assert strategy.suggest(History(told), 1)[0].config["width"] != 8


@pytest.mark.parametrize("name", sorted({"hyperband", "bohb", "random"}))
def test_without_a_model_slices_alone_tell_nothing_of_the_full_data(name: str) -> None:
    slices = [Trial(i, {"width": width}, 0.1).told(Measurement(metrics(width, 0.1)))
              for i, width in enumerate((1, 4, 8, 16))]  # fmt: skip
    slice_ = Trial(9, {"width": 2}, 0.1)
    # Most of it may be a fixed cost, which all of the data does not multiply.
    assert build(name).pruner.limit(History([*slices, slice_]), slice_) == pytest.approx(100)


def cheapest(deploy: Literal["full", "any"] = "full") -> tw.Problem:
    space = tw.Space(tw.Ordinal("width", list(QUALITY)))
    return tw.Problem(
        space,
        minimize="time",
        subject_to="accuracy >= 0.65",
        fractions=FRACTIONS,
        deploy=deploy,
    )


@pytest.mark.parametrize("name", OURS)
def test_where_the_least_is_wanted_what_the_best_needed_is_a_limit(name: str) -> None:
    told = [measured(0, 4), measured(1, 8), Trial(2, {"width": 32}).told(
        Measurement({"accuracy": 0.5, "time": 3.0, "cost": 3.0}))]  # fmt: skip
    slower = Trial(9, {"width": 16})
    strategy = build(name, cheapest())
    limit = strategy.pruner.limit(History([*told, slower]), slower)
    # The best one that is accurate enough took 40 s; what took 3 s was not.
    assert limit is not None and 40 < limit < 1.5 * 40 * 1.01
    none_yet = strategy.pruner.limit(History([told[2], slower]), slower)
    assert none_yet is None or none_yet > limit


@pytest.mark.parametrize("name", ["nephele", "random"])
def test_a_fraction_that_is_deployed_is_stopped_at_one_and_a_half_times_the_best(name: str) -> None:
    told, slower = [measured(0, 4, 0.5), measured(1, 8)], Trial(9, {"width": 16}, 0.25)
    limit = build(name, cheapest(deploy="any")).pruner.limit(History([*told, slower]), slower)
    assert limit == pytest.approx(1.5 * 20)  # half of the data took 20 s


def test_of_several_objectives_the_best_of_one_limits_nothing() -> None:
    problem = tw.Problem(
        tw.Space(tw.Ordinal("width", list(QUALITY))), minimize=["time"], maximize=["accuracy"]
    )
    slower = Trial(9, {"width": 16})
    assert build("random", problem).pruner.limit(History([*known(), slower]), slower) is None


def test_the_option_may_be_given_by_its_former_name() -> None:
    assert StrategySpec("trimtuner", {"first_slice": 0.3}) == StrategySpec("trimtuner")
    assert StrategySpec("random", {"stop_hopeless": False}) == StrategySpec(
        "random", {"prune": False}
    )
