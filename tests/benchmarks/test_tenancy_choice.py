"""The constants are chosen on users that the check does not see."""

import numpy as np

from benchmarks.tenancy_choice import part, splits
from tunewise.benchmark.tenants.syn import syn


def test_every_user_is_left_out_once_and_never_on_both_sides() -> None:
    found = splits(11, 3, seed=0)
    assert sorted(user for _, left in found for user in left) == list(range(11))
    for rest, left in found:
        assert sorted(rest + left) == list(range(11))


def test_a_part_of_a_table_keeps_accuracies_and_seconds_together() -> None:
    table = syn(0.5, 1.0, users=6, models=3)
    some = part(table, [4, 1])
    np.testing.assert_array_equal(some.accuracy, table.accuracy[[4, 1]])
    np.testing.assert_array_equal(some.seconds, table.seconds[[4, 1]])
