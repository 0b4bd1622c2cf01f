"""What one more trial is expected to bring: in the objective's unit, and nothing at the end."""

import pytest

import tunewise as tw
from tests.belief import tiny
from tunewise.strategy.loop.expected_gain import knowledge
from tunewise.strategy.loop.model_based import ModelBased

CHEAPEST = tiny.problem(4, minimize="cost", subject_to="time <= 100")


def tried(*costs: float) -> tw.History:
    return tw.History(tiny.ran(x, number=x, cost=usd, time=10.0 + x) for x, usd in enumerate(costs))


@pytest.mark.parametrize("name", ["machines", "cherrypick", "lynceus_paper", "nephele"])
def test_where_every_config_was_tried_nothing_more_is_to_be_gained(name: str) -> None:
    strategy = tw.strategy(name).build(CHEAPEST, 0)
    gained = strategy.expected_gain(tried(0.4, 0.3, 0.2, 0.5))
    assert gained == pytest.approx(0.0, abs=1e-9)


def test_on_clusters_the_gain_is_in_usd_and_at_most_the_best_so_far() -> None:
    strategy = tw.strategy("machines").build(CHEAPEST, 0)
    assert strategy.expected_gain(tw.History()) is None
    gained = strategy.expected_gain(tried(0.4, 0.3))
    assert gained is not None and 0 < gained < 0.3
    dearer = strategy.expected_gain(tried(4.0, 3.0))
    assert dearer == pytest.approx(10 * gained, rel=0.2)


def test_on_slices_nothing_is_foretold_before_five_trials_are_complete() -> None:
    wanted = tiny.problem(3, (0.5, 1.0), maximize="accuracy")
    strategy = tw.strategy("trimtuner").build(wanted, 0)
    assert isinstance(strategy, ModelBased)
    beliefs = {"accuracy": ([0.0, 0.1, 0.2, 0.3, 0.1, 0.2], [0.5] * 6)}
    for count, known in ((4, False), (5, True)):
        told = tw.History(
            tiny.ran(n % 3, (0.5, 1.0)[n // 3], number=n, accuracy=0.5) for n in range(count)
        )
        posterior = tiny.written(wanted, beliefs, told)
        gained = knowledge(posterior, strategy.parts.recommender)
        assert (gained is not None) == known
