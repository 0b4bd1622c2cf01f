import math

import numpy as np
import pytest

import tunewise as tw
from tunewise.errors import StrategyError
from tunewise.history.prior import Prior
from tunewise.space import Config
from tunewise.strategy import StrategySpec
from tunewise.strategy.strategy import Strategy

SLICES = (1 / 9, 1 / 3, 1.0)


def problem(**wanted: object) -> tw.Problem:
    space = tw.Space(tw.Real("x", 0, 1), tw.Real("y", 0, 1))
    given: dict[str, object] = {"maximize": "accuracy", "fractions": SLICES, **wanted}
    return tw.Problem(space, **given)  # type: ignore[arg-type] # a mix of keywords


def bohb(seed: int = 0, **options: object) -> Strategy:
    return StrategySpec("bohb", {"candidates": 200, **options}).build(problem(), seed)


def hill(trial: tw.Trial) -> tw.Measurement:
    away = (trial.config["x"] - 0.3) ** 2 + (trial.config["y"] - 0.7) ** 2
    at_full = 0.95 - 0.8 * away
    accuracy = at_full * (1 - 0.1 * math.log10(1 / trial.fraction))
    return tw.Measurement({"accuracy": accuracy, "cost": trial.fraction})


def newcomers(strategy: Strategy, count: int) -> list[tw.Trial]:
    """The trials that were the first of their config."""
    trials: list[tw.Trial] = []
    for number in range(count):
        asked = strategy.suggest(tw.History(trials), 1)[0]
        trial = tw.Trial(number, asked.config, asked.fraction)
        trials.append(trial.told(hill(trial)))
    seen: set[tuple[object, ...]] = set()
    first = []
    for trial in trials:
        key = tuple(trial.config.values())
        first += [] if key in seen else [trial]
        seen.add(key)
    return first


def loss(trials: list[tw.Trial]) -> float:
    return float(np.mean([0.95 - hill(tw.Trial(0, t.config)).metrics["accuracy"] for t in trials]))


def test_new_configs_are_better_than_random_ones_once_the_model_is_asked() -> None:
    guided = [loss(newcomers(bohb(seed), 20)[3:]) for seed in range(3)]
    by_chance = [loss(newcomers(bohb(seed, random=1.0), 20)[3:]) for seed in range(3)]
    assert np.mean(guided) < 0.7 * np.mean(by_chance)


def test_with_all_of_them_random_it_is_hyperband() -> None:
    plain = StrategySpec("hyperband").build(problem(), 4)
    assert newcomers(bohb(4, random=1.0), 25) == newcomers(plain, 25)


def test_the_first_configs_are_the_same_as_those_of_hyperband() -> None:
    plain = StrategySpec("hyperband").build(problem(), 4)
    assert newcomers(bohb(4, random=0.0), 3) == newcomers(plain, 3)


def test_asks_in_parallel_do_not_crowd_around_one_config() -> None:
    strategy = bohb(random=0.0)
    trials: list[tw.Trial] = []
    for number in range(6):
        asked = strategy.suggest(tw.History(trials), 1)[0]
        trial = tw.Trial(number, asked.config, asked.fraction)
        trials.append(trial.told(hill(trial)))
    batch = strategy.suggest(tw.History(trials), 3)
    points = np.array([[s.config["x"], s.config["y"]] for s in batch])
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1) + 10 * np.eye(3)
    assert len(batch) == 3 and apart.min() > 1e-3


@pytest.mark.parametrize(
    ("option", "wrong"),
    [("random", 1.5), ("random", -0.1), ("candidates", 0), ("eta", 1)],
)
def test_wrong_options_get_a_sentence(option: str, wrong: object) -> None:
    with pytest.raises(StrategyError, match=f"{option} is {wrong}; expected"):
        StrategySpec("bohb", {option: wrong}).build(problem(), 0)


def test_new_configs_of_a_warm_start_are_nearer_to_where_the_other_study_found_more() -> None:
    wanted, rng = problem(), np.random.default_rng(0)
    others = [tw.Trial(i, c, 1.0) for i, c in enumerate(wanted.space.sample(40, rng))]
    prior = Prior.of(wanted, {"other": tw.History(t.told(hill(t)) for t in others)})
    cold: list[Config] = []
    warm: list[Config] = []
    for seed in range(3):
        drawn = wanted.space.sample(6, np.random.default_rng(seed + 7))
        begun = [tw.Trial(i, config, 1 / 9) for i, config in enumerate(drawn)]
        told = tw.History(trial.told(hill(trial)) for trial in begun)
        for found, known in ((cold, None), (warm, prior)):
            spec = StrategySpec("bohb", {"candidates": 200, "random": 0.0, "surrogate": "gp"})
            found.append(spec.build(wanted, seed, known).suggest(told, 1)[0].config)
    assert warm != cold
    assert loss([tw.Trial(0, c) for c in warm]) < loss([tw.Trial(0, c) for c in cold])
