from collections.abc import Callable

import pytest

from tests.space.spaces import refused
from tests.tables import published_path
from tunewise.errors import SpaceError
from tunewise.space import VM, Catalogue

OWN = """name,vcpus,memory,accelerator,accelerators,price,spot_price
small,2,8,,,0.10,0.03
large,8,64,V100,2,6.12,
"""

SKYPILOT = """InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region
m1,,,4.0,16.0,0.30,0.10,east
m1,,,4.0,16.0,0.25,0.12,west
m1,,,4.0,16.0,0.25,0.11,west
g1,V100,2.0,8.0,61.0,6.0,,east
gone,,,4.0,16.0,,,east
,T4,1.0,,,0.35,0.1,east
"""

PUBLISHED = {
    "t2.small": 0.023,
    "t2.medium": 0.0464,
    "t2.xlarge": 0.1856,
    "t2.2xlarge": 0.3712,
    "c4.large": 0.1,
    "c4.xlarge": 0.199,
    "c4.2xlarge": 0.398,
    "m4.large": 0.1,
    "m4.xlarge": 0.2,
    "m4.2xlarge": 0.4,
    "r4.large": 0.133,
    "r4.xlarge": 0.266,
    "r4.2xlarge": 0.532,
}


def test_the_shipped_catalogue_has_the_published_prices_and_local_cores() -> None:
    shipped = {vm.name: vm.price for vm in Catalogue.shipped()}
    assert shipped == {"local": 0.0, **PUBLISHED}
    assert Catalogue.shipped()["local"].vcpus == 1


def test_an_own_price_list_is_read() -> None:
    assert list(Catalogue.read(OWN)) == [
        VM("small", 2, 8, "", 0, 0.10, 0.03),
        VM("large", 8, 64, "V100", 2, 6.12, None),
    ]
    assert Catalogue.read(OWN.splitlines()) == Catalogue.read(OWN)


def test_a_price_list_needs_name_and_price_only() -> None:
    assert list(Catalogue.read("price,name\n0.04,local\n")) == [VM("local", price=0.04)]


def test_a_written_catalogue_reads_back_the_same() -> None:
    odd = Catalogue([VM('a, "b"', 1, 2, "", 0, 0.1), *Catalogue.read(OWN)])
    assert Catalogue.read(odd.csv()) == odd


def test_an_own_price_counts_more_than_a_shipped_one() -> None:
    merged = Catalogue.shipped() | Catalogue.read("name,vcpus,price\nlocal,1,0.05\nbig,64,3\n")
    assert merged["local"].price == 0.05
    assert merged["t2.small"].price == 0.023
    assert "big" in merged and len(merged) == len(Catalogue.shipped()) + 1


def test_types_are_filtered_by_size_price_and_accelerators() -> None:
    shipped, own = Catalogue.shipped(), Catalogue.read(OWN)
    assert shipped.where(min_memory=30, max_price=0.4).names == [
        "t2.2xlarge",
        "m4.2xlarge",
        "r4.xlarge",
    ]
    assert shipped.where(min_vcpus=8, max_price=0.38).names == ["t2.2xlarge"]
    assert own.where(accelerators="v100").names == ["large"]
    assert own.where(accelerators="V100:4").names == []
    assert own.where(accelerators="").names == ["small"]
    assert own.where(spot=True, max_price=0.05).names == ["small"]


def test_spot_prices_are_used_where_there_are_any() -> None:
    own = Catalogue.read(OWN)
    assert own["small"].hourly(spot=True) == 0.03
    with pytest.raises(SpaceError, match="'large' has no spot price"):
        own["large"].hourly(spot=True)


def test_of_skypilots_offers_the_cheapest_counts() -> None:
    found = Catalogue.from_skypilot(SKYPILOT)
    assert list(found) == [
        VM("m1", 4, 16, "", 0, 0.25, 0.11),
        VM("g1", 8, 61, "V100", 2, 6.0, None),
    ]
    assert Catalogue.read(SKYPILOT) == found


def test_of_skypilots_offers_one_region_may_be_chosen() -> None:
    assert Catalogue.from_skypilot(SKYPILOT, region="east")["m1"].price == 0.30
    with pytest.raises(SpaceError, match="no region 'eas'; did you mean 'east'"):
        Catalogue.from_skypilot(SKYPILOT, region="eas")


@pytest.mark.parametrize(("cloud", "types"), [("azure", 756), ("gcp", 459), ("lambda", 24)])
def test_skypilots_real_files_are_read(cloud: str, types: int) -> None:
    found = Catalogue.from_skypilot(published_path(f"prices/{cloud}.csv").read_text())
    assert len(found) == types
    assert all(vm.price > 0 and vm.vcpus > 0 and vm.memory > 0 for vm in found)


def test_accelerators_that_gcp_bills_apart_are_in_the_price_of_their_types() -> None:
    found = Catalogue.from_skypilot(published_path("prices/gcp.csv").read_text())
    assert found["a2-highgpu-1g"] == VM("a2-highgpu-1g", 12, 85, "A100", 1, 3.67339, 2.12081)
    assert found["g2-standard-24"].price == pytest.approx(0.88075 + 2 * 0.56004)
    assert found["g4-standard-24"].price == pytest.approx(1.70214 + 1.09565 / 2)
    assert not found["n2-standard-8"].accelerator


def test_a_type_whose_accelerators_have_no_price_is_left_out() -> None:
    header = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region"
    rows = ["n1,,,1,4,0.1,,x", "a2-highgpu-1g,,,12,85,0.7,,x", "a9-newgpu-8g,,,12,85,0.7,,x"]
    found = Catalogue.from_skypilot([header, *rows, ",T4,1,,,0.35,,x"])
    assert found.names == ["n1"]


def test_a_part_of_an_accelerator_costs_its_part() -> None:
    header = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region"
    rows = ["g4-standard-6,,,6,24,0.4,0.1,x", "g4-standard-48,,,48,192,3.2,0.8,x"]
    found = Catalogue.from_skypilot([header, *rows, ",RTXPRO6000,1,,,0.8,0.4,x"])
    assert list(found) == [
        VM("g4-standard-6", 6, 24, "RTXPRO6000", 1 / 8, 0.5, 0.15),
        VM("g4-standard-48", 48, 192, "RTXPRO6000", 1, 4.0, 1.2),
    ]


def test_a_type_that_has_its_accelerators_gets_none_more() -> None:
    header = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region"
    rows = ["a2-highgpu-1g,A100,1,12,85,3.7,,x", ",A100,1,,,2.9,,x"]
    assert list(Catalogue.from_skypilot([header, *rows])) == [
        VM("a2-highgpu-1g", 12, 85, "A100", 1, 3.7)
    ]


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Catalogue.shipped()["t2.smal"], "did you mean 't2.small'?"),
        (lambda: Catalogue.read(""), "is empty"),
        (lambda: Catalogue.read("name,price\n"), "no rows"),
        (lambda: Catalogue.read("name,prize\na,1\n"), "did you mean 'price'?"),
        (lambda: Catalogue.read("name,vcpus\na,1\n"), "no column 'price'"),
        (lambda: Catalogue.read("name,price\na,1\nb,free\n"), "line 3: price is 'free'"),
        (lambda: Catalogue.read("name,price\na,1\nb,-1\n"), "line 3: price is '-1'"),
        (lambda: Catalogue.read("name,price\na,\n"), "line 2: 'a' has no price"),
        (lambda: Catalogue.read("name,price\n\na,1\nb\n"), "line 4: 1 cells; expected 2"),
        (lambda: Catalogue.read("name,price\n,1\n"), "line 2: a VM type is named ''"),
        (lambda: Catalogue.read("name,price\na,1\na,2\n"), "line 3: 'a' is listed twice"),
        (lambda: Catalogue.read("name,price\na,x\n", "my.csv"), "my.csv, line 2"),
        (lambda: Catalogue.from_skypilot(OWN), "not a catalogue of SkyPilot"),
        (lambda: Catalogue.from_skypilot(SKYPILOT + "m2,,,x,1,1,,east\n"), "line 8: vCPUs is 'x'"),
        (lambda: Catalogue([VM("a"), VM("a")]), "lists 'a' twice"),
        (lambda: VM("a", price=float("nan")), "price of 'a' is nan"),
        (lambda: Catalogue.read(OWN).where(accelerators="V100:two"), "'V100:two'"),
    ],
)
def test_a_wrong_price_list_is_refused_with_a_sentence(
    build: Callable[[], object], says: str
) -> None:
    refused(build, says)
