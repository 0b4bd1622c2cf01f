from collections.abc import Callable

import numpy as np
import pytest

from tests.space.spaces import refused
from tunewise.space import VM, Catalogue, Cluster, Integer, Space

PRICES = Catalogue([VM("a", 2, 4, price=0.1, spot_price=0.04), VM("b", 8, 16, price=0.4)])


def test_a_cluster_lists_its_pairs_of_type_and_count() -> None:
    assert Cluster(types=["t2.small", "c4.large"], counts=[1, 4]).values() == [
        "t2.small:1",
        "t2.small:4",
        "c4.large:1",
        "c4.large:4",
    ]


def test_counts_may_differ_by_type() -> None:
    cluster = Cluster(counts={"t2.small": [8, 16], "t2.2xlarge": [1]})
    assert cluster.values() == ["t2.small:8", "t2.small:16", "t2.2xlarge:1"]


def test_all_types_of_a_catalogue_are_taken_by_default() -> None:
    assert Cluster(catalogue=PRICES).values() == ["a:1", "b:1"]
    assert Cluster(catalogue=PRICES, spot=True).values() == ["a:1"]


def test_limits_hold_for_the_cluster_as_a_whole() -> None:
    cluster = Cluster(catalogue=PRICES, counts=[1, 2, 4], min_memory=8, max_price=0.8)
    assert cluster.values() == ["a:2", "a:4", "b:1", "b:2"]


def test_the_price_has_workers_and_helpers() -> None:
    cluster = Cluster(types=["t2.small"], counts=[1, 4], helpers=["t2.2xlarge", "same"])
    assert cluster.hourly("t2.small:4") == pytest.approx(5 * 0.023 + 0.3712)
    assert cluster.hourly("t2.small:4") == cluster.hourly("t2.small:4")


def test_spot_workers_have_helpers_on_demand() -> None:
    cluster = Cluster(types=["a"], counts=[10], catalogue=PRICES, spot=True, helpers=["same", "b"])
    assert cluster.hourly("a:10") == pytest.approx(10 * 0.04 + 0.1 + 0.4)


def test_a_value_has_parts() -> None:
    assert Cluster(catalogue=PRICES, counts=[3]).parts("a:3") == {
        "vm": "a",
        "vms": 3,
        "cores": 6,
        "memory": 12,
        "price": pytest.approx(0.3),
    }


def test_local_cores_are_a_cluster_too() -> None:
    cores = Cluster("cores", ["local"], [1, 2, 4])
    assert [cores.parts(v)["cores"] for v in cores.values()] == [1, 2, 4]
    assert cores.hourly("local:4") == 0


def test_features_are_the_type_and_log_scaled_totals() -> None:
    encoded = Cluster(catalogue=PRICES, counts=[1, 2, 4]).encode(["a:1", "a:4", "b:1", "b:4"])
    assert encoded[:, :2].tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    assert encoded[:, 2].tolist() == pytest.approx([0, 1, 0, 1])
    for total in encoded[:, 3:].T:  # cores, memory and price: b is four times a
        assert total.tolist() == pytest.approx([0, 0.5, 0.5, 1])


def test_neighbours_are_the_next_counts_and_the_like_of_other_types() -> None:
    cluster = Cluster(catalogue=PRICES, counts=[1, 2, 4])
    assert cluster.neighbours("a:4") == ["a:2", "b:2"]
    assert set(cluster.neighbours("b:2")) == {"b:1", "b:4", "a:4"}


def test_a_space_with_a_cluster_has_a_price() -> None:
    space = Space(Cluster(catalogue=PRICES, counts=[1, 2]), Integer("n", 1, 2))
    assert space.price is not None
    assert space.price({"cluster": "b:2", "n": 1}) == pytest.approx(0.8)
    assert Space(Integer("n", 1, 2)).price is None


def test_another_price_is_another_space() -> None:
    dearer = PRICES | Catalogue([VM("a", 2, 4, price=0.2)])
    described = Space(Cluster(catalogue=PRICES)).describe()
    assert described == Space(Cluster(catalogue=PRICES)).describe()
    assert described != Space(Cluster(catalogue=dearer)).describe()


def test_many_clusters_decode_exactly() -> None:
    cluster = Cluster(counts=np.arange(1, 500))
    assert cluster.decode(cluster.encode(cluster.values())) == cluster.values()


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Cluster(types=["t2.smal"]), "did you mean 't2.small'?"),
        (lambda: Cluster(types=["t2.small"], helpers=["smae"]), "unknown VM type 'smae'"),
        (lambda: Cluster(types=["t2.small"], counts=[0]), "0 VMs of 't2.small'"),
        (lambda: Cluster(types=["t2.small"], counts=[1.5]), "1.5 VMs of 't2.small'"),  # type: ignore[list-item] # the mistake
        (lambda: Cluster(types=["t2.small"], counts=[1, 1]), "'t2.small:1' twice"),
        (lambda: Cluster(types=["t2.small"], counts=[]), "has no values"),
        (lambda: Cluster(types=["t2.small"], counts=4), "expected a list, such as [1, 2, 4]"),  # type: ignore[arg-type] # the mistake
        (lambda: Cluster(types="t2.small"), "expected a list, ['t2.small']"),
        (lambda: Cluster(types=[]), "no VM types"),
        (lambda: Cluster(types=["t2.small"], spot=True), "no spot price"),
        (lambda: Cluster(types=["a"], catalogue=PRICES, min_memory=9), "the largest of 1 has 4"),
        (lambda: Cluster(types=["t2.small"], counts={"c4.large": [1]}), "no counts are given"),
        (
            lambda: Cluster(types=["t2.small"], counts=[2, 1, 4], max_price=0.01),
            "the largest of 3 has 8 GiB, the cheapest costs 0.023",
        ),
    ],
)
def test_a_wrong_cluster_is_refused_with_a_sentence(
    build: Callable[[], Cluster], says: str
) -> None:
    refused(build, says)
