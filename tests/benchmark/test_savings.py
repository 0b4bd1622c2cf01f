"""What the first strategy of a race saves over the others."""

from tests.benchmark.races import run
from tunewise.benchmark.measures.savings import Ratio, Saving, savings
from tunewise.report.race.savings import draw_savings

FIRST = run(0.5, 0.95, strategy="first")


def test_a_saving_is_how_many_times_as_much_the_other_spends() -> None:
    found = savings([FIRST, run(0.5, 0.95, strategy="slow", cost=5.0)])
    assert found.first == "first"
    assert found.rivals == (Saving("slow", Ratio(5.0), Ratio(5.0)),)


def test_a_loser_is_compared_by_what_it_spent_in_vain() -> None:
    [saving] = savings([FIRST, run(*[0.5] * 6, strategy="lost")]).rivals
    assert saving.cost == Ratio(3.0, at_least=True)
    assert str(saving.cost) == "> 3×"


def test_a_first_that_is_slower_is_shown_to_be_so() -> None:
    [saving] = savings([FIRST, run(0.95, strategy="quick")]).rivals
    assert saving.cost == Ratio(0.5)
    bars = draw_savings(savings([FIRST, run(0.95, strategy="quick")])).data
    assert [list(trace.x) for trace in bars] == [[-0.5], [-0.5]]
    assert {trace.base for trace in bars} == {1}


def test_a_first_that_never_gets_there_saves_nothing() -> None:
    assert savings([FIRST, run(1.0, strategy="b")], 0.99).rivals == ()


def test_bars_that_never_got_there_are_paler() -> None:
    drawn = draw_savings(
        savings([FIRST, run(*[0.5] * 6, strategy="lost"), run(0.5, 1.0, strategy="b")])
    )
    cost = next(trace for trace in drawn.data if trace.name == "cost")
    assert list(cost.text) == ["1×", "> 3×"]
    assert cost.marker.opacity[0] > cost.marker.opacity[1]
    assert list(drawn.layout.yaxis.ticktext) == ["b", "lost"]


def test_money_that_nobody_spent_cannot_be_saved() -> None:
    [saving] = savings([run(1.0, cost=0.0, strategy="a"), run(1.0, strategy="b")]).rivals
    assert saving.cost is None
