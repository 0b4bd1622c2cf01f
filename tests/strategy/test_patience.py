"""When a trial is given up, and what may run again."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tunewise as tw
from tests.belief import tiny
from tests.doubts import unsure
from tunewise.belief.adjustments import Growth
from tunewise.belief.candidates import Candidates
from tunewise.history import Failure, Measurement, Outcome, TimedOut, Trial
from tunewise.strategy import Strategy, StrategySpec
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.strategy.loop.patience import before_anything, pruned_after, unbounded

FRACTIONS = (0.01, 0.1, 1.0)
LEARNERS = [f"learner {i}" for i in range(6)]


def wanted(**more: object) -> tw.Problem:
    space = tw.Space(tw.Choice("learner", LEARNERS))
    limits = more.pop("subject_to", ["time <= 100"])
    return tw.Problem(
        space,
        maximize="accuracy",
        subject_to=limits,  # type: ignore[arg-type] # what a test says
        fractions=FRACTIONS,
    )


def build(problem: tw.Problem, **options: object) -> Strategy:
    return StrategySpec("trimtuner", dict(options)).build(problem, 0)


def run(learner: int, fraction: float, seconds: float) -> Outcome:
    return Measurement({"accuracy": 0.5 + 0.05 * learner, "time": seconds * fraction})


def history(*seconds: float) -> tw.History:
    """Learners on the smallest slices, whose full data takes so long."""
    trials = [
        Trial(2 * i + j, {"learner": LEARNERS[i]}, s).told(run(i, s, each))
        for i, each in enumerate(seconds)
        for j, s in enumerate(FRACTIONS[:2])
    ]
    return tw.History(trials)


def test_before_anything_is_known_a_trial_has_twice_its_part_of_the_limit() -> None:
    strategy, first = build(wanted()), Trial(0, {"learner": LEARNERS[0]}, 0.01)
    assert strategy.pruner.limit(tw.History([first]), first) == pytest.approx(2 * 0.01 * 100)


def test_before_anything_is_known_a_price_says_how_long_a_part_of_the_cost_lasts() -> None:
    posed = tiny.problem(
        2, (0.1, 1.0), maximize="accuracy", subject_to="cost <= 0.5", price=lambda config: 2.0
    )
    first = Trial(0, {"x": 0}, 0.1)
    # 0.5 USD at 2 USD an hour are 900 seconds.
    assert before_anything(posed, tw.History(), first) == pytest.approx(2 * 0.1 * 900)


def test_before_anything_is_known_no_slice_runs_longer_than_the_limit_itself() -> None:
    given_up = [
        Trial(i, {"learner": LEARNERS[i % 6]}, 0.1).told(TimedOut("pruned", {"time": 1.0}))
        for i in range(9)
    ]
    slice_, whole = (Trial(9, {"learner": LEARNERS[0]}, s) for s in (0.1, 1.0))
    assert before_anything(wanted(), tw.History(given_up[:2]), slice_) == pytest.approx(80.0)
    assert before_anything(wanted(), tw.History(given_up), slice_) == pytest.approx(100.0)
    assert before_anything(wanted(), tw.History(given_up), whole) == pytest.approx(200.0)


def test_while_all_are_given_up_the_patience_grows_and_nobody_is_asked_twice() -> None:
    strategy, told = build(wanted()), list[Trial]()
    allowed = []
    for number in range(6):
        suggested = strategy.suggest(tw.History(told), 1)[0]
        trial = Trial(number, suggested.config, suggested.fraction)
        limit = strategy.pruner.limit(tw.History([*told, trial]), trial)
        assert limit is not None
        allowed.append(limit / trial.fraction)
        told.append(trial.told(TimedOut("pruned: stopped", {"time": limit})))
    assert allowed == pytest.approx([200, 400, 800, 1600, 1800, 2000])
    assert len({t.config["learner"] for t in told}) == 6
    assert {t.fraction for t in told} == {0.01}


def test_a_trial_on_a_slice_is_given_up_when_it_has_taken_more_than_its_part_of_the_limit() -> None:
    strategy, seen = build(wanted()), history(30.0, 40.0, 60.0)
    trial = Trial(6, {"learner": LEARNERS[3]}, 0.1)
    limit = strategy.pruner.limit(tw.History([*seen, trial]), trial)
    assert limit is not None
    assert limit < 3 * 0.1 * 100


def test_nothing_is_given_up_where_the_user_says_so() -> None:
    strategy = build(wanted(), prune=False)
    trial = Trial(6, {"learner": LEARNERS[3]}, 0.1)
    assert strategy.pruner.limit(tw.History([*history(30.0, 40.0), trial]), trial) is None
    assert strategy.pruner.limit(tw.History([trial]), trial) is None


def test_without_any_limit_a_trial_may_still_be_given_up_for_its_worth_alone() -> None:
    strategy = build(wanted(subject_to=[]))
    trial = Trial(6, {"learner": LEARNERS[3]}, 1.0)
    limit = strategy.pruner.limit(tw.History([*history(30.0, 40.0, 60.0), trial]), trial)
    assert limit is None or limit > 0


def test_what_was_given_up_runs_again_only_for_longer() -> None:
    problem = wanted()
    strategy, told = build(problem), list(history(30.0, 40.0, 60.0))
    slow = Trial(len(told), {"learner": LEARNERS[5]}, 0.01)
    told.append(slow.told(TimedOut("pruned: stopped", {"time": 0.2})))
    for number in range(len(told), len(told) + 12):
        suggested = strategy.suggest(tw.History(told), 1)[0]
        trial = Trial(number, suggested.config, suggested.fraction)
        limit = strategy.pruner.limit(tw.History([*told, trial]), trial) or math.inf
        if trial.config == slow.config:
            assert limit >= 0.4 * 0.999
        place = LEARNERS.index(trial.config["learner"])
        told.append(trial.told(run(place, trial.fraction, 20.0 * (place + 1))))


def test_a_run_gives_up_slow_learners_and_finds_the_best_fast_one() -> None:
    seconds = dict(zip(LEARNERS, np.geomspace(0.5, 5e4, 6), strict=True))

    def train(trial: Trial) -> Outcome:
        place = LEARNERS.index(trial.config["learner"])
        return run(place, trial.fraction, seconds[LEARNERS[place]])

    from tunewise.benchmark.replay import ReplayExecutor

    study = tw.Study(wanted(), "trimtuner", seed=0)
    study.optimize(train, trials=25, executor=ReplayExecutor(), progress=False)
    assert study.recommend().config == {"learner": LEARNERS[2]}
    assert study.spent["time"] < 4 * 100
    assert any(t.pruned for t in study.history)
    assert not any(isinstance(t.outcome, Failure) and not t.pruned for t in study.history)


@pytest.mark.parametrize("name", ["random", "hyperband", "bohb"])
def test_strategies_without_a_model_of_time_stop_what_has_broken_the_limit(name: str) -> None:
    strategy = StrategySpec(name).build(wanted(), 0)
    trial = Trial(0, {"learner": LEARNERS[0]}, 1.0)
    assert strategy.pruner.limit(tw.History([trial]), trial) == 100.0


@pytest.mark.parametrize("name", ["eic", "cherrypick", "fabolas", "fabulinus", "trimtuner"])
def test_at_the_full_data_a_trial_is_given_up_soon_after_the_limit(name: str) -> None:
    strategy, seen = StrategySpec(name).build(wanted(), 0), history(30.0, 40.0, 60.0, 70.0)
    ended = [
        Trial(len(seen) + i, {"learner": LEARNERS[i]}).told(run(i, 1.0, seconds))
        for i, seconds in enumerate((30.0, 40.0, 60.0))
    ]
    trial = Trial(len(seen) + 3, {"learner": LEARNERS[4]})
    limit = strategy.pruner.limit(tw.History([*seen, *ended, trial]), trial)
    assert limit is not None
    assert limit < 3 * 100


@pytest.mark.parametrize("name", ["cherrypick_paper", "fabolas_paper", "trimtuner_paper"])
def test_systems_as_published_stop_nothing(name: str) -> None:
    strategy = StrategySpec(name).build(wanted(), 0)
    trial = Trial(8, {"learner": LEARNERS[3]})
    assert strategy.pruner.limit(tw.History([*history(30.0, 40.0), trial]), trial) is None


def test_a_price_turns_a_limit_on_cost_into_one_on_time() -> None:
    space = tw.Space(tw.Choice("learner", LEARNERS))
    problem = tw.Problem(
        space, maximize="accuracy", subject_to="cost <= 0.5", price=lambda config: 2.0
    )
    trial = Trial(0, {"learner": LEARNERS[0]})
    strategy = StrategySpec("random").build(problem, 0)
    assert strategy.pruner.limit(tw.History([trial]), trial) == pytest.approx(900.0)


@unsure
def test_a_run_stops_nothing_where_the_user_says_so() -> None:
    study = tw.Study(wanted(), "random", seed=0)
    study.optimize(
        lambda trial: run(0, 1.0, 500.0),
        trials=3,
        prune=False,
        executor=tw.ReplayExecutor(),
        progress=False,
    )
    assert len(study.history.complete) == 3


def test_no_trial_is_repeated_for_ever() -> None:
    study = tw.Study(wanted(), "trimtuner", seed=0)
    study.optimize(
        lambda trial: run(LEARNERS.index(trial.config["learner"]), trial.fraction, 1.0),
        trials=200,
        executor=tw.ReplayExecutor(),
        progress=False,
    )
    places = [(t.config["learner"], t.fraction) for t in study.history]
    assert max(places.count(place) for place in set(places)) <= 5
    assert len(places) <= 5 * len(LEARNERS) * len(FRACTIONS)


def test_a_limit_on_cost_gives_trials_up_without_a_price_once_cost_and_time_were_told() -> None:
    space = tw.Space(tw.Ordinal("machines", [1, 2, 4, 8]), tw.Real("rate", 0.0, 1.0))
    problem = tw.Problem(
        space, maximize="accuracy", subject_to=["cost <= 1"], fractions=FRACTIONS
    )  # fmt: skip
    strategy = build(problem)

    def told(number: int, machines: int, rate: float, fraction: float) -> Trial:
        seconds = 100.0 * fraction * (1 + 4 * rate) / machines
        usd = 0.005 * machines * seconds
        measured = {"accuracy": 0.5 + 0.3 * rate, "time": seconds, "cost": usd}
        return Trial(number, {"machines": machines, "rate": rate}, fraction).told(
            Measurement(measured)
        )

    places = [(1, 0.1, 0.1), (2, 0.9, 0.01), (4, 0.5, 0.1), (8, 0.3, 0.1), (4, 0.5, 1.0)]
    places += [(1, 0.1, 1.0), (8, 0.3, 1.0)]
    seen = [told(i, *place) for i, place in enumerate(places)]
    trial = Trial(9, {"machines": 4, "rate": 0.9}, 0.1)
    limit = strategy.pruner.limit(tw.History([*seen, trial]), trial)
    assert limit is not None
    # At 0.02 USD a second a tenth of the data has its part of the limit after 5 seconds.
    assert limit < 30
    unsure = strategy.pruner.limit(tw.History([*seen[:2], trial]), trial)
    assert unsure is None, "two trials do not tell what a second costs"
    off = build(problem, prune=False)
    assert off.pruner.limit(tw.History([*seen, trial]), trial) is None


@pytest.mark.parametrize("clock", [True, False])
def test_trials_that_told_no_time_do_not_tell_what_a_second_costs(clock: bool) -> None:
    posed = tiny.problem(4, (0.1, 1.0), maximize="accuracy", subject_to="cost <= 100")
    beliefs = {"cost": ([1.0, 3.5] * 4, [0.5, 0.8] * 4), "accuracy": ([0.0] * 8, [1.0] * 8)}
    seconds = {"time": 10.0} if clock else {}
    told = tw.History(tiny.ran(x, 0.1, x, accuracy=0.5, cost=5.0, **seconds) for x in range(3))
    posterior = tiny.written(posed, beliefs, told, together={"cost": 0.9})
    assert math.isfinite(pruned_after(posterior, Trial(3, {"x": 3}, 0.1))) == clock


@pytest.mark.parametrize("per_decade", [0.0, 0.8])
@pytest.mark.parametrize("limited", ["time", "cost"])
def test_by_hand_a_trial_ends_where_its_config_keeps_the_limit_once_in_fifty(
    per_decade: float, limited: str
) -> None:
    """What has been spent by then, told as a measurement, leaves the limit a chance of 2 %."""
    rate = {} if limited == "time" else {"price": lambda config: 3600 * 0.5}
    posed = tiny.problem(2, (0.1, 1.0), maximize="accuracy", subject_to=f"{limited} <= 100", **rate)
    told = {limited: ([1.0, 3.5, 1.2, 3.0], [0.5, 0.8, 0.5, 0.7])}
    accuracy = {"accuracy": ([0.0] * 4, [1.0] * 4)}
    posterior = tiny.written(posed, {**told, **accuracy}, together={limited: 0.9})
    metric = replace(posterior.believed(limited), adjustments=(Growth(per_decade),))
    posterior.learned.metrics[limited] = metric
    seconds = pruned_after(posterior, Trial(0, {"x": 1}, 0.1))
    spent = seconds * (1.0 if limited == "time" else 0.5)
    here = Candidates.of(posed, [{"x": 1}])
    usual = float(metric.offset(here, 0.1)[0])
    after = metric.surrogate.condition(here.x, 0.1, [math.log(spent) - usual])
    chance = after.predict(here.x, 1.0).probability_below(math.log(100))
    assert np.asarray(chance) == pytest.approx([0.0202], abs=1e-3)


def test_a_slice_that_foretells_nothing_is_hopeless_once_it_has_broken_the_limit_itself() -> None:
    posed = tiny.problem(1, (0.1, 1.0), maximize="accuracy", subject_to="time <= 100")
    beliefs = {"time": ([1.0, 3.5], [0.5, 0.8]), "accuracy": ([0.0, 0.0], [1.0, 1.0])}
    posterior = tiny.written(posed, beliefs, together={"time": 0.02})
    # The full data takes no less than a slice does: one and a half times the limit is enough.
    assert pruned_after(posterior, Trial(0, {"x": 0}, 0.1)) == pytest.approx(150.0)


def allowed(
    learner: int, fraction: float, ordered: bool = False, **posed: str
) -> tuple[float, float]:
    """Seconds at least and at most after two learners, of which slices took 4.4 s in all."""
    space = tw.Space((tw.Ordinal if ordered else tw.Choice)("learner", LEARNERS))
    free = posed or {"minimize": "time", "subject_to": "accuracy >= 0.9"}
    problem = tw.Problem(space, fractions=FRACTIONS, **free)  # type: ignore[arg-type] # a mix of keywords
    strategy = build(problem)
    assert isinstance(strategy, ModelBased)
    posterior = strategy.posterior(history(10.0, 30.0))
    assert posterior is not None
    place = problem.space.key({"learner": LEARNERS[learner]}), fraction
    return unbounded(posterior, int(posterior.grid.numbers(problem, [place])[0]))


def test_where_nothing_limits_time_a_learner_may_take_as_long_as_all_before_to_end_at_all() -> None:
    assert allowed(4, 0.01)[0] == pytest.approx(4.4)
    limited = allowed(4, 0.01, maximize="accuracy", subject_to="time <= 100")
    assert limited == (0.0, math.inf)
    # A learner that looks far slower than the others is not given up after moments.
    space = tw.Space(tw.Choice("learner", LEARNERS))
    free = tw.Problem(space, minimize="time", subject_to="accuracy >= 0.9", fractions=FRACTIONS)
    slow = Trial(9, {"learner": LEARNERS[4]}, 0.01)
    limit = build(free).pruner.limit(tw.History([*history(10.0, 30.0), slow]), slow)
    assert limit is None or limit >= 4.4 * (1 - 1e-9)


def test_where_nothing_limits_time_one_that_has_ended_before_has_what_is_expected_of_it() -> None:
    soonest, latest = allowed(0, 0.01)
    assert 0.05 < soonest < 0.2, "it took 0.1 s there"
    assert latest == pytest.approx(4.4), "what takes longer than all before is not the fastest"
    # On the full data 10 s are expected, and somewhat more would be no surprise.
    assert 10.0 < allowed(0, 1.0)[1] < math.inf
    assert allowed(0, 1.0, maximize="accuracy")[1] == math.inf, "slow may be accurate"
    assert allowed(0, 0.01, ordered=True)[1] == math.inf, "the end teaches about neighbours"
