import pytest

from tunewise.space import VM, Catalogue
from tunewise.space.cloud.machine import Machine, usual_price


def test_a_listed_type_is_as_the_catalogue_says() -> None:
    assert Machine.of("c4.2xlarge") == Machine("c4", 8.0, 15.0, 0.398)


@pytest.mark.parametrize(
    ("name", "machine"),
    [
        ("c4.8xlarge", Machine("c4", 32.0, 64.0, 32 * 0.398 / 8)),
        ("r3.xlarge", Machine("r3", 4.0, 32.0)),
        ("i2.large", Machine("i2", 2.0, 16.0)),
        ("x1e.32xlarge", Machine("x1e", 128.0)),
        ("t2.micro", Machine("t2", 0.25, 1.0, 0.25 * 0.0464)),
    ],
)
def test_other_names_tell_family_and_size_but_no_unlisted_price(
    name: str, machine: Machine
) -> None:
    assert Machine.of(name) == machine


@pytest.mark.parametrize("name", ["small", "c4.huge", "c4", "", 4, None, "n1-strange-4", "a.xhuge"])
def test_a_name_that_tells_no_size_is_no_machine(name: object) -> None:
    assert Machine.of(name) is None


def test_the_usual_price_is_one_of_a_core() -> None:
    assert 0.02 < usual_price() < 0.1


def test_the_price_of_a_family_counts_for_each_core_of_a_type_that_no_list_has() -> None:
    mine = Catalogue([VM("m5.large", 2, 8, price=0.1)])
    found = Machine.of("m5.2xlarge", mine)
    assert found is not None and found.price == pytest.approx(0.4)
    assert (found.family, found.vcpus, found.memory) == ("m5", 8.0, 32.0)
    assert Machine.of("m5.2xlarge") == Machine("m5", 8.0, 32.0)


def test_what_a_type_does_not_state_is_not_known() -> None:
    assert Machine.like(VM("x", 4, price=0.2)) == Machine("x", 4.0, None, 0.2)
    assert Machine.like(VM("x", 4, 16)) == Machine("x", 4.0, 16.0, None)
    assert Machine.like(VM("x", price=0.2)) is None
