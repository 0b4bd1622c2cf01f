import math
from collections.abc import Iterator

import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.machines.evidence import Times, prices
from tunewise.belief.machines.pool import MachinePool
from tunewise.belief.machines.wanted import Wanted
from tunewise.benchmark import ReplayExecutor
from tunewise.errors import ProblemError, StrategyError, StudyError
from tunewise.history import Failure, History, Measurement, Outcome, TimedOut, Trial
from tunewise.problem import Problem
from tunewise.strategy import Strategy
from tunewise.strategy.machines import machines
from tunewise.strategy.spec import default_strategy
from tunewise.surrogate import Normal

VMS = [1, 2, 4, 8, 16]
CORES = {"c4.large": 2, "c4.2xlarge": 8, "r4.large": 2, "r4.2xlarge": 8}
HOURLY = {"c4.large": 0.1, "c4.2xlarge": 0.398, "r4.large": 0.133, "r4.2xlarge": 0.532}


def clusters(**wanted: object) -> Problem:
    space = tw.Space(tw.Choice("vm", list(CORES)), tw.Ordinal("vms", VMS))
    arguments = {"minimize": "cost", "subject_to": "time <= 1000", **wanted}
    return Problem(space, **arguments)  # type: ignore[arg-type] # a mix of keywords


def job(trial: Trial) -> Measurement:
    """Scales well to a point; needs memory."""
    cores = CORES[trial.config["vm"]] * trial.config["vms"]
    seconds = (8000 / cores + 20 * trial.config["vms"]) * (
        1.5 if trial.config["vm"].startswith("c4") else 1.0
    )
    usd = seconds / 3600 * HOURLY[trial.config["vm"]] * trial.config["vms"]
    return Measurement({"time": seconds, "cost": usd})


def search(strategy: Strategy, most: int) -> Iterator[Trial]:
    told: list[Trial] = []
    while len(told) < most and (suggested := strategy.suggest(History(told), 1)):
        trial = Trial(len(told), suggested[0].config)
        told.append(trial.told(limited(job(trial), strategy.pruner.limit(History(told), trial))))
        yield told[-1]


def limited(outcome: Measurement, limit: float | None) -> Outcome:
    seconds, usd = outcome.metrics["time"], outcome.metrics["cost"]
    if limit is None or seconds <= limit:
        return outcome
    return TimedOut("pruned", {"time": limit, "cost": usd * limit / seconds})


def optimum(problem: Problem) -> float:
    every = (job(Trial(0, config)).metrics for config in problem.space.configs)
    return min(m["cost"] for m in every if problem.feasible(m))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_nearly_cheapest_cluster_is_found_in_a_few_trials(seed: int) -> None:
    problem = clusters()
    strategy = tw.strategy("lynceus").build(problem, seed)
    found = History(search(strategy, 10)).best(problem)
    assert found is not None
    assert found.metrics["cost"] <= 1.1 * optimum(problem)


def test_the_known_price_is_used_where_there_is_one() -> None:
    dear = clusters(price=lambda c: 100.0 if c["vm"] == "c4.large" else 0.01 * c["vms"])
    strategy = tw.strategy("lynceus").build(dear, 0)
    assert all(s.config["vm"] != "c4.large" for s in strategy.suggest(History(), 10))


def test_what_is_billed_at_least_as_much_as_the_incumbent_cost_promises_nothing() -> None:
    problem = clusters(
        price=lambda c: HOURLY[c["vm"]] * c["vms"], billing=tw.Billing(tick=3600, minimum=3600)
    )
    first = Trial(0, {"vm": "c4.large", "vms": 2}).told(Measurement({"time": 500.0, "cost": 0.2}))
    strategy = tw.strategy("lynceus").build(problem, 0)
    cheaper = [s.config for s in strategy.suggest(History([first]), 2)]
    assert {(c["vm"], c["vms"]) for c in cheaper} == {("c4.large", 1), ("r4.large", 1)}
    slow = [Trial(n, c).told(TimedOut("", {"time": 1500.0})) for n, c in enumerate(cheaper, 1)]
    assert strategy.expected_gain(History([first, *slow])) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("grace", [1.5, None])
def test_no_trial_is_suggested_whose_minimum_charge_is_not_left(grace: float | None) -> None:
    problem = clusters(
        price=lambda c: HOURLY[c["vm"]] * c["vms"],
        billing=tw.Billing(tick=3600, minimum=3600),
        budget=0.6,
    )
    first = Trial(0, {"vm": "c4.large", "vms": 2}).told(Measurement({"time": 5.0, "cost": 0.2}))
    strategy = tw.strategy("lynceus", prune=grace).build(problem, 0)
    begun = [s.config for s in strategy.suggest(History(), 20)]
    assert begun
    assert all(HOURLY[c["vm"]] * c["vms"] <= 0.6 + 1e-9 for c in begun)
    asked = [s.config for s in strategy.suggest(History([first]), 20)]
    assert asked
    assert sum(HOURLY[c["vm"]] * c["vms"] for c in asked) <= 0.4 + 1e-9


def test_a_price_that_fails_is_told_in_a_sentence() -> None:
    problem = clusters(price=lambda c: c["nope"])
    with pytest.raises(ProblemError, match="price failed on the config"):
        tw.strategy("lynceus").build(problem, 0).suggest(History(), 1)


def test_the_least_time_within_a_limit_on_the_cost_is_found() -> None:
    problem = clusters(minimize="time", subject_to="cost <= 0.5")
    found = History(search(tw.strategy("lynceus").build(problem, 0), 9)).best(problem)
    every = (job(Trial(0, config)).metrics for config in problem.space.configs)
    fastest = min(m["time"] for m in every if problem.feasible(m))
    assert found is not None
    assert found.metrics["time"] <= 1.2 * fastest


def test_a_hopeless_trial_is_stopped_at_its_grace_times_the_limit() -> None:
    problem = clusters()
    trial = Trial(0, problem.space.configs[0])
    assert _limit(problem, History(), trial) == pytest.approx(1500.0)
    assert _limit(problem, History(), trial, prune=True) == pytest.approx(1500.0)
    assert _limit(problem, History(), trial, prune=2) == pytest.approx(2000.0)
    assert _limit(problem, History(), trial, prune=False) is None
    assert _limit(problem, History(), trial, prune=None) is None
    assert _limit(clusters(subject_to=[]), History(), trial) is None


def test_a_list_price_alone_stops_no_trial() -> None:
    trial = Trial(0, {"vm": "c4.large", "vms": 1})
    assert _limit(clusters(subject_to="cost <= 0.01"), History(), trial) is None
    priced = clusters(subject_to="cost <= 0.01", price=lambda c: 0.1 * c["vms"])
    assert _limit(priced, History(), trial) == pytest.approx(1.5 * 360)


def test_a_trial_that_would_cost_more_than_the_incumbent_is_stopped_earlier() -> None:
    problem = clusters(price=lambda c: HOURLY[c["vm"]] * c["vms"])
    first = Trial(0, {"vm": "r4.large", "vms": 2})
    told = first.told(Measurement({"time": 900.0, "cost": 0.0665}))
    limit = _limit(problem, History([told]), Trial(1, {"vm": "r4.2xlarge", "vms": 4}))
    assert limit == pytest.approx(1.5 * 0.0665 / (4 * 0.532 / 3600))


def test_a_price_is_learned_from_bills() -> None:
    problem = clusters()
    first = Trial(0, {"vm": "r4.large", "vms": 2})
    told = first.told(Measurement({"time": 900.0, "cost": 0.665}))  # ten times the list price
    limit = _limit(problem, History([told]), Trial(1, {"vm": "r4.2xlarge", "vms": 4}))
    assert limit == pytest.approx(1.5 * 0.665 / (40 * 0.532 / 3600), rel=0.1)


def _limit(problem: Problem, history: History, trial: Trial, **options: object) -> float | None:
    return tw.strategy("lynceus", **options).build(problem, 0).pruner.limit(history, trial)


def test_a_stopped_trial_teaches_that_its_like_are_slower_than_its_bound() -> None:
    at, told = {"vm": "c4.large", "vms": 4}, {"time": 1500.0, "cost": 0.17}
    ended = _believed(Trial(0, at).told(Measurement(told)))
    stopped = _believed(Trial(0, at).told(TimedOut("pruned", told)))
    assert ended[2].mean == pytest.approx(math.log(1500))
    assert np.all(stopped.mean > ended.mean)


def test_a_failed_trial_teaches_that_its_like_are_too_slow_to_be_of_use() -> None:
    failed = _believed(Trial(0, {"vm": "c4.large", "vms": 4}).told(Failure("out of memory")))
    assert failed[2].mean == pytest.approx(math.log(1100))
    assert float(failed[1].mean) > math.log(1000) > float(failed[19].mean)


def test_several_trials_of_a_config_count_once_and_measurements_before_bounds() -> None:
    at = {"vm": "c4.large", "vms": 4}
    stopped = Trial(0, at).told(TimedOut("pruned", {"time": 1500.0}))
    ended = [Trial(n, at).told(Measurement({"time": t, "cost": 1.0})) for n, t in ((1, 4), (2, 9))]
    assert _believed(stopped, *ended)[2].mean == pytest.approx(math.log(6))


def _believed(*told: Trial) -> Normal:
    problem = clusters()
    wanted = Wanted.of(problem)
    assert wanted is not None
    pool = MachinePool(problem, wanted, problem.space.configs, 0)
    price = prices(problem, History(told), pool.place, pool.prices)
    times = Times.of(problem, History(told), pool.place, price, wanted.time)
    return times.believed(pool.ensemble, []).moments()


def test_a_trial_is_suggested_only_if_the_budget_surely_pays_for_it() -> None:
    told = [Trial(0, {"vm": "r4.large", "vms": 2})]
    told = [t.told(job(t)) for t in told]
    spent = History(told).spent["cost"]
    asked = _asked(clusters(budget=spent + 0.6), told)
    assert asked is not None
    assert job(Trial(1, asked)).metrics["cost"] <= 0.6
    assert _asked(clusters(budget=spent + 1e-3), told) is None
    assert _asked(clusters(budget=1e-6), []) is not None


def test_the_most_probably_paid_trial_is_suggested_while_none_is_surely_paid() -> None:
    first = Trial(0, {"vm": "r4.large", "vms": 2})
    told = [first.told(job(first))]
    spent = History(told).spent["cost"]
    assert _asked(clusters(budget=2.5 * spent), told) is not None
    assert _asked(clusters(budget=1.1 * spent), told) is None


def test_a_study_whose_money_pays_for_no_other_trial_says_so_instead_of_all_were_tried() -> None:
    with tw.Study(clusters(budget=0.06), "lynceus", seed=0) as study:
        trial = study.ask()
        study.tell(trial, {"time": 900.0, "cost": 0.0595})
        with pytest.raises(StudyError, match="0.0005 USD are left, too little for another trial"):
            study.ask()


def test_a_budget_pays_for_a_trial_that_would_be_stopped_in_time() -> None:
    problem = clusters(price=lambda c: HOURLY[c["vm"]] * c["vms"], budget=0.7)
    told = [Trial(0, {"vm": "c4.large", "vms": 1}).told(TimedOut("", {"time": 1500.0}))]
    stopping, patient = (
        {
            tuple(s.config.values())
            for s in tw.strategy("lynceus", prune=grace).build(problem, 0).suggest(History(told), 4)
        }
        for grace in (1.5, None)
    )
    assert len(stopping) > len(patient)


def _asked(problem: Problem, told: list[Trial]) -> dict[str, object] | None:
    suggested = tw.strategy("lynceus").build(problem, 0).suggest(History(told), 1)
    return suggested[0].config if suggested else None


def test_costs_alone_teach_where_no_time_is_told() -> None:
    problem = clusters(subject_to=[])
    strategy, told = tw.strategy("lynceus").build(problem, 0), list[Trial]()
    for n in range(8):
        trial = Trial(n, strategy.suggest(History(told), 1)[0].config)
        told.append(trial.told(Measurement({"cost": job(trial).metrics["cost"]})))
    best = History(told).best(problem)
    assert best is not None
    assert best.metrics["cost"] <= 1.2 * optimum(problem)


def test_machines_without_known_names_and_free_trials_are_survived() -> None:
    space = tw.Space(tw.Choice("gpu", ["old", "new"]), tw.Integer("layers", 1, 4))
    problem = Problem(space, minimize="time")
    strategy, told = tw.strategy("lynceus").build(problem, 0), list[Trial]()
    for n in range(8):
        trial = Trial(n, strategy.suggest(History(told), 1)[0].config)
        told.append(trial.told(Measurement({"time": 0.0 if n == 3 else 5.0 + n, "cost": 0.0})))
    assert len({str(t.config) for t in told}) == 8
    assert strategy.suggest(History(told), 1) == []


def test_a_space_with_a_single_config_is_asked_once() -> None:
    problem = Problem(tw.Space(tw.Choice("vm", ["c4.large"])), minimize="cost")
    strategy = tw.strategy("lynceus").build(problem, 0)
    assert len(strategy.suggest(History(), 3)) == 1


def test_a_cluster_parameter_is_known_by_its_machines() -> None:
    space = tw.Space(tw.Cluster(types=["c4.large", "r4.2xlarge"], counts=[1, 2, 4, 8]))
    problem = Problem(space, minimize="cost", subject_to="time <= 1000")
    strategy = tw.strategy("lynceus").build(problem, 0)
    first = Trial(0, {"cluster": "c4.large:2"}).told(Measurement({"time": 4000.0}))
    asked = strategy.suggest(History([first]), 1)[0].config["cluster"]
    assert asked not in ("c4.large:1", "c4.large:2")


def test_the_expected_gain_shrinks_as_the_optimum_is_found() -> None:
    problem = clusters()
    strategy = tw.strategy("lynceus").build(problem, 0)
    history = History(search(strategy, 12))
    assert strategy.expected_gain(History()) is None
    feasible = next(n for n in range(1, 12) if history[:n].best(problem))
    early, late = (strategy.expected_gain(history[:n]) for n in (feasible, 12))
    assert early is not None and late is not None
    assert 0.0 <= late <= early
    assert math.isfinite(early)


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ({"surrogate": "machine"}, "did you mean 'machines'"),
        (
            {"prune": 0.5},
            "prune is 0.5; expected True, False, or how .*, 1 or above",
        ),
        ({"prune": "no"}, "prune is 'no'; expected True, False"),
        ({"horizon": 4}, "horizon is 4"),
        ({"roots": 0}, "roots is 0"),
        ({"initial": 0}, "initial is 0"),
        ({"candidates": 0}, "candidates is 0"),
        ({"discount": 2}, "discount is 2"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], refused: str) -> None:
    with pytest.raises(StrategyError, match=refused):
        tw.strategy("lynceus", **options).build(clusters(), 0)


def test_it_is_the_default_where_the_least_cost_or_time_is_wanted_at_the_full_data() -> None:
    assert default_strategy(clusters()).name == "lynceus"
    assert default_strategy(clusters(minimize="time")).name == "lynceus"
    assert default_strategy(clusters(subject_to="accuracy >= 0.8")).name == "cherrypick"
    assert default_strategy(clusters(fractions=(0.1, 1.0))).name == "trimtuner"


def test_a_study_stops_what_is_hopeless_and_goes_on() -> None:
    problem = clusters()
    with tw.Study(problem, "lynceus", seed=0) as study:
        study.optimize(job, trials=8, executor=ReplayExecutor(), progress=False)
    stopped = study.history.timed_out
    assert len(study.history) == 8
    assert stopped
    assert all(t.metrics["time"] < job(t).metrics["time"] for t in stopped)
    assert study.history.best(problem) is not None


@pytest.mark.parametrize("runs", [0.01, 1e9])
def test_a_search_ends_once_no_trial_saves_in_all_runs_what_it_costs(runs: float) -> None:
    strategy = tw.strategy("machines", runs=runs).build(clusters(), 0)
    told = list(search(strategy, 4))
    assert any(t.state == "complete" and t.metrics["time"] <= 1000 for t in told)
    reason = strategy.stops(History(told))
    if runs > 1:
        assert reason is None
    else:
        assert reason is not None
        assert reason.startswith("one more trial no longer pays: it is expected to cost ")
        assert reason.endswith(" USD in 0.01 runs")


def test_before_a_config_keeps_the_limits_every_trial_pays() -> None:
    strategy = tw.strategy("machines", runs=0.01).build(clusters(), 0)
    slow = Trial(0, {"vm": "c4.large", "vms": 1}).told(Measurement({"time": 6030.0, "cost": 0.17}))
    assert strategy.stops(History()) is None
    assert strategy.stops(History([slow])) is None


def test_runs_are_refused_where_they_mean_nothing() -> None:
    with pytest.raises(StrategyError, match="least time is wanted"):
        tw.strategy("machines", runs=3).build(clusters(minimize="time", subject_to=[]), 0)
    with pytest.raises(StrategyError, match="runs is 3; expected nothing where machines does not"):
        tw.strategy("lynceus", runs=3, surrogate="gp").build(clusters(), 0)
    with pytest.raises(StrategyError, match="runs"):
        tw.strategy("lynceus", runs=0).build(clusters(), 0)


def cliff(trial: Trial) -> Measurement:
    """Fast only where all memory together holds the data, which small machines are bad at."""
    gib = {"c4.large": 3.75, "c4.2xlarge": 15.0, "r4.large": 15.25, "r4.2xlarge": 61.0}
    fits = gib[trial.config["vm"]] * trial.config["vms"] >= 100
    metrics = job(trial).metrics
    slower = 1.0 if fits else 8.0
    return Measurement({name: slower * value for name, value in metrics.items()})


def test_a_memory_cliff_is_believed_after_a_few_trials() -> None:
    problem = clusters()
    configs = [
        {"vm": "c4.large", "vms": 16},
        {"vm": "r4.large", "vms": 4},
        {"vm": "c4.2xlarge", "vms": 4},
        {"vm": "r4.2xlarge", "vms": 2},
        {"vm": "r4.large", "vms": 8},
        {"vm": "c4.2xlarge", "vms": 8},
    ]
    told = History(Trial(i, c).told(cliff(Trial(i, c))) for i, c in enumerate(configs))
    posterior = machines(problem, 0).posterior(told)
    assert posterior is not None
    believed = posterior.times.moments()
    small, large = ({"vm": "r4.large", "vms": 2}, {"vm": "r4.2xlarge", "vms": 4})
    gap = believed[posterior.pool.at(small)].mean - believed[posterior.pool.at(large)].mean
    assert gap > math.log(10)  # what memory takes, besides an eighth of the cores
