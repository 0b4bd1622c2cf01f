import numpy as np
import pytest

import tunewise as tw
from tests.tables import table_path
from tunewise.belief.candidates import Candidates
from tunewise.belief.grid import Grid, measured_at_full, open_trials
from tunewise.errors import StrategyError
from tunewise.strategy import StrategySpec
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.testing.strategies import measured, played, problem


def cnn() -> tw.Table:
    return tw.Table(
        table_path("trimtuner/cnn.csv"),
        config=["vm", "vms", "learning_rate", "batch_size", "mode"],
        fraction="fraction",
        metrics=["accuracy", "time", "cost"],
    )


def searched(table: tw.Table, strategy: tw.Strategy, usd: float) -> tw.History:
    trials: list[tw.Trial] = []
    while tw.History(trials).spent["cost"] < usd and len(trials) < 48:
        asked = strategy.suggest(tw.History(trials), 1)[0]
        trial = tw.Trial(len(trials), asked.config, asked.fraction, asked.snapshots)
        trials.append(trial.told(table(trial)))
    return tw.History(trials)


def test_for_the_price_of_a_few_trainings_it_finds_a_near_optimal_feasible_config() -> None:
    table = cnn()
    wanted = tw.Problem(
        table.space, maximize="accuracy", subject_to="cost <= 0.10", fractions=table.fractions
    )
    optimum = table.best(wanted)
    assert optimum is not None
    shares = []
    for seed in range(3):
        strategy = StrategySpec("trimtuner").build(wanted, seed)
        history = searched(table, strategy, 0.4)
        best = table(tw.Trial(0, strategy.recommend(history).config)).metrics
        assert best["cost"] <= 0.10
        shares.append(best["accuracy"] / optimum.objective)
    assert np.mean(shares) >= 0.98


@pytest.mark.parametrize("surrogate", ["gp", "gp_mcmc", "trees"])
def test_it_learns_mostly_from_slices(surrogate: str) -> None:
    options = {"surrogate": surrogate, "growth": 0.7}
    strategy = StrategySpec("trimtuner", options).build(problem(), 0)
    history = played(strategy, 8)
    assert history[0].fraction == 0.1
    assert sum(t.fraction < 1 for t in history) > sum(t.fraction == 1 for t in history)


def test_no_trial_spends_much_more_than_was_spent_before() -> None:
    careful = played(StrategySpec("trimtuner", {"growth": 0.7}).build(problem(), 1), 8)
    spent = careful[0].metrics["cost"]
    for trial in careful[1:]:
        assert trial.metrics["cost"] <= 3 * spent
        spent += trial.metrics["cost"]


def test_the_papers_bootstrap_takes_snapshots_of_one_run() -> None:
    strategy = StrategySpec("trimtuner", {"bootstrap": "paper"}).build(problem(), 0)
    first = strategy.suggest(tw.History(), 1)[0]
    assert first.fraction == 0.5 and first.snapshots == (0.1,)
    trial = tw.Trial(0, first.config, first.fraction, first.snapshots).told(measured(first))
    second = strategy.suggest(tw.History([trial]), 1)[0]
    assert (second.config, second.fraction) not in [(first.config, 0.1), (first.config, 0.5)]


def test_what_was_measured_on_the_full_data_is_not_doubted_where_repeats_agree() -> None:
    wanted = problem(subject_to=["cost <= 0.105"])
    strategy = StrategySpec("trimtuner").build(wanted, 0)
    history = played(strategy, 10)
    cheap = next(c for c in wanted.space.configs if c["vms"] == 1 and c["x"] == 0.3)
    trials = [tw.Trial(len(history) + n, cheap) for n in range(3)]
    told = tw.History([*history, *(trial.told(measured(trial)) for trial in trials)])
    assert wanted.feasible(told[-1].metrics)
    grid = Grid(Candidates.of(wanted, wanted.space.configs), np.array(wanted.fractions))
    known = measured_at_full(wanted, told, grid, "cost")
    assert not np.isnan(known[wanted.space.configs.index(cheap)])
    best = told.best(wanted)
    recommended = strategy.recommend(told)
    truth = measured(tw.Suggestion(recommended.config))
    assert best is not None
    assert wanted.feasible(truth.metrics)
    assert truth.metrics["accuracy"] >= best.metrics["accuracy"] - 1e-9


def test_trials_and_their_snapshots_are_closed_and_all_others_open() -> None:
    wanted = problem()
    grid = Grid(Candidates.of(wanted, wanted.space.configs), np.array(wanted.fractions))
    config = wanted.space.configs[5]
    trial = tw.Trial(0, config, 0.5).told(
        tw.Measurement({"accuracy": 0.5, "cost": 1.0}, {0.1: {"accuracy": 0.4, "cost": 0.5}})
    )
    cancelled = tw.Trial(1, wanted.space.configs[6], 0.1).told(tw.Cancelled("stopped"))
    left = open_trials(wanted, tw.History([trial, cancelled]), grid)
    assert set(range(len(grid))) - set(left.tolist()) == {15, 16}


def test_the_gain_expected_shrinks_as_more_is_known() -> None:
    strategy = StrategySpec("trimtuner").build(problem(), 0)
    assert strategy.expected_gain(tw.History()) is None
    assert strategy.expected_gain(played(strategy, 3)) is None
    early = strategy.expected_gain(played(strategy, 5))
    late = strategy.expected_gain(played(strategy, 30))
    assert early is not None and late is not None
    assert 0 <= late < early


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"acquisition": "entropi"}, "did you mean 'entropy'"),
        ({"bootstrap": "papr"}, "did you mean 'paper'"),
        ({"surrogate": "tree"}, "did you mean 'trees'"),
        ({"filter": "cmas"}, "did you mean 'cmaes'"),
        ({"filter": "cea", "share": 0}, "share is 0"),
        ({"feasible": 1.5}, "feasible is 1.5"),
        ({"share": 2}, "share is 2; expected a number above 0 and at most 1"),
        ({"share": "0.1"}, "share is '0.1'; expected a number"),
        ({"feasible": "0.9"}, "feasible is '0.9'"),
        ({"candidates": 0}, "candidates is 0"),
        ({"initial": 0}, "initial is 0; expected a whole number, 1 or above"),
        ({"initial": True}, "initial is True"),
        ({"overhead": -1}, "overhead is -1; expected a finite number, 0 or above"),
        ({"overhead": float("nan")}, "overhead is nan"),
        ({"roots": 2.5}, "roots is 2.5"),
        ({"roots": 500}, "roots is 500"),
        ({"growth": 0}, "growth is 0"),
    ],
)
def test_a_wrong_option_gets_a_sentence(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(StrategyError, match=sentence):
        StrategySpec("trimtuner", options).build(problem(), 0)


@pytest.mark.parametrize("name", ["fabolas", "fabulinus"])
@pytest.mark.parametrize(
    ("option", "value"),
    [("initial", 0), ("overhead", "much"), ("roots", 0), ("candidates", 1.5)],
)
def test_other_strategies_on_slices_say_as_much(name: str, option: str, value: object) -> None:
    with pytest.raises(StrategyError, match=f"{option} is {value!r}; expected a"):
        StrategySpec(name, {option: value}).build(problem(), 0)


def test_fabolas_and_fabulinus_refuse_words_and_probabilities_that_cannot_be() -> None:
    with pytest.raises(StrategyError, match="unknown bootstrap 'papr'; did you mean 'paper'"):
        StrategySpec("fabolas", {"bootstrap": "papr"}).build(problem(), 0)
    with pytest.raises(StrategyError, match="feasible is 1; expected a number between 0 and 1"):
        StrategySpec("fabulinus", {"feasible": 1}).build(problem(), 0)


@pytest.mark.parametrize("name", ["cea", "random", "direct", "cmaes"])
def test_every_filter_steers_the_search(name: str) -> None:
    strategy = StrategySpec("trimtuner", {"filter": name, "share": 0.1}).build(problem(), 0)
    history = played(strategy, 6)
    assert len({(tuple(t.config.values()), t.fraction) for t in history}) == 6


def test_a_huge_space_is_searched_in_pools() -> None:
    space = tw.Space(*(tw.Real(f"x{j}", 0, 1) for j in range(10)))
    wanted = tw.Problem(space, maximize="accuracy", fractions=(0.1, 1.0))
    strategy = StrategySpec("trimtuner", {"candidates": 300}).build(wanted, 0)
    trials: list[tw.Trial] = []
    for number in range(6):
        asked = strategy.suggest(tw.History(trials), 1)[0]
        centre = sum((asked.config[f"x{j}"] - 0.5) ** 2 for j in range(10))
        trial = tw.Trial(number, asked.config, asked.fraction)
        trials.append(
            trial.told(tw.Measurement({"accuracy": 0.9 - 0.2 * centre, "time": asked.fraction}))
        )
    assert strategy.recommend(tw.History(trials)).config in space


def test_fabolas_does_not_know_constraints_and_trimtuner_keeps_them() -> None:
    table = cnn()
    wanted = tw.Problem(
        table.space, maximize="accuracy", subject_to="cost <= 0.05", fractions=table.fractions
    )
    unlimited = max(table.values("accuracy", 1.0))
    strategy = StrategySpec("fabolas").build(wanted, 0)
    history = searched(table, strategy, 1.0)
    truth = table(tw.Trial(0, strategy.recommend(history).config)).metrics
    assert truth["accuracy"] >= 0.95 * unlimited
    assert truth["cost"] > 0.05


@pytest.mark.parametrize("seed", [0, 1])
def test_where_slices_save_nothing_trees_soon_leave_them(seed: int) -> None:
    rates = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2]
    space = tw.Space(
        tw.Ordinal("vms", [1, 2, 4, 8]),
        tw.Ordinal("rate", rates),
        tw.Ordinal("batch", [16, 32, 64, 128]),
    )
    fractions = (1 / 64, 1 / 16, 1 / 4, 1.0)
    wanted = tw.Problem(space, maximize="accuracy", subject_to="cost <= 0.008", fractions=fractions)
    strategy = StrategySpec("trimtuner", {"surrogate": "trees"}).build(wanted, seed)
    trials: list[tw.Trial] = []
    for number in range(18):
        asked = strategy.suggest(tw.History(trials), 1)[0]
        batch = np.log2(asked.config["batch"])
        good = 2 - (np.log10(asked.config["rate"]) + 3) ** 2 - 0.1 * (batch - 5) ** 2
        seconds = float(60 + 5 * asked.fraction + 2 * batch)
        metrics = {
            "accuracy": float(1 / (1 + np.exp(-good - 0.9 * np.log10(asked.fraction)))),
            "time": seconds,
            "cost": seconds * asked.config["vms"] * 0.1 / 3600,
        }
        trial = tw.Trial(number, asked.config, asked.fraction)
        trials.append(trial.told(tw.Measurement(metrics)))
    assert sum(t.fraction == 1 for t in trials) >= 3


def crossing_learners(surrogate: str, count: int) -> tuple[tw.Strategy, tw.History]:
    """Of six learners each begins worse than the one before, learns more and takes longer."""
    learners = list("abcdef")
    fractions = (1 / 64, 1 / 16, 1 / 4, 1.0)
    space = tw.Space(tw.Choice("learner", learners))
    wanted = tw.Problem(space, maximize="accuracy", subject_to="time <= 100", fractions=fractions)
    strategy = StrategySpec("trimtuner", {"surrogate": surrogate}).build(wanted, 0)
    trials: list[tw.Trial] = []
    for number in range(count):
        asked = strategy.suggest(tw.History(trials), 1)[0]
        place, decades = learners.index(asked.config["learner"]), np.log10(asked.fraction)
        good = 0.3 + 0.4 * place + (0.1 + 0.3 * place) * decades
        seconds = 8.0 * 2**place * asked.fraction
        told = {"accuracy": float(1 / (1 + np.exp(-good))), "time": seconds}
        trial = tw.Trial(number, asked.config, asked.fraction)
        trials.append(trial.told(tw.Measurement(told)))
    return strategy, tw.History(trials)


def test_where_nothing_relates_configs_trees_search_as_a_process_does() -> None:
    """Trees had tried three of them first, and then carried one slope on for all."""
    searches = [crossing_learners(surrogate, 14) for surrogate in ("gp", "trees")]
    process, trees = ([(t.config["learner"], t.fraction) for t in h] for _, h in searches)
    assert process == trees
    assert sorted(trees[:6]) == [(learner, 1 / 64) for learner in "abcdef"]
    strategy, history = searches[1]
    assert strategy.recommend(history).config == {"learner": "d"}, "the best within the limit"


def test_what_is_dear_and_accurate_counts_where_the_fastest_accurate_learner_is_wanted() -> None:
    names = [f"l{i}" for i in range(5)]
    space = tw.Space(tw.Choice("learner", names))
    seconds, accuracy = (1.0, 2.0, 3.0, 40.0, 90.0), (0.5, 0.5, 0.5, 0.9, 0.95)
    rows = zip(names, seconds, accuracy, strict=True)
    ran = [
        tw.Trial(i, {"learner": name}, 1.0).told(tw.Measurement({"time": t, "accuracy": a}))
        for i, (name, t, a) in enumerate(rows)
    ]
    fastest = tw.Problem(space, minimize="time", subject_to="accuracy >= 0.8")
    best = tw.Problem(space, maximize="accuracy", subject_to="time <= 60")
    beliefs = []
    for posed in (fastest, best):
        strategy = StrategySpec("trimtuner").build(posed, 0)
        assert isinstance(strategy, ModelBased)
        posterior = strategy.posterior(tw.History(ran))
        assert posterior is not None
        beliefs.append(posterior)
    assert beliefs[0].floor == 0.0 < beliefs[1].floor
    # The fourth is the answer: it is worth its time, and not only a millionth of it.
    rewards = beliefs[0].rewards
    assert int(rewards.argmax()) == 3
    assert rewards[3] == pytest.approx(beliefs[0].worth[3, -1], rel=0.2)
