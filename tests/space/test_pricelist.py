"""Rows of a price list in CSV: what is read of them, and which line is to blame."""

from collections.abc import Callable

import pytest

from tests.space.spaces import refused
from tunewise.errors import SpaceError
from tunewise.space import VM, Catalogue, Cluster, Fleet
from tunewise.space.cloud.pricelist import Row, read_rows, write_rows
from tunewise.space.cloud.skypilot import sold_apart

HEADER = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region"


def test_cells_are_stripped_and_rows_know_their_line() -> None:
    columns, rows = read_rows("\ufeffname , price\n\n a,1 \n\n b , 2\n", "list.csv")
    assert columns == ["name", "price"]
    assert [row.cells for row in rows] == [{"name": "a", "price": "1"}, {"name": "b", "price": "2"}]
    assert [(row.line, row.source) for row in rows] == [(3, "list.csv"), (5, "list.csv")]


def test_a_quoted_cell_may_hold_commas_and_lines() -> None:
    _, rows = read_rows('name,price\n"a,\nb",1\nc,2\n', "list.csv")
    assert [row.get("name") for row in rows] == ["a,\nb", "c"]
    assert rows[1].line == 4


def test_an_empty_cell_is_no_number_however_it_is_written() -> None:
    row = Row({"a": "", "b": "nan", "c": "NaN", "d": "0", "e": "1e-3"}, 7, "list.csv")
    assert [row.number(column) for column in "abcdef"] == [None, None, None, 0.0, 0.001, None]
    assert row.get("f") == ""


@pytest.mark.parametrize("text", ["-0.1", "inf", "1,5", "a", "-inf"])
def test_a_cell_that_is_no_amount_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(SpaceError) as refused:
        Row({"price": text}, 7, "list.csv").number("price")
    assert str(refused.value) == (
        f"list.csv, line 7: price is {text!r}; expected a number of 0 or more"
    )


def test_an_error_while_a_row_is_built_gets_its_line_once() -> None:
    row = Row({"price": "x"}, 7, "list.csv")
    with pytest.raises(SpaceError, match="^list.csv, line 7: price is 'x'"):
        row.build(lambda: row.number("price"))
    with pytest.raises(SpaceError, match="^list.csv, line 7: vcpus of 'a' is -1"):
        row.build(lambda: VM("a", vcpus=-1))


def test_nothing_is_written_as_an_empty_cell() -> None:
    assert write_rows(["a", "b"], [[1, None], ["x,y", 0.5]]) == 'a,b\n1,\n"x,y",0.5\n'


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: read_rows("name,price\na\n", "p"), "p, line 2: 1 cells; expected 2, as in"),
        (lambda: read_rows("name,price\na,1,2\n", "p"), "p, line 2: 3 cells; expected 2"),
        (lambda: read_rows(" , \na,1\n", "p"), "p is empty: expected a header line"),
        (lambda: read_rows("name\n,\n", "p"), "p has a header and no rows"),
        (lambda: read_rows(["name\n", "a" * 200_000 + "\n"], "p"), "p, line 2: not CSV ("),
    ],
)
def test_what_is_no_table_is_refused(build: Callable[[], object], says: str) -> None:
    with pytest.raises(SpaceError) as refused:
        build()
    assert str(refused.value).startswith(says)


def test_accelerators_that_are_sold_apart_are_listed_once_in_order() -> None:
    rows = [",V100,1,,,2.5,,x", ",T4,1,,,0.3,,x", ",T4,2,,,0.6,,y", ",P4,1,,,,,x", ",,,,,1,,x"]
    assert sold_apart(*read_rows([HEADER, "n1,,,1,4,0.1,,x", *rows], "p")) == ["T4", "V100"]
    assert sold_apart(*read_rows("name,price\na,1\n", "p")) == []


def test_accelerators_are_added_at_the_place_where_the_type_is_sold() -> None:
    header = HEADER + ",AvailabilityZone"
    types = ["a2-highgpu-1g,,,12,85,1,0.5,x,x1", "a2-highgpu-1g,,,12,85,0.2,0.1,x,x2"]
    apart = [",A100,1,,,3,2,x,x1"]
    # In the cheaper zone there is no accelerator to be had.
    assert list(Catalogue.from_skypilot([header, *types, *apart])) == [
        VM("a2-highgpu-1g", 12, 85, "A100", 1, 4.0, 2.5)
    ]


def test_a_bundle_has_a_spot_price_only_where_both_parts_have_one() -> None:
    rows = ["a2-highgpu-2g,,,24,170,1,0.5,x", ",A100,2,,,6,,x"]
    assert list(Catalogue.from_skypilot([HEADER, *rows])) == [
        VM("a2-highgpu-2g", 24, 170, "A100", 2, 7.0, None)
    ]


def test_several_whole_accelerators_must_be_on_sale_as_such() -> None:
    rows = ["g2-standard-24,,,24,96,1,,x", "g2-standard-7,,,7,30,1,,x", ",L4,1,,,0.5,,x"]
    with_one = ["g2-standard-8,,,8,32,1,,x"]
    found = Catalogue.from_skypilot([HEADER, *rows, *with_one])
    assert list(found) == [VM("g2-standard-8", 8, 32, "L4", 1, 1.5)]


def test_of_offers_at_one_price_the_one_with_the_cheapest_spot_price_counts() -> None:
    rows = ["m,,,2,8,0.1,,x", "m,,,2,8,0.1,0.05,y", "m,,,2,8,0.1,0.07,z"]
    assert Catalogue.from_skypilot([HEADER, *rows])["m"].spot_price == 0.05


def test_a_region_needs_its_column() -> None:
    text = "InstanceType,Price\nm,0.1\n"
    assert Catalogue.from_skypilot(text)["m"].price == 0.1
    with pytest.raises(SpaceError, match="no column 'Region'.*it has: InstanceType, Price"):
        Catalogue.from_skypilot(text, region="x")


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: VM("  "), "named '  ': expected a name"),
        (lambda: VM(3), "named 3"),  # type: ignore[arg-type] # the mistake
        (lambda: VM("a", vcpus=True), "vcpus of 'a' is True: expected a number"),
        (lambda: VM("a", memory="8"), "memory of 'a' is '8': expected a number"),  # type: ignore[arg-type] # the mistake
        (lambda: VM("a", accelerators=-1), "accelerators of 'a' is -1: expected 0 or more"),
        (lambda: VM("a", spot_price=float("inf")), "spot_price of 'a' is inf"),
        (lambda: VM("a", price=0.5).hourly(spot=True), "use it on demand at 0.5 USD per hour"),
        (lambda: Fleet(VM("a"), True), "True VMs of 'a': expected a whole number"),
        (lambda: Fleet(VM("a"), 0), "0 VMs of 'a'"),
    ],
)
def test_machines_that_cannot_be_are_refused(build: Callable[[], object], says: str) -> None:
    refused(build, says)


def test_accelerators_are_found_by_name_in_any_case_and_by_their_exact_number() -> None:
    vm = VM("g", accelerator="A100-80GB", accelerators=4)
    wanted = ("a100-80gb", "A100-80GB:4", "A100-80GB:8", "A100", "")
    assert [vm.has(each) for each in wanted] == [True, True, False, False, False]
    assert VM("m").has("")


def test_limits_of_a_catalogue_hold_at_their_very_value() -> None:
    known = Catalogue([VM("a", 2, 4, price=0.1, spot_price=0.02), VM("b", 4, 8, price=0.2)])
    assert known.where(min_vcpus=4).names == ["b"]
    assert known.where(min_memory=4).names == ["a", "b"]
    assert known.where(max_price=0.1).names == ["a"]
    assert known.where(max_price=0.02, spot=True).names == ["a"]
    assert len(known.where(min_memory=8.1)) == 0
    assert known != Catalogue(reversed(list(known))) and known != ["a", "b"]


def test_the_usual_prices_are_those_that_were_made_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tunewise.space.cloud.catalogue._usual", [Catalogue.shipped])
    assert Catalogue.usual() == Catalogue.shipped()
    own = Catalogue([VM("mine", 1, 2, price=0.7)])
    Catalogue.make_usual(lambda: own)
    assert Catalogue.usual() is own
    assert Cluster().values() == ["mine:1"]
    assert Cluster().hourly("mine:1") == pytest.approx(0.7)
