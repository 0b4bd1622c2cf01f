"""How a search begins: by count, by share of the space, by money."""

import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.prior_mean import PriorMeans
from tunewise.errors import StrategyError
from tunewise.history import History
from tunewise.history.prior import Prior
from tunewise.space import Config
from tunewise.strategy.loop import initial_design as designs
from tunewise.strategy.loop.initial_design import Amount, InitialDesign, begun_by
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.testing.strategies import measured, problem


def begun(name: str, trials: int, **options: object) -> list[tw.Trial]:
    """The first trials of a strategy on a problem of 24 configs and fractions 0.1, 0.5, 1."""
    strategy = tw.strategy(name, **options).build(problem(), 0)
    told: list[tw.Trial] = []
    for number in range(trials):
        asked = strategy.suggest(History(told), 1)[0]
        trial = tw.Trial(number, asked.config, asked.fraction, asked.snapshots)
        told.append(trial.told(measured(trial)))
    return told


def left(initial: object, layout: designs.Layout, history: History) -> list[tw.Suggestion]:
    return InitialDesign(layout, Amount.of(initial)).left(problem(), history, 3, None)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (4, Amount(configs=4)),
        ("3%", Amount(share=0.03)),
        (" 12.5 % ", Amount(share=0.125)),
        ("5 USD", Amount(usd=5.0)),
        (".5usd", Amount(usd=0.5)),
    ],
)
def test_an_amount_is_a_count_a_share_or_money(given: object, expected: Amount) -> None:
    assert Amount.of(given) == expected


@pytest.mark.parametrize("given", [0, -1, True, 2.5, "0%", "120%", "5 EUR", "many", None])
def test_any_other_amount_gets_a_sentence(given: object) -> None:
    with pytest.raises(StrategyError, match="initial is .*; expected a whole number, 1 or above"):
        Amount.of(given)


def test_a_share_of_the_space_is_rounded_and_never_none() -> None:
    assert Amount.of("25%").of_space(problem()) == 6
    assert Amount.of("1%").of_space(problem()) == 1


def test_a_share_of_an_endless_space_is_refused() -> None:
    endless = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy")
    with pytest.raises(StrategyError, match="'3%' of a space that has no end"):
        Amount.of("3%").of_space(endless)


@pytest.mark.parametrize("layout", [designs.on_full, designs.on_smallest, designs.in_turn])
def test_a_count_begins_with_as_many_configs_the_same_at_any_time(layout: designs.Layout) -> None:
    first = left(5, layout, History())
    assert len(first) == 5 == len({tuple(s.config.values()) for s in first})
    ran = tw.Trial(0, first[0].config, first[0].fraction).told(measured(first[0]))
    assert left(5, layout, History([ran])) == first[1:]


def enqueued(config: Config, fraction: float = 1.0, number: int = 0) -> tw.Trial:
    return tw.Trial(number, config, fraction, enqueued=True)


def others(first: list[tw.Suggestion]) -> list[Config]:
    return [c for c in problem().space.configs if c not in [s.config for s in first]]


def test_an_enqueued_config_takes_a_place_of_the_design_once_it_was_measured() -> None:
    first = left(3, designs.on_full, History())
    waiting = [enqueued(c, number=n) for n, c in enumerate(others(first)[:3])]
    assert left(3, designs.on_full, History(waiting)) == first
    told = [t.told(measured(t)) for t in waiting]
    assert left(3, designs.on_full, History(told[:1])) == first[:2]
    assert left(3, designs.on_full, History(told)) == []
    failed = waiting[0].told(tw.Failure("no disk"))
    assert left(3, designs.on_full, History([failed])) == first
    begun = tw.Trial(1, first[0].config).told(measured(first[0]))
    assert left(3, designs.on_full, History([told[0], begun])) == first[1:2]


def test_a_config_measured_twice_takes_one_place_and_one_of_the_design_its_own() -> None:
    first = left(3, designs.on_full, History())
    twice = [enqueued(others(first)[0], number=n) for n in (0, 1)]
    assert left(3, designs.on_full, History(t.told(measured(t)) for t in twice)) == first[:2]
    own = enqueued(first[0].config)
    assert left(3, designs.on_full, History([own.told(measured(own))])) == first[1:]


def test_on_less_data_than_the_design_uses_a_measurement_takes_no_place() -> None:
    for layout, fraction, spared in (
        (designs.on_full, 0.5, 0),
        (designs.on_smallest, 0.5, 1),
        (designs.on_smallest, 1.0, 1),
        (designs.on_all_slices, 0.5, 2),
    ):
        first = left(3, layout, History())
        trial = enqueued(others(first)[0], fraction)
        after = left(3, layout, History([trial.told(measured(trial))]))
        assert after == first[: len(first) - spared]


def test_each_layout_uses_the_fractions_it_names() -> None:
    assert {s.fraction for s in left(4, designs.on_full, History())} == {1.0}
    assert {s.fraction for s in left(4, designs.on_smallest, History())} == {0.1}
    assert {s.fraction for s in left(4, designs.in_turn, History())} == {0.1, 0.5}
    snapshots = left(1, designs.snapshots, History())
    assert [(s.fraction, s.snapshots) for s in snapshots] == [(0.5, (0.1,))]
    every = left(2, designs.on_all_slices, History())
    assert [s.fraction for s in every] == [0.1, 0.5, 0.1, 0.5]
    assert every[0].config == every[1].config != every[2].config
    assert {s.fraction for s in left(6, designs.hypercube, History())} == {1.0}


def test_a_hypercube_spreads_over_the_fractions_that_may_be_deployed() -> None:
    wanted = problem(True, minimize="cost", subject_to=["accuracy >= 0.8"], deploy="any")
    drawn = designs.hypercube(wanted, 6, np.random.default_rng(0))
    assert sorted(s.fraction for s in drawn) == [0.1, 0.1, 0.5, 0.5, 1.0, 1.0]
    assert {s.fraction for s in designs.on_cheapest(wanted, 2, np.random.default_rng(0))} == {0.1}


@pytest.mark.parametrize("name", ["eic", "trimtuner", "lynceus_paper", "nephele_paper"])
def test_money_begins_until_it_is_spent(name: str) -> None:
    strategy = tw.strategy(name, initial="0.3 USD").build(problem(), 0)
    told: list[tw.Trial] = []
    while strategy.unbegun(History(told)):  # type: ignore[attr-defined] # with a model
        asked = strategy.suggest(History(told), 1)[0]
        trial = tw.Trial(len(told), asked.config, asked.fraction, asked.snapshots)
        told.append(trial.told(measured(trial)))
    spent = [t.metrics["cost"] for t in told]
    assert sum(spent[:-1]) < 0.3 <= sum(spent)


def test_money_that_nothing_costs_ends_after_a_hypercube() -> None:
    free = [
        tw.Trial(n, c, 1.0).told(tw.Measurement({"accuracy": 0.5}))
        for n, c in enumerate(problem().space.configs[:16])
    ]
    assert left("5 USD", designs.on_full, History(free[:15]))
    assert not left("5 USD", designs.on_full, History(free))


def test_fabulinus_as_published_begins_with_a_share_of_the_space_on_all_slices() -> None:
    told = begun("fabulinus_paper", 4, initial="9%", samples=1)
    assert [t.fraction for t in told] == [0.1, 0.5, 0.1, 0.5]
    assert told[0].config == told[1].config


def test_fabulinus_as_published_ends_after_its_iterations_however_it_began() -> None:
    options = {"samples": 1, "iterations": 2, "candidates": 40}
    for initial, trials in ((1, 4), ("0.02 USD", 4)):
        strategy = tw.strategy("fabulinus_paper", initial=initial, **options).build(problem(), 0)
        told = begun("fabulinus_paper", trials, initial=initial, **options)
        assert strategy.stops(History(told[:3])) is None
        assert strategy.stops(History(told)) == "all 2 iterations after the initial design were run"


def test_trimtuner_as_published_ends_after_its_iterations() -> None:
    strategy = tw.strategy("trimtuner_paper", iterations=3, candidates=40).build(problem(), 0)
    told = begun("trimtuner_paper", 4, iterations=3, candidates=40)
    assert strategy.stops(History(told[:3])) is None
    assert strategy.stops(History(told)) == "all 3 iterations after the initial design were run"


def learners(count: int, fractions: tuple[float, ...]) -> tw.Problem:
    names = [f"learner {i}" for i in range(count)]
    return tw.Problem(
        tw.Space(tw.Choice("learner", names)), maximize="accuracy", fractions=fractions
    )


def unrelated(problem: tw.Problem) -> InitialDesign:
    return begun_by("cheap", None, problem, unrelated=True)


@pytest.mark.parametrize(
    ("count", "smallest", "begun"),
    [(20, 1 / 64, 20), (50, 1 / 64, 32), (20, 0.1, 5), (20, 0.25, 3), (2, 0.01, 2)],
)
def test_of_unrelated_configs_all_begin_as_far_as_half_a_training_pays(
    count: int, smallest: float, begun: int
) -> None:
    problem = learners(count, (smallest, 1.0))
    suggested = tw.strategy("trimtuner").build(problem, 0).suggest(History(), 60)[:begun]
    left = unrelated(problem).left(problem, History(), 0, None)
    assert [s.config for s in suggested] == [s.config for s in left]
    assert len(left) == begun == len({s.config["learner"] for s in left})
    assert {s.fraction for s in left} == {smallest}


def test_where_other_studies_say_which_learner_is_good_one_begins() -> None:
    problem = learners(20, (1 / 64, 1.0))
    other = History(
        tw.Trial(i, {"learner": f"learner {i}"}).told(
            tw.Measurement({"accuracy": 0.9 if i == 7 else 0.5})
        )
        for i in range(10)
    )
    prior = PriorMeans(problem, Prior.of(problem, {"other": other}))
    (first,) = unrelated(problem).left(problem, History(), 0, prior)
    assert first.config == {"learner": "learner 7"}


def test_related_configs_begin_with_three_and_the_papers_bootstrap_with_one() -> None:
    space = tw.Space(tw.Real("rate", 0, 1), tw.Ordinal("width", [1, 2, 4]))
    problem = tw.Problem(space, maximize="accuracy", fractions=(0.1, 0.5, 1.0))
    given: list[tuple[dict[str, object], int]]
    given = [({}, 3), ({"bootstrap": "paper"}, 1), ({"initial": 5}, 5)]
    for options, count in given:
        strategy = tw.strategy("trimtuner", **options).build(problem, 0)
        assert isinstance(strategy, ModelBased)
        assert len(strategy.unbegun(History())) == count
