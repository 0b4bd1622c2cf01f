import time

import numpy as np

import tunewise as tw
from tests.tables import table_path
from tunewise.strategy import StrategySpec


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
    reached, seconds = 0, []
    for seed in range(3):
        strategy = StrategySpec("cherrypick").build(problem, seed)
        trials: list[tw.Trial] = []
        for number in range(16):
            began = time.thread_time()
            asked = strategy.suggest(tw.History(trials), 1)[0]
            seconds.append(time.thread_time() - began)
            trial = tw.Trial(number, asked.config)
            trials.append(trial.told(table(trial)))
        config = strategy.recommend(tw.History(trials)).config
        reached += table(tw.Trial(0, config)).metrics["accuracy"] >= 0.99 * optimum
    assert reached == 3
    assert np.median(seconds) < 0.15


def test_an_enqueued_config_does_not_take_a_place_of_the_initial_design() -> None:
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
    assert asked[0] == 7
    assert [x for x in design if x != 7] == [x for x in asked[1:] if x in design]
