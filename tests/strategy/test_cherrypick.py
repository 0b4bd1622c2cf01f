from pathlib import Path

import pytest

import tunewise as tw
from tests.doubts import perhaps_nothing
from tests.tables import table_path
from tunewise.benchmark.contest import Contest
from tunewise.benchmark.race import replayed
from tunewise.history import History, Trial
from tunewise.strategy import StrategySpec
from tunewise.testing.strategies import measured, played, problem


def cnn() -> tw.Table:
    return tw.Table(
        table_path("trimtuner/cnn.csv"),
        config=["vm", "vms", "learning_rate", "batch_size", "mode"],
        fraction="fraction",
        metrics=["accuracy", "time", "cost"],
    )


def test_it_finds_a_near_optimal_config_of_the_measured_cnn() -> None:
    table = cnn()
    problem = tw.Problem(table.space, maximize="accuracy", subject_to=["cost <= 0.10"])
    optimum = max(
        m.metrics["accuracy"]
        for c in table.space.configs
        if isinstance(m := table(tw.Trial(0, c)), tw.Measurement) and m.metrics["cost"] <= 0.10
    )
    reached = 0
    for seed in range(3):
        strategy = StrategySpec("cherrypick").build(problem, seed)
        trials: list[tw.Trial] = []
        for number in range(16):
            asked = strategy.suggest(tw.History(trials), 1)[0]
            trial = tw.Trial(number, asked.config)
            trials.append(trial.told(table(trial)))
        config = strategy.recommend(tw.History(trials)).config
        reached += table(tw.Trial(0, config)).metrics["accuracy"] >= 0.99 * optimum
    assert reached == 3


def test_a_measured_config_that_was_enqueued_takes_the_last_place_of_the_initial_design() -> None:
    space = tw.Space(tw.Ordinal("x", list(range(20))))
    study = tw.Study(tw.Problem(space, maximize="accuracy"), strategy="cherrypick", seed=1)
    study.enqueue({"x": 7})
    asked = []
    for _ in range(5):
        trial = study.ask()
        asked.append(trial.config["x"])
        study.tell(trial, {"accuracy": 0.5})
    plain = tw.Study(tw.Problem(space, maximize="accuracy"), strategy="cherrypick", seed=1)
    design = []
    for _ in range(4):
        trial = plain.ask()
        design.append(trial.config["x"])
        plain.tell(trial, {"accuracy": 0.5})
    assert 7 not in design
    assert asked[:4] == [7, *design[:3]]
    assert asked[4] != design[3]


def cheapest(**options: object) -> tw.Study:
    space = tw.Space(tw.Ordinal("vms", list(range(1, 61))))
    problem = tw.Problem(space, minimize="cost", subject_to=["time <= 300"])
    return tw.Study(problem, strategy=tw.strategy("cherrypick", **options), seed=0)


def cluster(trial: tw.Trial) -> dict[str, float]:
    seconds = 100 + 2000 / trial.config["vms"]
    return {"time": seconds, "cost": seconds * trial.config["vms"] / 3600}


def test_it_stops_as_its_paper_does_when_asked() -> None:
    stopping, going_on = cheapest(stop=0.1), cheapest()
    best = stopping.optimize(cluster, trials=30, executor=tw.ReplayExecutor(workers=1))
    assert stopping.stopped is not None and "(10 % of the best)" in stopping.stopped
    assert 6 <= len(stopping.history) < 20
    assert best is not None and cluster(tw.Trial(0, best.config))["time"] <= 300
    assert (
        cluster(tw.Trial(0, best.config))["cost"] <= 1.2 * cluster(tw.Trial(0, {"vms": 10}))["cost"]
    )
    going_on.optimize(cluster, trials=30, executor=tw.ReplayExecutor(workers=1))
    assert len(going_on.history) == 30
    assert [t.config for t in going_on.history][: len(stopping.history)] == [
        t.config for t in stopping.history
    ]


@perhaps_nothing
def test_it_does_not_stop_before_the_least_number_of_trials_nor_without_a_feasible_one() -> None:
    patient = cheapest(stop=0.5, least=12)
    patient.optimize(cluster, trials=30, executor=tw.ReplayExecutor(workers=1))
    assert len(patient.history) == 12
    hopeless = tw.Study(
        tw.Problem(patient.problem.space, minimize="cost", subject_to=["time <= 1"]),
        strategy=tw.strategy("cherrypick", stop=0.9),
        seed=0,
    )
    hopeless.optimize(cluster, trials=10, executor=tw.ReplayExecutor(workers=1))
    assert len(hopeless.history) == 10


def test_wrong_options_of_the_stop_rule_get_a_sentence() -> None:
    with pytest.raises(tw.TunewiseError, match="stop is 10; expected a number between 0 and 1"):
        cheapest(stop=10)
    with pytest.raises(tw.TunewiseError, match="least is -1; expected a whole number, 0 or above"):
        cheapest(stop=0.1, least=-1)


def test_a_race_ends_early_only_when_the_entrant_asks_for_it(tmp_path: Path) -> None:
    rows = [(vms, cluster(tw.Trial(0, {"vms": vms}))) for vms in range(1, 61)]
    told = "".join(f"{vms},{seen['time']},{seen['cost']}\n" for vms, seen in rows)
    (tmp_path / "t.csv").write_text("vms,time,cost\n" + told)
    table = tw.Table(tmp_path / "t.csv", ["vms"], fraction=None, metrics=["time", "cost"])
    problem = tw.Problem(table.space, minimize="cost", subject_to=["time <= 300"])
    contest = Contest(table, problem, trials=20)
    short = replayed(contest, StrategySpec("cherrypick", {"stop": 0.1}), 0)
    assert 6 <= len(short.steps) < 20
    assert len(replayed(contest, StrategySpec("cherrypick"), 0).steps) == 20


def test_slices_that_a_person_tried_are_not_taken_for_the_full_data() -> None:
    wanted = problem(True, minimize="cost", subject_to=["accuracy >= 0.5"], deploy="any")
    strategy = tw.strategy("cherrypick").build(wanted, 0)
    history = played(strategy, 5)
    slice_ = Trial(5, wanted.space.configs[0], 0.1, enqueued=True)
    more = History([*history, slice_.told(measured(slice_))])
    assert strategy.recommend(more) == strategy.recommend(history)
