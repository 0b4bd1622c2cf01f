from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tunewise as tw
from tunewise.errors import StrategyError
from tunewise.strategy import StrategySpec
from tunewise.strategy.strategy import Strategy

SLICES = (1 / 9, 1 / 3, 1.0)
Outcome = tw.Measurement | tw.Failure


def problem(**wanted: object) -> tw.Problem:
    given: dict[str, object] = {"maximize": "accuracy", "fractions": SLICES, **wanted}
    if "minimize" in wanted:
        del given["maximize"]
    return tw.Problem(tw.Space(tw.Integer("x", 0, 999)), **given)  # type: ignore[arg-type] # a mix of keywords


def hyperband(wanted: tw.Problem, seed: int = 0, **options: object) -> Strategy:
    return StrategySpec("hyperband", dict(options)).build(wanted, seed)


def rising(trial: tw.Trial) -> Outcome:
    return tw.Measurement({"accuracy": trial.config["x"] / 1000, "time": 1.0})


def played(
    strategy: Strategy, count: int, job: Callable[[tw.Trial], Outcome] = rising
) -> list[tw.Trial]:
    trials: list[tw.Trial] = []
    for number in range(count):
        asked = strategy.suggest(tw.History(trials), 1)[0]
        trial = tw.Trial(number, asked.config, asked.fraction)
        trials.append(trial.told(job(trial)))
    return trials


def fractions(trials: list[tw.Trial]) -> list[float]:
    return [t.fraction for t in trials]


def test_brackets_follow_each_other_from_the_smallest_slice_to_the_full_data_and_again() -> None:
    trials = played(hyperband(problem()), 35)
    small, middle, full = SLICES
    first = [small] * 9 + [middle] * 3 + [full]
    second, third = [middle] * 5 + [full], [full] * 3
    assert fractions(trials) == first + second + third + first
    begun = [t.config["x"] for t in trials[:9]]
    assert [t.config["x"] for t in trials[9:12]] == sorted(begun, reverse=True)[:3]
    assert trials[12].config["x"] == max(begun)


def test_what_is_expected_to_break_a_limit_at_the_full_data_climbs_last() -> None:
    def priced(trial: tw.Trial) -> Outcome:
        cost = trial.fraction * trial.config["x"] / 1000
        return tw.Measurement({"accuracy": trial.config["x"] / 1000, "cost": cost})

    trials = played(hyperband(problem(subject_to=["cost <= 0.3"])), 12, priced)
    begun = sorted(t.config["x"] for t in trials[:9])
    assert begun[-1] > 800
    # Six times as dear for ten times the data: what is usual.
    keeps = [x for x in begun if x / 9 * 9**0.78 <= 300]
    assert 3 <= len(keeps) < 9
    assert trials[9].config["x"] == keeps[-1] > 300
    # It has shown that the cost grows faster here, so the others truly keep the limit.
    assert [t.config["x"] for t in trials[10:]] == [x for x in keeps if x <= 300][:-3:-1]


def test_a_failed_config_does_not_climb() -> None:
    def picky(trial: tw.Trial) -> Outcome:
        return tw.Failure("too large") if trial.config["x"] > 300 else rising(trial)

    trials = played(hyperband(problem(), seed=1), 13, picky)
    good = sorted(t.config["x"] for t in trials[:9] if t.state == "complete")
    climbed = [t.config["x"] for t in trials[9:] if t.fraction == SLICES[1]]
    assert 0 < len(good) < 9
    assert climbed[: len(good[-3:])] == good[-3:][::-1]


def test_while_a_rung_is_not_complete_the_next_bracket_begins() -> None:
    strategy = hyperband(problem())
    trials = played(strategy, 9)
    running = tw.Trial(8, trials[8].config, trials[8].fraction)
    waiting = tw.History([*trials[:8], running])
    asked = strategy.suggest(waiting, 4)
    assert [s.fraction for s in asked] == [SLICES[1]] * 4
    assert not {s.config["x"] for s in asked} & {t.config["x"] for t in trials}
    after = [tw.Trial(9 + i, s.config, s.fraction) for i, s in enumerate(asked)]
    climbing = strategy.suggest(tw.History([*trials, *after]), 3)
    begun = sorted((t.config["x"] for t in trials), reverse=True)
    assert [s.config["x"] for s in climbing] == begun[:3]


def test_a_preempted_trial_is_waited_for_and_a_cancelled_one_is_not() -> None:
    strategy = hyperband(problem())
    trials = played(strategy, 9)
    last = tw.Trial(8, trials[8].config, trials[8].fraction)
    preempted = tw.History([*trials[:8], last.told(tw.Preempted("gone"))])
    cancelled = tw.History([*trials[:8], last.told(tw.Cancelled("enough"))])
    assert strategy.suggest(preempted, 1)[0].config not in [t.config for t in trials]
    best = max(trials[:8], key=lambda t: t.config["x"])
    assert strategy.suggest(cancelled, 1)[0] == tw.Suggestion(best.config, SLICES[1])


def test_the_order_in_which_trials_are_told_does_not_matter() -> None:
    study = tw.Study(problem(), strategy="hyperband", seed=3)
    asked = [study.ask() for _ in range(9)]
    for trial in reversed(asked):
        study.tell(trial, rising(trial))
    plain = played(hyperband(problem(), 3), 10)
    following = study.ask()
    assert (following.config, following.fraction) == (plain[9].config, plain[9].fraction)


def test_an_enqueued_config_competes_without_taking_a_place() -> None:
    study = tw.Study(problem(), strategy="hyperband", seed=0)
    study.enqueue({"x": 999}, SLICES[0])
    for _ in range(11):
        trial = study.ask()
        study.tell(trial, rising(trial))
    assert fractions(list(study.history)) == [SLICES[0]] * 10 + [SLICES[1]]
    assert study.history[10].config == {"x": 999}


def test_a_failed_config_that_a_person_has_tried_again_may_climb() -> None:
    trials = played(hyperband(problem()), 9)
    best = max(trials, key=lambda t: t.config["x"])
    failed = tw.Trial(best.number, best.config, best.fraction).told(tw.Failure("no disk"))
    again = tw.Trial(9, best.config, best.fraction, enqueued=True)
    history = [t if t.number != best.number else failed for t in trials]
    without = hyperband(problem()).suggest(tw.History(history), 1)[0]
    asked = hyperband(problem()).suggest(tw.History([*history, again.told(rising(again))]), 1)[0]
    assert (asked.config, asked.fraction) == (best.config, SLICES[1])
    assert without.config != best.config


def test_a_resumed_study_equals_the_unbroken_one() -> None:
    unbroken = played(hyperband(problem(), 5), 25)
    for cut in (4, 11, 20):
        resumed = list(unbroken[:cut])
        while len(resumed) < 25:
            asked = hyperband(problem(), 5).suggest(tw.History(resumed), 1)[0]
            trial = tw.Trial(len(resumed), asked.config, asked.fraction)
            resumed.append(trial.told(rising(trial)))
        assert resumed == unbroken


def test_a_used_up_space_lets_those_left_behind_go_on_until_all_reached_the_full_data() -> None:
    few = tw.Problem(tw.Space(tw.Integer("x", 0, 6)), maximize="accuracy", fractions=SLICES)
    strategy = hyperband(few)
    trials = played(strategy, 21)
    assert strategy.suggest(tw.History(trials), 3) == []
    assert {t.config["x"] for t in trials if t.fraction == 1.0} == set(range(7))
    assert trials[7].config["x"] == 6


def test_parallel_asks_of_a_used_up_space_give_fewer() -> None:
    few = tw.Problem(tw.Space(tw.Integer("x", 0, 2)), maximize="accuracy", fractions=SLICES)
    assert len(hyperband(few).suggest(tw.History(), 5)) == 3


def test_before_the_full_data_the_best_of_the_largest_slice_is_recommended_with_doubt() -> None:
    wanted = problem(subject_to=["cost <= 0.05"])

    def job(trial: tw.Trial) -> Outcome:
        return tw.Measurement({"accuracy": trial.config["x"] / 1000, "cost": 0.01})

    strategy = hyperband(wanted)
    trials = played(strategy, 11, job)
    best = strategy.recommend(tw.History(trials))
    middle = [t for t in trials if t.fraction == SLICES[1]]
    assert best.config == max(middle, key=lambda t: t.metrics["accuracy"]).config
    assert best.fraction == 1.0
    assert 0.5 < best.feasible < 1.0
    assert best.predicted["cost"].mean > 0.01 and best.predicted["cost"].std > 0
    at_full = played(strategy, 13, job)
    measured = strategy.recommend(tw.History(at_full))
    assert measured.config == at_full[12].config
    assert measured.feasible > 0.9


def test_while_nothing_at_the_full_data_keeps_the_limits_a_slice_that_promises_to_wins() -> None:
    wanted = problem(subject_to=["cost <= 0.05"])
    cheap = {"accuracy": 0.8, "cost": 0.002}
    dear = {"accuracy": 0.9, "cost": 0.06}
    trials = [
        tw.Trial(0, {"x": 1}, SLICES[0]).told(tw.Measurement(cheap)),
        tw.Trial(1, {"x": 2}, SLICES[0]).told(tw.Measurement({**dear, "cost": 0.01})),
        tw.Trial(2, {"x": 2}, 1.0).told(tw.Measurement(dear)),
    ]
    best = hyperband(wanted).recommend(tw.History(trials))
    assert best.config == {"x": 1} and best.feasible > 0.9
    only = hyperband(wanted).recommend(tw.History(trials[1:]))
    assert only.config == {"x": 2}
    assert only.feasible < 0.5 and only.predicted["cost"].std > 0


@pytest.mark.parametrize("name", ["hyperband", "bohb"])
def test_a_metric_of_the_users_own_that_grew_with_the_data_is_expected_to_grow_again(
    name: str,
) -> None:
    wanted = problem(subject_to=["memory <= 3"], metrics={"memory": "positive"})

    def told(number: int, x: int, fraction: float) -> tw.Trial:
        grown = {"accuracy": 0.5 + x / 2000, "memory": 5 * fraction}
        return tw.Trial(number, {"x": x}, fraction).told(tw.Measurement(grown))

    begun = [told(i, x, SLICES[0]) for i, x in enumerate((100, 300, 500, 700, 900))]
    climbed = [told(5, 900, SLICES[1]), told(6, 700, SLICES[1])]
    strategy = StrategySpec(name).build(wanted, 0)
    foreseen = strategy.recommend(tw.History([*begun, *climbed]))
    assert foreseen.predicted["memory"].mean > 3 and foreseen.predicted["memory"].std > 0.5
    assert foreseen.feasible < 0.5
    seen = strategy.recommend(tw.History([*begun, *climbed, told(7, 900, 1.0)]))
    assert seen.config != {"x": 900}  # it was seen to break the limit; the others are expected to
    assert seen.predicted["memory"].mean > 3 and seen.feasible < 0.3


def test_limits_that_are_said_to_be_kept_are_kept_though_set_up_hides_what_data_takes() -> None:
    fractions, said = (1 / 64, 1 / 16, 1 / 4, 1.0), []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        seconds, quality = np.exp(rng.normal(3, 1, 60)), rng.normal(1, 0.7, 60)
        limit = float(np.median(seconds))
        wanted = tw.Problem(
            tw.Space(tw.Ordinal("x", list(range(60)))),
            maximize="accuracy",
            subject_to=f"time <= {limit}",
            fractions=fractions,
        )

        def job(trial: tw.Trial, seconds: Any = seconds, quality: Any = quality) -> Outcome:
            x, s = trial.config["x"], trial.fraction
            accuracy = 1 / (1 + np.exp(-quality[x] - 0.5 * np.log10(s)))
            return tw.Measurement({"accuracy": accuracy, "time": seconds[x] * (0.05 + s)})

        best = hyperband(wanted, seed).recommend(
            tw.History(played(hyperband(wanted, seed), 30, job))
        )
        said.append((best.feasible >= 0.9, bool(seconds[best.config["x"]] * 1.05 <= limit)))
    sure = [kept for is_sure, kept in said if is_sure]
    assert len(sure) >= 3 and all(sure)


def test_where_any_fraction_may_be_deployed_the_best_measured_one_is_recommended() -> None:
    wanted = problem(minimize="cost", subject_to=["accuracy >= 0.5"], deploy="any")

    def job(trial: tw.Trial) -> Outcome:
        return tw.Measurement({"accuracy": trial.config["x"] / 1000, "cost": trial.fraction})

    best = hyperband(wanted).recommend(tw.History(played(hyperband(wanted), 13, job)))
    assert best.fraction == SLICES[0]
    hopeless = problem(minimize="cost", subject_to=["accuracy >= 1"], deploy="any")
    trials = played(hyperband(hopeless), 5, job)
    closest = hyperband(hopeless).recommend(tw.History(trials))
    assert closest.config["x"] == max(t.config["x"] for t in trials)
    assert closest.feasible < 0.5


@pytest.mark.parametrize("name", ["hyperband", "bohb"])
def test_without_slices_it_says_what_it_needs(name: str) -> None:
    with pytest.raises(StrategyError, match=rf"{name} climbs slices .* fractions is \(1.0,\)"):
        StrategySpec(name).build(problem(fractions=(1.0,)), 0)


@pytest.mark.parametrize("eta", [1, 2.5, True, "three"])
def test_a_wrong_eta_gets_a_sentence(eta: object) -> None:
    with pytest.raises(StrategyError, match="eta is .* whole number, 2 or above"):
        hyperband(problem(), eta=eta)


def outcome(trial: tw.Trial, chance: float) -> Outcome:
    if chance < 0.7:
        return rising(trial)
    kinds = (tw.Failure, tw.Preempted, tw.Cancelled)
    return kinds[int((chance - 0.7) * 10) % 3]("no luck")


@pytest.mark.parametrize("eta", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_whatever_happens_to_trials_none_repeats_and_no_rung_lets_too_many_through(
    seed: int, eta: int
) -> None:
    strategy, rng = hyperband(problem(), seed, eta=eta), np.random.default_rng(seed)
    trials: list[tw.Trial] = []
    for _ in range(150):
        running = [t for t in trials if t.state.pending]
        if len(running) < 2 or rng.random() < 0.3:
            asked = strategy.suggest(tw.History(trials), int(rng.integers(1, 4)))
            trials += [tw.Trial(len(trials) + i, s.config, s.fraction) for i, s in enumerate(asked)]
        else:
            told = running[rng.integers(len(running))]
            trials[told.number] = told.told(outcome(told, rng.random()))
    assert len({(t.config["x"], t.fraction) for t in trials}) == len(trials)
    for low, high in zip(SLICES, SLICES[1:], strict=False):
        below = {t.config["x"]: t for t in trials if t.fraction == low}
        climbed = [t for t in trials if t.fraction == high and t.config["x"] in below]
        assert 0 < len(climbed) * eta <= len(below)
        assert all(below[t.config["x"]].state == "complete" for t in climbed)
