import math

import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.machines.features import MachineFeatures
from tunewise.space import Space


def features(space: Space) -> MachineFeatures:
    return MachineFeatures.of(tw.Problem(space, minimize="cost"), space.configs)


def test_clusters_of_equal_power_have_equal_cores_whatever_their_types() -> None:
    space = tw.Space.of([{"vm": "c4.large", "vms": 8}, {"vm": "r4.2xlarge", "vms": 2}])
    seen = features(space)
    size, cores, vms, memory = seen.inputs.numbers.T
    assert np.ptp(cores) == pytest.approx(0.0)
    assert np.diff(size) == pytest.approx(2.0)
    assert np.diff(vms) == pytest.approx(-2.0)
    assert np.diff(memory) == pytest.approx(np.log2(122 / 30))
    assert seen.inputs.choices.tolist() == [[0], [1]]
    assert seen.inputs.sloped == (0, 1, 2)


def test_types_of_one_family_need_neither_memory_nor_family() -> None:
    seen = features(tw.Space(tw.Choice("vm", ["c4.large", "c4.xlarge"]), tw.Ordinal("vms", [1, 2])))
    assert seen.inputs.numbers.shape == (4, 3)
    assert seen.inputs.choices.shape == (4, 0)


def test_a_cluster_is_seen_like_type_and_count() -> None:
    apart = tw.Space.of([{"vm": "c4.large", "vms": 2}, {"vm": "m4.xlarge", "vms": 4}])
    as_one = tw.Space(tw.Cluster(counts={"c4.large": [2], "m4.xlarge": [4]}))
    assert features(as_one).inputs.numbers == pytest.approx(features(apart).inputs.numbers)


def test_a_type_whose_name_tells_nothing_is_a_choice() -> None:
    seen = features(tw.Space(tw.Choice("vm", ["c4.large", "mine"]), tw.Ordinal("vms", [1, 4])))
    assert seen.machines == ()
    assert np.ptp(seen.inputs.numbers, axis=0) == pytest.approx([2.0])
    assert seen.inputs.choices.shape == (4, 1)


TYPES = {
    "a": {"cpu_count": 2, "ram": 4.0, "disk": "ebs"},
    "b": {"cpu_count": 8, "ram": 15.0, "disk": "ebs"},
    "c": {"cpu_count": 8, "ram": 61.0, "disk": "ebs"},
    "d": {"cpu_count": 8, "ram": 61.0, "disk": "local"},
}


def test_cores_and_memory_that_parameters_state_count_where_names_tell_nothing() -> None:
    rows = [{"vm": vm, **size, "vms": n} for vm, size in TYPES.items() for n in (1, 4)]
    seen = features(tw.Space.of(rows))
    assert [m.vcpus for m in seen.machines[::2]] == [2, 8, 8, 8]
    assert [m.memory for m in seen.machines[::2]] == [4, 15, 61, 61]
    # a and b differ in size only, c has more memory per core, and d another disk.
    families = [m.family for m in seen.machines[::2]]
    assert families[0] == families[1] and len(set(families)) == 3
    size, cores, vms, memory = seen.inputs.numbers.T
    assert cores - cores[0] == pytest.approx([0, 2, 2, 4, 2, 4, 2, 4])
    assert memory[2] - memory[0] == pytest.approx(np.log2(15 / 4))
    # The family and the disk; names tell no more.
    assert seen.inputs.choices.shape == (8, 2)


def test_cores_that_are_the_same_everywhere_state_no_machines() -> None:
    space = tw.Space(tw.Choice("vm", ["mine", "yours"]), tw.Ordinal("cores", [4]))
    assert features(space).machines == ()


def test_a_choice_that_tells_every_config_apart_names_no_machines() -> None:
    rows = [{"id": str(n), "cores": n, "mode": mode} for n, mode in ((1, "x"), (2, "y"), (4, "x"))]
    seen = features(tw.Space.of(rows))
    assert [m.vcpus for m in seen.machines] == [1, 2, 4]
    assert len({m.family for m in seen.machines}) == 1


def test_other_numbers_span_as_much_as_four_doublings_and_constants_nothing() -> None:
    space = tw.Space(
        tw.Ordinal("batch", [16, 256]),
        tw.Integer("layers", 0, 3),
        tw.Ordinal("size", ["s", "m", "l"]),
        tw.Choice("mode", ["sync", "async"]),
        tw.Choice("always", ["same"]),
    )
    seen = features(space)
    assert np.ptp(seen.inputs.numbers, axis=0) == pytest.approx([4.0, 4.0, 4.0])
    assert seen.inputs.choices.shape[1] == 1
    assert seen.inputs.sloped == ()


def test_a_number_that_the_price_is_proportional_to_counts_machines_whatever_its_name() -> None:
    space = tw.Space(
        tw.Choice("vm", ["c4.large", "c4.xlarge"]),
        tw.Ordinal("how_many", [1, 2, 8]),
        tw.Ordinal("threads", [1, 4]),
    )
    configs = space.configs
    priced = tw.Problem(space, minimize="cost", price=lambda c: 0.1 * c["how_many"] + 0.05)
    told = MachineFeatures.of(priced, configs)
    assert told.vms.tolist() == [math.log2(c["how_many"]) for c in configs]
    unpriced = MachineFeatures.of(tw.Problem(space, minimize="cost"), configs)
    assert not unpriced.vms.any()


def test_a_number_that_leaves_the_price_alone_counts_no_machines_whatever_its_name() -> None:
    space = tw.Space(tw.Ordinal("workers", [1, 2, 8]), tw.Ordinal("nodes", [1, 4]))
    flat = tw.Problem(space, minimize="cost", price=lambda c: 0.1 * c["nodes"])
    told = MachineFeatures.of(flat, space.configs)
    assert told.vms.tolist() == [math.log2(c["nodes"]) for c in space.configs]


def test_a_cluster_that_some_configs_do_without_is_a_choice_like_any_other() -> None:
    cloud = tw.Cluster("cluster", counts={"c4.large": [1, 2]}, when={"where": "cloud"})
    space = tw.Space(tw.Choice("where", ["cloud", "here"]), cloud)
    seen = features(space)
    assert len(space.configs) == 3 and seen.machines == ()
    assert seen.inputs.choices.shape == (3, 2)


def test_a_count_of_machines_that_begins_above_one_is_told_by_the_price_as_well() -> None:
    space = tw.Space(tw.Choice("vm", ["c4.large", "c4.xlarge"]), tw.Ordinal("how_many", [4, 8]))
    priced = tw.Problem(space, minimize="cost", price=lambda c: 0.1 * c["how_many"])
    told = MachineFeatures.of(priced, space.configs)
    assert told.vms.tolist() == [math.log2(c["how_many"]) for c in space.configs]
