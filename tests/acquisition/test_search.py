"""Climbs, regions and screens: where candidates of large spaces come from."""

from collections.abc import Sequence

import numpy as np
import pytest

import tunewise as tw
from tunewise.acquisition.modelled import Modelled
from tunewise.acquisition.search.climbing import climbed
from tunewise.acquisition.search.moves import Boxes, along_axes, perturbed
from tunewise.acquisition.search.screening import promising
from tunewise.acquisition.search.searched import SIDE, searched
from tunewise.belief.candidates import Candidates, pool
from tunewise.belief.grid import Grid, Index
from tunewise.belief.model import Model
from tunewise.belief.posterior import HOPE, Posterior
from tunewise.history import History, Measurement, Trial
from tunewise.space import Config
from tunewise.surrogate.normal import Array

REALS = tw.Space(*(tw.Real(f"x{i}", 0.0, 1.0) for i in range(6)))
MIXED = tw.Space(
    tw.Choice("optimizer", ["sgd", "adam", "lion"]),
    tw.Real("momentum", 0.0, 0.99, when={"optimizer": "sgd"}),
    tw.Real("rate", 1e-5, 1e-1, log=True),
    tw.Integer("layers", 1, 9),
    tw.Ordinal("batch", [16, 32, 64]),
    where=lambda c: c["layers"] < 9 or c["batch"] > 16,
)
TREE = tw.Space(tw.Choice("kind", ["a", "b"]), tw.Real("x", 0.0, 1.0))


def history(problem: tw.Problem, values: Sequence[float], seed: int = 0) -> History:
    """Trials at random places with these objectives."""
    configs = problem.space.sample(len(values) or 1, np.random.default_rng(seed))
    return History(
        Trial(i, config).told(Measurement({problem.objective: value}))
        for i, (config, value) in enumerate(zip(configs, values, strict=False))
    )


def whole(x: Array) -> Boxes:
    return Boxes(np.zeros_like(x), np.ones_like(x))


def bowl(centre: float) -> object:
    def value(configs: Sequence[Config], x: Array, climbs: Index) -> Array:
        return np.asarray(-((x - centre) ** 2).sum(1), float)

    return value


def test_climbs_from_anywhere_meet_at_the_top_of_a_bowl() -> None:
    starts = np.random.default_rng(0).random((5, 6))
    ends = climbed(REALS, starts, bowl(0.3), whole(starts), 14, np.random.default_rng(1))  # type: ignore[arg-type] # a value
    assert ends == pytest.approx(np.full((5, 6), 0.3), abs=0.03)


def test_a_climb_stays_in_its_box_and_stops_at_its_wall() -> None:
    start = np.full((1, 6), 0.6)
    box = Boxes.of(REALS, start, 0.2)
    end = climbed(REALS, start, bowl(0.0), box, 10, np.random.default_rng(0))  # type: ignore[arg-type] # a value
    assert end == pytest.approx(np.full((1, 6), 0.5), abs=1e-9)


def test_a_climb_never_ends_lower_than_it_began_even_among_choices_and_conditions() -> None:
    rng = np.random.default_rng(3)
    starts = MIXED.encode(MIXED.sample(8, rng))
    worth = np.random.default_rng(4).random(MIXED.width)

    def value(configs: Sequence[Config], x: Array, climbs: Index) -> Array:
        return np.asarray(np.sin(9 * x @ worth), float)

    ends = climbed(MIXED, starts, value, whole(starts), 6, rng)
    every = np.arange(8)
    reached = value((), MIXED.encode(MIXED.decode(ends)), every)
    assert (reached >= value((), starts, every) - 1e-9).all()
    assert all(MIXED.check(config) for config in MIXED.decode(ends))


def test_a_climb_finds_the_right_choice_and_the_right_number() -> None:
    start = TREE.encode([{"kind": "a", "x": 0.9}])

    def value(configs: Sequence[Config], x: Array, climbs: Index) -> Array:
        return np.array([(c["kind"] == "b") - abs(c["x"] - 0.25) for c in configs])

    [found] = TREE.decode(climbed(TREE, start, value, whole(start), 12, np.random.default_rng(0)))
    assert found["kind"] == "b"
    assert found["x"] == pytest.approx(0.25, abs=0.02)


def test_each_climb_has_a_value_of_its_own() -> None:
    starts = np.full((2, 6), 0.5)

    def value(configs: Sequence[Config], x: Array, climbs: Index) -> Array:
        centre = np.array([0.2, 0.8])[climbs]
        return np.asarray(-((x - centre[:, None]) ** 2).sum(1), float)

    ends = climbed(REALS, starts, value, whole(starts), 14, np.random.default_rng(1))
    assert ends == pytest.approx(np.repeat([[0.2], [0.8]], 6, axis=1), abs=0.03)


def test_whole_numbers_step_to_the_next_one_however_short_the_step() -> None:
    start = MIXED.encode([{"optimizer": "adam", "rate": 1e-3, "layers": 4, "batch": 32}])
    moved = along_axes(MIXED, start, np.array([1e-3]), np.random.default_rng(0))[0]
    layers = MIXED.names.index("layers")
    near = MIXED.decode(moved[2 * layers : 2 * layers + 2].clip(0, 1))
    assert [config["layers"] for config in near] == [3, 5]


def test_few_parameters_of_many_change_at_once() -> None:
    wide = tw.Space(*(tw.Real(f"x{i}", 0.0, 1.0) for i in range(30)))
    near = perturbed(wide, np.full(30, 0.5), 0.2, 400, np.random.default_rng(0))
    changed = (near != 0.5).sum(1)
    assert changed.min() >= 1
    assert 5 < changed.mean() < 7  # five on average, and one at least
    assert np.abs(near - 0.5).max() <= 0.1


def test_the_parameter_that_surely_changes_is_another_one_each_time() -> None:
    wide = tw.Space(*(tw.Real(f"x{i}", 0.0, 1.0) for i in range(30)))
    near = perturbed(wide, np.full(30, 0.5), 0.2, 400, np.random.default_rng(0))
    # Each is drawn with a probability of 5/30, or is the one of 30: 0.19 of 400 moves.
    assert (near != 0.5).mean(0) == pytest.approx(np.full(30, 1 - 25 / 30 * 29 / 30), abs=0.1)


def test_what_is_recommended_in_a_continuous_space_is_better_than_all_that_was_tried() -> None:
    problem = tw.Problem(REALS, maximize="score")
    configs = REALS.sample(40, np.random.default_rng(0))

    def score(config: Config) -> float:
        return -float(sum((value - 0.37) ** 2 for value in config.values()))

    tried = History(
        Trial(i, c).told(Measurement({"score": score(c)})) for i, c in enumerate(configs)
    )
    answer = tw.strategy("trimtuner").build(problem, 0).recommend(tried)
    assert score(answer.config) > max(map(score, configs)) / 4  # nearer by half or more


def test_a_large_list_is_screened_and_keeps_what_was_tried_and_the_best() -> None:
    space = tw.Space(tw.Ordinal("x", list(range(400))), tw.Ordinal("y", list(range(50))))
    problem = tw.Problem(space, maximize="score")

    def score(config: Config) -> float:
        return float(-abs(config["x"] - 321) / 400 - abs(config["y"] - 7) / 50)

    configs = space.sample(30, np.random.default_rng(1))
    tried = History(
        Trial(i, c).told(Measurement({"score": score(c)})) for i, c in enumerate(configs)
    )
    weighed = Modelled(candidates=20_000, weighed=500).posterior(problem, tried, 0, None)
    every = Modelled(candidates=20_000).posterior(problem, tried, 0, None)
    assert weighed is not None and every is not None
    kept = [space.key(c) for c in weighed.grid.candidates.configs]
    assert len(every.grid.candidates) == 20_000
    assert len(kept) <= 530
    assert {space.key(c) for c in configs} <= set(kept)
    best = every.grid.candidates.configs[int(every.rewards.argmax())]
    assert space.key(best) in kept


def test_configs_of_a_mixed_space_are_all_valid_and_none_is_there_twice() -> None:
    problem = tw.Problem(MIXED, maximize="accuracy")
    tried = history(problem, np.random.default_rng(5).random(12).tolist())
    posterior = Modelled(candidates=300).posterior(problem, tried, 0, None)
    assert posterior is not None
    configs = posterior.grid.candidates.configs
    assert all(MIXED.check(config) == config for config in configs)
    assert len({MIXED.key(config) for config in configs}) == len(configs) > 128


def test_boxes_bound_numbers_within_the_cube_and_leave_choices_free() -> None:
    centres = TREE.encode([{"kind": "a", "x": 0.95}, {"kind": "b", "x": 0.5}])
    boxes = Boxes.of(TREE, centres, 0.4)
    x = TREE.columns["x"]
    assert boxes.low[:, x].ravel() == pytest.approx([0.75, 0.3])
    assert boxes.high[:, x].ravel() == pytest.approx([1.0, 0.7])
    kind = TREE.columns["kind"]
    assert (boxes.low[:, kind] == 0).all() and (boxes.high[:, kind] == 1).all()
    both = boxes + Boxes.of(TREE, centres[:1], 0.1)
    assert both.clip(np.full((3, 1, TREE.width), 0.8))[:, 0, x].ravel() == pytest.approx(
        [0.8, 0.7, 0.9]
    )


def believed(problem: tw.Problem, tried: History, candidates: int = 200) -> Posterior:
    """A posterior over a drawn pool alone, before anything was searched for."""
    drawn = pool(problem, tried, 0, candidates)
    return Posterior.of(problem, tried, Grid(drawn, np.ones(1)), Model())


def test_neighbours_lie_in_the_region_around_the_best_and_are_a_quarter_of_the_pool() -> None:
    problem = tw.Problem(REALS, maximize="score")
    tried = history(problem, [0.5, 0.4, 0.3, 0.2, 0.1, 0.45])
    posterior = believed(problem, tried)
    candidates = posterior.grid.candidates
    best = candidates.x[int(posterior.rewards.argmax())]
    near = REALS.encode(searched(posterior, 0)[: len(candidates) // 4])
    assert np.abs(near - best).max() <= SIDE / 2 + 1e-9
    assert np.abs(candidates.x - best).max() > SIDE / 2


def test_climbs_lead_to_more_than_the_pool_has_and_are_the_same_for_the_same_seed() -> None:
    problem = tw.Problem(REALS, maximize="score")
    configs = REALS.sample(30, np.random.default_rng(0))
    tried = History(
        Trial(i, c).told(Measurement({"score": -sum((v - 0.6) ** 2 for v in c.values())}))
        for i, c in enumerate(configs)
    )
    posterior = believed(problem, tried)
    found = searched(posterior, 0)
    more = posterior.over(Candidates.of(problem, found))
    here, there = (p.predict("score")[:, -1] for p in (posterior, more))
    for hope in (0.0, HOPE):
        assert np.max(there.mean + hope * there.std) > np.max(here.mean + hope * here.std)
    assert found == searched(posterior, 0) != searched(posterior, 1)


def test_climbs_see_what_known_prices_make_of_the_cost() -> None:
    """All places take as long, so that the cheapest machine is best: it is known beforehand."""
    space = tw.Space(tw.Real("x", 0.0, 1.0), tw.Real("y", 0.0, 1.0))
    problem = tw.Problem(space, minimize="cost", price=lambda c: 1.0 + 9 * (c["x"] - 0.4) ** 2)
    configs = space.sample(8, np.random.default_rng(0))
    tried = History(
        Trial(i, c).told(Measurement({"time": 60.0, "cost": problem.cost(c, 60.0) or 0.0}))
        for i, c in enumerate(configs)
    )
    posterior = believed(problem, tried, 30)
    nearest = min(abs(config["x"] - 0.4) for config in searched(posterior, 0))
    assert nearest < 0.01


def test_what_is_believed_of_other_configs_is_what_would_be_in_the_pool() -> None:
    problem = tw.Problem(REALS, maximize="score")
    posterior = believed(problem, history(problem, [0.5, 0.4, 0.3]))
    part = posterior.grid.candidates.at(np.arange(5, 25))
    other = posterior.over(part)
    here, there = posterior.predict("score")[5:25, -1], other.predict("score")[:, -1]
    assert np.asarray(there.mean) == pytest.approx(np.asarray(here.mean))
    assert np.asarray(there.std) == pytest.approx(np.asarray(here.std))
    assert len(other.open) == 0


def test_a_screen_keeps_what_an_optimist_hopes_for_and_spreads_over_the_pool() -> None:
    problem = tw.Problem(REALS, maximize="score")
    tried = history(problem, np.random.default_rng(2).random(12).tolist())
    posterior = believed(problem, tried, 1000)
    kept = promising(posterior, 100)
    hopeful = np.argsort(-posterior.hopeful(HOPE))[:40]
    expected = np.argsort(-posterior.rewards)[:20]
    assert set(hopeful) <= set(kept) and set(expected) <= set(kept)
    assert 50 <= len(kept) <= 100 + len(tried)
    assert np.diff(kept).max() <= 1000 / 20  # no long part of the pool is left out
