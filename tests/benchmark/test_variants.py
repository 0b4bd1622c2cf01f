"""Entrants that differ in one option are found, so that it can be judged alone."""

from tunewise.benchmark.entrants import entrants
from tunewise.benchmark.variants import by_filter, by_share


def test_filters_are_compared_at_one_share() -> None:
    raced = entrants(
        "eic,trimtuner,trimtuner(filter=cea,share=0.1),trimtuner(filter=cea,share=0.01),"
        "trimtuner(filter=random),random"
    )
    assert by_filter(raced) == {
        "trimtuner": "no filter",
        "trimtuner(filter=cea,share=0.1)": "cea",
        "trimtuner(filter=random)": "random",
    }


def test_variants_that_differ_in_more_than_the_filter_are_not_compared() -> None:
    assert by_filter(entrants("trimtuner,trimtuner(filter=cea,surrogate=trees),fabolas")) == {}
    assert by_filter(entrants("trimtuner,eic,random")) == {}


def test_shares_of_one_filter_are_compared_in_order_and_with_none() -> None:
    raced = entrants(
        "trimtuner(filter=cea,share=0.2),trimtuner,trimtuner(filter=cea,share=0.01),"
        "trimtuner(filter=random,share=0.3)"
    )
    assert by_share(raced) == {
        "trimtuner(filter=cea,share=0.01)": "cea 1 %",
        "trimtuner(filter=cea,share=0.2)": "cea 20 %",
        "trimtuner": "no filter",
    }


def test_one_share_is_no_sensitivity() -> None:
    assert by_share(entrants("trimtuner,trimtuner(filter=cea),eic,random")) == {}
