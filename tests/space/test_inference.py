"""From listed configs to parameters, and from positions to runs and back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunewise.errors import SpaceError
from tunewise.space import VM, Catalogue, Choice, Cluster, Config, Integer, Ordinal, Real, Space
from tunewise.space.activity import Activity, said
from tunewise.space.description import MOST_RUNS, Among, counted, runs
from tunewise.space.inference import inferred


def test_positions_are_those_in_the_sorted_values_and_absent_ones_are_below_nothing() -> None:
    configs = [
        {"kind": "net", "layers": 8, "rate": 0.5},
        {"kind": "tree", "rate": 0.1},
        {"kind": "net", "layers": 2, "rate": 0.1},
        {"kind": "net", "layers": 8, "rate": 0.5},
    ]
    parameters, rows = inferred(configs)
    assert [p.values() for p in parameters] == [["net", "tree"], [2, 8], [0.1, 0.5]]
    assert [type(p) for p in parameters] == [Choice, Ordinal, Ordinal]
    assert rows.tolist() == [[0, 1, 1], [1, -1, 0], [0, 0, 0]]
    assert [p.when for p in parameters] == [{}, {"kind": ("net",)}, {}]


def test_a_column_of_numbers_and_words_is_unordered() -> None:
    parameters, _ = inferred([{"a": 3}, {"a": "x"}, {"a": True}, {"a": 1.5}])
    assert parameters == [Choice("a", [3, "x", True, 1.5])]


def test_a_parameter_may_go_with_one_that_goes_with_another() -> None:
    configs: list[Config] = [
        {"kind": "tree"},
        {"kind": "net", "norm": "batch", "decay": 0.9},
        {"kind": "net", "norm": "layer"},
    ]
    space = Space.of(configs)
    assert {p.name: p.when for p in space.parameters} == {
        "kind": {},
        "norm": {"kind": ("net",)},
        "decay": {"norm": ("batch",)},
    }
    assert space.configs == configs


def test_the_first_unordered_parameter_that_explains_an_absence_decides() -> None:
    configs: list[Config] = [
        {"size": 1, "a": "x", "b": "p"},
        {"size": 2, "a": "y", "b": "q", "c": 5},
        {"size": 3, "a": "z", "b": "q", "c": 6},
    ]
    # The size would tell as well, but numbers are no conditions; b comes after a.
    assert Space.of(configs).parameters[3].when == {"a": ("y", "z")}


def test_an_absence_that_only_a_number_tells_is_not_explained() -> None:
    with pytest.raises(SpaceError, match="and the first one differ in 'c'.*did you mean 'cab'"):
        Space.of([{"a": 1, "cab": 0}, {"a": 2, "cab": 0, "c": 5}])


def test_an_empty_config_and_none_are_refused() -> None:
    for wrong in ([{"a": 1}, {}], [{"a": 1}, None]):
        with pytest.raises(SpaceError, match="expected a dict of parameter names and values"):
            Space.of(wrong)  # type: ignore[arg-type] # the mistake


def test_runs_are_starts_and_lengths() -> None:
    assert runs(np.array([0, 1, 2, 5, 7, 8])) == [0, 3, 5, 1, 7, 2]
    assert runs(np.array([4])) == [4, 1]
    assert counted([0, 3, 5, 1, 7, 2]) == {0, 1, 2, 5, 7, 8}
    assert counted([]) == set()


@given(st.sets(st.integers(0, 80), min_size=1))
@settings(max_examples=30)
def test_counting_undoes_runs(places: set[int]) -> None:
    told = runs(np.array(sorted(places)))
    assert told is not None and counted(told) == places


def test_as_many_runs_as_allowed_are_told_and_one_more_is_not() -> None:
    assert len(runs(np.arange(MOST_RUNS) * 2) or ()) == 2 * MOST_RUNS
    assert runs(np.arange(MOST_RUNS + 1) * 2) is None


def test_places_are_counted_as_the_product_counts_them() -> None:
    among = Among([Choice("a", ["x", "y"]), Integer("n", 5, 7)], {1, 3})
    # x5 x6 x7 y5 y6 y7
    found = [(a, n) for a in "xy" for n in (5, 6, 7) if among({"a": a, "n": n})]
    assert found == [("x", 6), ("y", 5)]


def test_combinations_are_listed_up_to_a_limit_and_not_beyond() -> None:
    activity = Activity(
        [
            Ordinal("depth", [2, 4, 8], when={"kind": "tree"}),
            Choice("kind", ["tree", "net"]),
        ]
    )
    assert [p.name for p in activity.order] == ["kind", "depth"]
    found = activity.combinations(4)
    assert found is not None
    assert found.tolist() == [[-1, 1], [0, 0], [1, 0], [2, 0]]
    assert activity.combinations(3) is None
    assert Activity([Real("x", 0, 1)]).combinations(10) is None


def test_a_value_that_is_not_active_decides_nothing() -> None:
    activity = Activity(
        [
            Choice("a", [1, 2]),
            Choice("b", [1, 2], when={"a": 1}),
            Choice("c", [1, 2], when={"b": [1], "a": [1, 2]}),
        ]
    )
    assert activity.pruned({"a": 2, "b": 1, "c": 1}) == {"a": 2}
    assert activity.pruned({"a": 1, "b": 2, "c": 1}) == {"a": 1, "b": 2}
    assert activity.pruned({"a": 1, "b": 1, "c": 1}) == {"a": 1, "b": 1, "c": 1}


def test_conditions_are_said_with_and_and_or() -> None:
    when = {"optimizer": ("sgd", "nesterov"), "layers": (2,)}
    assert said(when) == "optimizer is 'sgd' or 'nesterov' and layers is 2"


def test_an_unknown_decider_is_told_the_nearest_other_parameter() -> None:
    with pytest.raises(SpaceError, match="no such parameter; did you mean 'kind'") as refused:
        Space(Choice("kind", [1, 2]), Real("kin_", 0, 1, when={"kin": 1}))
    assert "Valid: kind" in str(refused.value)


def test_a_wrong_value_in_a_condition_names_whose_condition_it_is() -> None:
    with pytest.raises(SpaceError, match="^the condition of 'b': a = 3 is not valid"):
        Space(Integer("a", 1, 2), Real("b", 0, 1, when={"a": [1, 3]}))


def test_amounts_of_nothing_are_seen_as_half_of_the_least() -> None:
    free = Catalogue(
        [VM("a", 1, 0, price=0.0), VM("b", 2, 4, price=0.1), VM("c", 4, 16, price=0.8)]
    )
    encoded = Cluster(catalogue=free).encode(["a:1", "b:1", "c:1"])
    # Prices of 0.05, 0.1 and 0.8 are a half and three doublings apart; memory of 2, 4 and 16.
    assert encoded[:, -1].tolist() == pytest.approx([0, 1 / 4, 1])
    assert encoded[:, -2].tolist() == pytest.approx([0, 1 / 3, 1])
    assert encoded[:, 3].tolist() == [0, 0, 0]  # one VM each


def test_a_described_cluster_keeps_its_bill_but_not_who_is_on_it() -> None:
    made = Cluster.described("c", ["x:2", "y:3"], [8, 6], [32, 12], [0.5, 0.25])
    assert made.parts("x:2") == {"vm": "x", "vms": 2, "cores": 8, "memory": 32, "price": 0.5}
    assert made.fleet("y:3").vm == VM("y", 2, 4)
    assert [made.hourly(value) for value in made.values()] == [0.5, 0.25]


def test_of_other_types_the_cluster_most_alike_is_near() -> None:
    known = Catalogue(
        [VM("a", 2, 4, price=0.1), VM("b", 2, 4, price=0.11), VM("c", 16, 64, price=1)]
    )
    cluster = Cluster(catalogue=known, counts=[1, 2, 8])
    assert cluster.neighbours("a:2") == ["a:1", "a:8", "b:2", "c:1"]
    assert cluster.neighbours("c:8") == ["c:2", "a:8", "b:8"]


def test_counts_of_a_cluster_are_neighbours_in_their_order_not_in_that_of_the_list() -> None:
    cluster = Cluster(types=["t2.small"], counts=[8, 1, 4, 2])
    assert cluster.neighbours("t2.small:2") == ["t2.small:1", "t2.small:4"]
    assert cluster.neighbours("t2.small:8") == ["t2.small:4"]


def test_helpers_are_a_list_and_so_are_the_counts_of_a_type() -> None:
    with pytest.raises(SpaceError, match=r"helpers is 'same': expected a list, \['same'\]"):
        Cluster(types=["t2.small"], helpers="same")
    with pytest.raises(SpaceError, match=r"the counts of 't2.small' are '12': expected a list"):
        Cluster(counts={"t2.small": "12"})  # type: ignore[arg-type] # the mistake
    with pytest.raises(SpaceError, match=r"type 'c4.large'; did you mean 'c4.xlarge'"):
        Cluster(types=["c4.large"], counts={"c4.xlarge": [1]})
