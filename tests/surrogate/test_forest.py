"""Trees of a few leaves, drawn on paper: where rows end, and what a leaf holds."""

import numpy as np
import pytest

from tunewise.surrogate.bagging.forest import Forest, Split, grow, random_tree
from tunewise.surrogate.bagging.leaf_fantasy import Tilt
from tunewise.surrogate.bagging.shared_leaves import SharedLeaves, Stock
from tunewise.surrogate.slope import Slope
from tunewise.surrogate.trees import bootstrap

# Column 0 at 0.5; left of it column 1 at 0.3. Node 2 is the leaf on the right.
THREE = Forest(
    trees=1,
    tree=np.zeros(5, np.intp),
    feature=np.array([0, 1, -1, -1, -1]),
    threshold=np.array([0.5, 0.3, np.inf, np.inf, np.inf]),
    left=np.array([1, 3, 2, 3, 4]),
    depth=2,
)


def sizes(forest: Forest) -> list[int]:
    """How many leaves each tree has."""
    return list(np.bincount(forest.tree[forest.feature < 0], minlength=forest.trees))


def splits(forest: Forest, tree: int | None = None) -> np.ndarray:
    """The nodes of a tree, or of all, that are split."""
    mine = forest.tree == (forest.tree if tree is None else tree)
    return np.flatnonzero(mine & (forest.feature >= 0))


def test_rows_end_where_the_splits_send_them_and_a_threshold_belongs_to_the_left() -> None:
    rows = np.array([[0.2, 0.1], [0.2, 0.9], [0.9, 0.1], [0.5, 0.3], [0.5, 0.31], [0.51, 0.3]])
    assert THREE.leaves(rows)[:, 0].tolist() == [1, 2, 0, 1, 2, 0]


def test_leaves_are_numbered_over_all_trees() -> None:
    two = Forest(
        trees=2,
        tree=np.array([0, 1, 0, 0, 1, 1]),
        feature=np.array([1, 0, -1, -1, -1, -1]),
        threshold=np.array([0.8, 0.5, np.inf, np.inf, np.inf, np.inf]),
        left=np.array([2, 4, 2, 3, 4, 5]),
        depth=1,
    )
    assert two.size == 4 and sizes(two) == [2, 2]
    rows = np.array([[0.2, 0.1], [0.2, 0.9], [0.9, 0.9]])
    assert two.leaves(rows).tolist() == [[0, 2], [1, 2], [1, 3]]


def test_more_rows_than_are_looked_up_at_once_end_as_one_by_one() -> None:
    rows = np.random.default_rng(0).random((5000, 2))
    found = THREE.leaves(rows)[:, 0]
    left = rows[:, 0] <= 0.5
    assert np.array_equal(found, np.where(left, 1 + (rows[:, 1] > 0.3), 0))
    assert THREE.leaves(rows[:0]).shape == (0, 1)


def grown(
    rows: list[list[float]],
    y: list[float],
    trees: int = 30,
    least: int = 2,
    split: Split | None = None,
) -> Forest:
    weights = np.ones((trees, len(y)), np.intp)
    return grow(np.array(rows), np.array(y), weights, np.random.default_rng(0), least, split)


def test_a_random_tree_cuts_in_the_middle_of_where_it_explains_most() -> None:
    # Between 1 and 2 the cut leaves no variance; any other one does.
    forest = grown([[0.0], [1.0], [2.0], [10.0]], [5.0, 5.0, 7.0, 7.0], split=random_tree)
    assert sizes(forest) == [2] * 30
    assert (forest.threshold[splits(forest)] == 1.5).all()


def test_a_random_tree_looks_at_one_and_log2_of_the_columns_in_each_node() -> None:
    # The last of eight columns explains all, each other one a quarter: 4 of 8 are looked at.
    rows = np.array([[0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0],
                     [1, 1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0, 1]], float)  # fmt: skip
    forest = grown(rows.tolist(), [0.0, 0.0, 1.0, 1.0], trees=400, split=random_tree)
    roots = [int(forest.feature[tree]) for tree in range(400)]
    assert 0.35 < np.mean(np.array(roots) == 7) < 0.65


def test_a_random_tree_goes_on_where_the_drawn_columns_explain_nothing() -> None:
    rows = [[0.5, 0.5, 0.5, 0.5, float(n > 0), 0.5, 0.5, 0.5] for n in range(2)]
    forest = grown(rows, [1.0, 2.0], split=random_tree)
    assert sizes(forest) == [2] * 30 and (forest.feature[splits(forest)] == 4).all()
    same = grown([[0.5], [0.5]], [1.0, 2.0], split=random_tree)
    assert sizes(same) == [1] * 30


def test_two_rows_are_split_somewhere_between_them() -> None:
    forest = grown([[0.2], [0.6]], [1.0, 2.0])
    assert sizes(forest) == [2] * 30
    drawn = forest.threshold[splits(forest)]
    assert (drawn >= 0.2).all() and (drawn < 0.6).all()
    assert np.ptp(drawn) > 0.2  # thresholds are drawn, not put in the middle


@pytest.mark.parametrize(
    ("rows", "y"),
    [
        ([[0.2], [0.6], [0.9]], [1.0, 1.0, 1.0]),  # nothing to tell apart
        ([[0.5], [0.5]], [1.0, 2.0]),  # no way to tell apart
        ([[0.5]], [1.0]),
    ],
)
def test_where_nothing_can_be_gained_a_tree_is_one_leaf(
    rows: list[list[float]], y: list[float]
) -> None:
    forest = grown(rows, y)
    assert sizes(forest) == [1] * 30 and not len(splits(forest))
    assert forest.leaves(np.array(rows)).tolist() == [list(range(30))] * len(rows)


def test_a_tree_sees_the_rows_of_its_own_bag_alone() -> None:
    weights = np.array([[1, 1, 0], [0, 1, 1], [0, 0, 2]])
    rows, y = np.array([[0.0], [0.5], [1.0]]), np.array([1.0, 2.0, 3.0])
    forest = grow(rows, y, weights, np.random.default_rng(0))
    assert sizes(forest) == [2, 2, 1]
    first, second = (forest.threshold[splits(forest, tree)] for tree in (0, 1))
    assert 0.0 <= first[0] < 0.5 <= second[0] < 1.0


def test_a_row_that_a_bag_has_twice_counts_twice_for_the_size_of_a_node() -> None:
    weights = np.array([[2, 1], [1, 1]])
    rows, y = np.array([[0.0], [1.0]]), np.array([1.0, 2.0])
    forest = grow(rows, y, weights, np.random.default_rng(0), least=3)
    assert sizes(forest) == [2, 1]


def test_a_bag_has_as_many_observations_as_there_are() -> None:
    bags = bootstrap(40, 7, np.random.default_rng(0))
    assert bags.shape == (40, 7)
    assert bags.sum(axis=1).tolist() == [7] * 40
    assert (bags == 0).any(axis=1).mean() > 0.9  # nearly every bag leaves something out


# Two trees with two leaves each; three observations.
LEAVES = np.array([[0, 2], [0, 3], [1, 3]])
STOCK = Stock.empty(4).with_more(
    LEAVES,
    np.array([1.0, 3.0, 8.0]),
    np.array([-1.0, 0.0, -2.0]),
    np.array([[1, 1], [3, 1], [2, 1]]),
)


def test_a_leaf_holds_the_weighted_mean_of_what_fell_into_it() -> None:
    assert STOCK.weights.tolist() == [4, 2, 1, 2]
    assert STOCK.means == pytest.approx([(1 + 3 * 3) / 4, 8, 1, (3 + 8) / 2])
    assert STOCK.decades == pytest.approx([-0.25, -2, -1, -1])


def test_more_observations_are_added_to_what_a_leaf_holds() -> None:
    more = STOCK.with_more(
        np.array([[0, 3]]), np.array([5.0]), np.array([-1.0]), np.ones((1, 2), int)
    )
    assert more.weights.tolist() == [5, 2, 1, 3]
    assert more.means == pytest.approx([(10 + 5) / 5, 8, 1, (11 + 5) / 3])
    assert more.decades == pytest.approx([(-1 - 1) / 5, -2, -1, (-2 - 1) / 3])


def test_an_observation_moves_the_leaves_that_it_shares_with_a_target() -> None:
    candidates, targets = np.array([[0, 3], [1, 2]]), np.array([[0, 2], [1, 3], [0, 3]])
    shared = SharedLeaves.between(candidates, targets, STOCK, np.array([-1.0, -2.0]), np.zeros(3))
    # One more in a leaf of n moves its mean by 1 / (n + 1) of the surprise; two trees are averaged.
    expected = np.array([[1 / 5, 1 / 3, 1 / 5 + 1 / 3], [1 / 2, 1 / 3, 0]]) / 2
    assert shared.gain() == pytest.approx(expected)
    moved = STOCK.with_more(candidates[:1], np.array([7.0]), np.array([-1.0]), np.ones((1, 2), int))
    after = shared.after(np.array([7.0, 0.0]))
    assert after.p[0] == pytest.approx(moved.means[targets].mean(axis=1))
    assert after.qq[0] == pytest.approx((moved.decades[targets] ** 2).mean(axis=1))
    assert shared.decades_after()[0] == pytest.approx(moved.decades[targets].mean(axis=1))
    one = shared[np.array([1])]
    assert one.gain() == pytest.approx(expected[1:])


def test_an_observation_that_is_expected_leaves_the_slope_as_it_is() -> None:
    slope = Slope(0.5, 0.25, 1.0)
    tilt = Tilt.of(slope, np.array([2.0, 0.0]), np.array([3.0, 3.0]))
    assert tilt.expected == pytest.approx([4.0, 3.0])
    assert tilt.after(np.array([4.0, 9.0])) == pytest.approx([0.5, 0.5])
    # Two decades away: a gain of 0.25 * 2 / (1 + 0.25 * 4), and the variance halves.
    assert tilt.after(np.array([6.0, 9.0]))[0] == pytest.approx(0.5 + 0.25 * 2)
    assert tilt.variance == pytest.approx([0.125, 0.25])
    assert tilt[np.array([1])].expected == pytest.approx([3.0])
