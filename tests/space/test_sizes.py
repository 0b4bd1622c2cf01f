"""Sizes of the usual VM types, which are facts, against what clouds list."""

import csv

import pytest

from tests.tables import published_path
from tunewise.errors import SpaceError
from tunewise.space import Catalogue, Cluster
from tunewise.space.cloud.machine import Machine
from tunewise.space.cloud.sizes import Size, size_of


@pytest.mark.parametrize(
    "name, size",
    [
        ("m5.large", Size("m5", 2, 8)),
        ("m6i.8xlarge", Size("m6i", 32, 128)),
        ("c5.18xlarge", Size("c5", 72, 144)),
        ("c7i.xlarge", Size("c7i", 4, 8)),
        ("r6i.2xlarge", Size("r6i", 8, 64)),
        ("t3.nano", Size("t3", 2, 0.5)),
        ("t3a.small", Size("t3a", 2, 2)),
        ("t3.medium", Size("t3", 2, 4)),
        ("t3.2xlarge", Size("t3", 8, 32)),
        ("g4dn.2xlarge", Size("g4dn", 8, 32, "T4", 1)),
        ("g5.4xlarge", Size("g5", 16, 64, "A10G", 1)),
        ("g5.48xlarge", Size("g5", 192, 768, "A10G", 8)),
        ("g4dn.12xlarge", Size("g4dn", 48, 192, "T4", 4)),
        ("g5.16xlarge", Size("g5", 64, 256, "A10G", 1)),
        ("p3.8xlarge", Size("p3", 32, 244, "V100", 4)),
        ("p4d.24xlarge", Size("p4d", 96, 1152, "A100", 8)),
        ("n1-standard-4", Size("n1-standard", 4, 15)),
        ("e2-small", Size("e2-shared", 2, 2)),
        ("c2-standard-60", Size("c2-standard", 60, 240)),
        ("a2-highgpu-2g", Size("a2-highgpu", 24, 170, "A100", 2)),
        ("Standard_D8s_v3", Size("Dsv3", 8, 32)),
        ("Standard_E96_v5", Size("Ev5", 96, 672)),
        ("Standard_F16s_v2", Size("Fsv2", 16, 32)),
        ("Standard_NC12s_v3", Size("NCsv3", 12, 224, "V100", 2)),
    ],
)
def test_usual_types_have_their_size(name: str, size: Size) -> None:
    assert size_of(name) == size
    machine = Machine.of(name)
    assert machine is not None
    assert (machine.family, machine.vcpus, machine.memory) == (size.family, size.vcpus, size.memory)


@pytest.mark.parametrize(
    "name", ["m5.99xlarge", "m5.tiny", "q9.large", "sgd", "n1-huge-4", "Standard_D7_v3", ""]
)
def test_names_that_no_cloud_sells_have_no_size(name: str) -> None:
    assert size_of(name) is None


@pytest.mark.parametrize("cloud, least", [("azure", 200), ("gcp", 100)])
def test_sizes_agree_with_what_a_cloud_lists(cloud: str, least: int) -> None:
    with published_path(f"prices/{cloud}.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["vCPUs"]]
    known = [(row, size) for row in rows if (size := size_of(row["InstanceType"])) is not None]
    assert len({row["InstanceType"] for row, _ in known}) >= least
    for row, size in known:
        assert size.vcpus == float(row["vCPUs"]), row
        assert size.memory == pytest.approx(float(row["MemoryGiB"]), rel=0.01), row


def test_sizes_agree_with_the_shipped_catalogue() -> None:
    for vm in Catalogue.shipped():
        size = size_of(vm.name)
        assert size is None or (size.vcpus, size.memory) == (vm.vcpus, vm.memory)


def test_a_known_type_without_a_price_says_how_to_import_one() -> None:
    with pytest.raises(SpaceError, match=r"'m5.large' \(2 cores, 8 GiB\) has no price .* import"):
        Cluster(types=["m5.large"])
