"""What the trees promise beyond the conformance suite: exact leaves, chance without favourites."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import table_path
from tunewise.errors import StrategyError
from tunewise.surrogate import Array
from tunewise.surrogate.bagging.forest import Forest, Ints, grow
from tunewise.surrogate.bagging.shared_leaves import SharedLeaves, Stock
from tunewise.surrogate.slope import Slope
from tunewise.surrogate.trees import ExtraTrees
from tunewise.testing.surrogates import Data, agree, measured, places

seeds = st.integers(0, 10**6)


def grown(rows: Array, y: Array, trees: int = 5, seed: int = 0, least: int = 2) -> Forest:
    weights = np.ones((trees, len(y)), np.intp)
    return grow(rows, y, weights, np.random.default_rng(seed), least)


def walked(forest: Forest, row: Array, tree: int) -> int:
    """The leaf of one row, by walking down the tree."""
    node = tree
    while forest.feature[node] >= 0:
        right = row[forest.feature[node]] > forest.threshold[node]
        node = int(forest.left[node]) + int(right)
    return int(forest.leaf[node])


def sizes(forest: Forest) -> Ints:
    """How many leaves each tree has."""
    return np.bincount(forest.tree[forest.feature < 0], minlength=forest.trees)


@settings(deadline=None, max_examples=25)
@given(seed=seeds, n=st.integers(1, 150), trees=st.integers(1, 6))
def test_leaves_looked_up_are_those_found_by_walking_down(seed: int, n: int, trees: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 6, (n, 3)) / 5  # many equal values, some equal rows
    forest = grown(rows, rng.standard_normal(n), trees, seed)
    new = rng.random((4, 3))
    found = forest.leaves(new)
    expected = [[walked(forest, row, tree) for tree in range(trees)] for row in new]
    assert np.array_equal(found, expected)


@settings(deadline=None, max_examples=25)
@given(seed=seeds, n=st.integers(1, 100))
def test_a_tree_tells_apart_all_that_can_be_told_apart(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    rows, y = rng.random((n, 2)), rng.integers(0, 4, n).astype(float)
    leaves = grown(rows, y, seed=seed).leaves(rows)
    for of_tree in leaves.T:
        for leaf in np.unique(of_tree):
            assert len(np.unique(y[of_tree == leaf])) == 1


def test_small_nodes_are_not_split_where_least_is_larger() -> None:
    rng = np.random.default_rng(0)
    rows, y = rng.random((64, 2)), rng.random(64)
    coarse, fine = grown(rows, y, least=20), grown(rows, y, least=2)
    assert np.all(sizes(fine) == 64)
    assert np.all(sizes(coarse) < 20)


def test_columns_that_split_equally_well_are_chosen_equally_often() -> None:
    rows = np.repeat([[0.0], [1.0]], 5, axis=1).reshape(2, 5)
    forest = grown(rows, np.array([0.0, 1.0]), trees=2000)
    assert np.all(sizes(forest) == 2)
    assert np.allclose(
        np.bincount(forest.feature[forest.feature >= 0], minlength=5) / 2000, 0.2, atol=0.05
    )


def test_the_column_that_matters_is_split_most() -> None:
    rows = np.random.default_rng(1).random((40, 4))
    forest = grown(rows, rows[:, 2], trees=200)
    shares = np.bincount(forest.feature[forest.feature >= 0], minlength=4)
    assert shares[2] > 2 * np.delete(shares, 2).max()


@settings(deadline=None, max_examples=25)
@given(seed=seeds, n=st.integers(1, 60), trees=st.integers(1, 20))
def test_leaf_updates_equal_recomputed_leaf_means(seed: int, n: int, trees: int) -> None:
    rng = np.random.default_rng(seed)
    rows, y, s = rng.random((n, 3)), 5 * rng.standard_normal(n), -rng.random(n)
    forest = grown(rows, y[rng.permutation(n)], trees, seed)
    leaves, at_targets = forest.leaves(rows), forest.leaves(rng.random((6, 3)))
    new, told, at = rng.random((4, 3)), 5 * rng.standard_normal(4), -rng.random(4)
    at_candidates = forest.leaves(new)
    weights, means = _leaf_means(leaves, y, forest.size)
    stock = Stock(weights, means, _leaf_means(leaves, s, forest.size)[1])
    shared = SharedLeaves.between(at_candidates, at_targets, stock, at, np.zeros(6))
    for i in range(4):
        more = np.vstack([leaves, at_candidates[i]])
        p = _leaf_means(more, [*y, told[i]], forest.size)[1][at_targets]
        q = _leaf_means(more, [*s, at[i]], forest.size)[1][at_targets]
        expected = (each.mean(1) for each in (p, q, p * p, p * q, q * q))
        for found, known in zip(shared.after(told), expected, strict=True):
            assert np.allclose(found[i], known, rtol=0, atol=1e-10)


def _leaf_means(leaves: Ints, y: Array | list[float], size: int) -> tuple[Array, Array]:
    """How many rows are in each leaf, and the mean of their targets, one leaf at a time."""
    weights, means = np.zeros(size), np.zeros(size)
    for leaf in range(size):
        inside = np.asarray(y)[(leaves == leaf).any(1)]
        weights[leaf], means[leaf] = len(inside), inside.mean()
    return weights, means


@settings(deadline=None, max_examples=25)
@given(seed=seeds, n=st.integers(1, 60), shift=st.sampled_from([0.0, 1e4]))
def test_fantasies_equal_conditioning_with_the_same_structure(
    seed: int, n: int, shift: float
) -> None:
    x, s, y = measured(n, seed=seed)
    surrogate = ExtraTrees(trees=15, seed=seed).fit(x, s, y + shift)
    (x, s), targets = places(5, seed=seed + 1), places(7, seed=seed + 2)
    fantasy = surrogate.fantasize((x, s), targets)
    told = shift + 3 * np.random.default_rng(seed).standard_normal(5)
    after = fantasy.after(told)
    for i in range(5):
        known = surrogate.condition(x[i : i + 1], s[i : i + 1], told[i : i + 1]).predict(*targets)
        assert np.allclose(after[i].mean, known.mean, rtol=0, atol=1e-10 * max(1, shift))
        assert np.allclose(after[i].std, known.std, rtol=0, atol=1e-10 * max(1, shift))


def test_beyond_the_data_a_common_slope_carries_on() -> None:
    rng = np.random.default_rng(0)
    x, s = rng.random((30, 2)), rng.choice([0.01, 0.03], 30)
    y = x[:, 0] - 1.5 * np.log10(s)
    ask = rng.random((50, 2))
    belief = ExtraTrees(spread=1.0).fit(x, s, y).predict(ask, 1.0)
    flat = ExtraTrees(spread=1.0, slope=0).fit(x, s, y).predict(ask, 1.0)
    error, flat_error = (np.abs(b.mean - ask[:, 0]).mean() for b in (belief, flat))
    assert error < 0.6 * flat_error
    assert np.mean(np.abs(belief.mean - ask[:, 0]) < 2 * np.asarray(belief.std)) > 0.9


def test_doubt_grows_with_the_distance_from_the_fractions_seen() -> None:
    x, _, y = measured(20)
    surrogate = ExtraTrees(spread=1.0).fit(x, 0.01, y)
    near, far, farthest = (np.asarray(surrogate.predict(x, s).std) for s in (0.01, 0.1, 1.0))
    assert np.all(near < far) and np.all(far < farthest)
    assert np.all(farthest > 2 * 0.6)  # two decades, 0.7 each
    assert np.all(near < 1.0)


def test_a_measurement_on_more_data_teaches_about_configs_far_away() -> None:
    x, _, y = measured(20)
    surrogate = ExtraTrees(spread=1.0).fit(x, 0.01, y)
    fantasy = surrogate.fantasize((x[:1], 1.0), (x[1:], 1.0))
    assert np.all(fantasy.gain > 0.1)
    assert np.all(fantasy.std_after() ** 2 < 0.8 * fantasy.target_var)


def test_a_slope_is_shrunk_where_little_was_seen_and_followed_where_much_was() -> None:
    away = np.array([0.5, -0.5])
    noisy = np.random.default_rng(0).standard_normal(400)
    little = Slope.learned(away, 3 * away, 0.7, 1.0)
    much = Slope.learned(np.tile(away, 200), np.tile(3 * away, 200) + noisy, 0.7, 1.0)
    nothing = Slope.learned(np.empty(0), np.empty(0), 0.7, 1.0)
    assert 0 < little.mean < 2 < much.mean < 3.2
    assert much.variance < 0.1 * little.variance < 0.1 * nothing.variance
    assert nothing.mean == 0 and nothing.variance == pytest.approx(0.49)


def test_large_fantasies_are_the_same_as_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    surrogate = ExtraTrees().fit(*measured(40))
    small = surrogate.fantasize(places(30), places(20, seed=1))
    monkeypatch.setattr("tunewise.surrogate.bagging.shared_leaves.ELEMENTS", 0)
    large = surrogate.fantasize(places(30), places(20, seed=1))
    assert np.allclose(small.gain, large.gain, rtol=0, atol=1e-14)
    assert np.allclose(small.after(small.mean).std, large.after(large.mean).std, atol=1e-12)


def test_other_seeds_grow_other_trees() -> None:
    one, other = (ExtraTrees(seed=seed).fit(*measured(20)).predict(*places(9)) for seed in (0, 1))
    assert not np.allclose(one.mean, other.mean)


def test_where_all_trees_agree_some_doubt_stays() -> None:
    x, s, y = measured(1)
    assert np.all(np.asarray(ExtraTrees().fit(x, s, y).predict(*places(5)).std) > 0)
    expected = ExtraTrees(spread=10.0).fit(x, s, y).predict(*places(5))
    assert np.all(
        expected.std > 5 * np.asarray(ExtraTrees(spread=1.0).fit(x, s, y).predict(x, s).std)
    )


def test_two_thousand_observations_are_all_used() -> None:
    truth = measured(300, seed=1, noise=0.0)
    errors = {}
    for n in (100, 2000):
        surrogate = ExtraTrees().fit(*measured(n))
        errors[n] = float(
            np.sqrt(np.mean((surrogate.predict(truth.x, truth.s).mean - truth.y) ** 2))
        )
    assert errors[2000] < 0.5 * errors[100]
    fantasy = surrogate.fantasize(places(50), places(20, seed=1))
    assert np.isfinite(fantasy.after(fantasy.mean).std).all()


def test_many_points_are_predicted_as_few_are() -> None:
    surrogate, (x, s) = ExtraTrees(trees=7).fit(*measured(70)), places(20_000)
    assert agree(surrogate.predict(x, s)[-3:], surrogate.predict(x[-3:], s[-3:]))


@pytest.mark.parametrize("metric", ["accuracy", "time"])
def test_measured_tables_are_predicted_as_well_as_by_scikit_learn(metric: str) -> None:
    ensemble, tree = pytest.importorskip("sklearn.ensemble"), pytest.importorskip("sklearn.tree")
    data, ours, theirs = _table(metric), [], []
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(len(data.y))
        seen, new = order[:60], order[60:]
        known = Data(*(part[seen] for part in data))
        belief = ExtraTrees(seed=seed).fit(*known).predict(data.x[new], data.s[new])
        peer = ensemble.BaggingRegressor(
            tree.ExtraTreeRegressor(max_features=1.0), 50, random_state=seed
        ).fit(np.column_stack([known.x, np.log10(known.s)]), known.y)
        each = [
            t.predict(np.column_stack([data.x, np.log10(data.s)])[new]) for t in peer.estimators_
        ]
        floor = 0.05 * known.y.std()  # what ours keeps, so that only the trees are compared
        ours.append(_loss(np.asarray(belief.mean), np.asarray(belief.std), data.y[new]))
        theirs.append(_loss(np.mean(each, 0), np.hypot(np.std(each, 0), floor), data.y[new]))
    error, surprise = np.mean(ours, 0) / np.mean(theirs, 0)
    assert error < 1.05
    assert surprise < 1.05


def _table(metric: str) -> Data:
    from tunewise.benchmark.table import Table
    from tunewise.surrogate.scale import SCALES

    config = ["vm", "vms", "learning_rate", "batch_size", "mode"]
    table = Table(
        table_path("trimtuner/cnn.csv"), config=config, fraction="fraction", metrics=[metric]
    )
    scale = SCALES["share" if metric == "accuracy" else "positive"]
    values = np.array([row.metrics[metric] for row in table.rows])
    x = table.space.encode([row.config for row in table.rows])
    return Data(x, np.array([row.fraction for row in table.rows]), scale.forward(values))


def _loss(mean: Array, std: Array, y: Array) -> tuple[float, float]:
    """Root mean square error, and mean negative log density (plus 3, so that ratios make sense)."""
    density = 0.5 * np.log(2 * np.pi * std**2) + 0.5 * ((y - mean) / std) ** 2
    return float(np.sqrt(np.mean((mean - y) ** 2))), float(np.mean(density)) + 3.0


def test_wrong_options_get_a_sentence() -> None:
    with pytest.raises(StrategyError, match="trees must be 1 or more .* not 0 and 2"):
        ExtraTrees(trees=0)
    with pytest.raises(StrategyError, match="least 2 or more, not 50 and 1"):
        ExtraTrees(least=1)
    with pytest.raises(StrategyError, match="spread must be 0 or more and finite, not -1"):
        ExtraTrees(spread=-1)
    with pytest.raises(StrategyError, match="slope must be 0 or more and finite, not inf"):
        ExtraTrees(slope=float("inf"))
