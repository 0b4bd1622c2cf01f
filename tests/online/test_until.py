import pytest

from tunewise.errors import ProblemError
from tunewise.online import Iteration, Until
from tunewise.online.until import Watch


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("loss <= 0.1", Until(loss=0.1)),
        (" loss<=1e-3 ", Until(loss=1e-3)),
        ("samples >= 60_000", Until(samples=60000)),
        ("variance <= 1e-6", Until(variance=1e-6)),
    ],
)
def test_an_end_is_read_from_text(text: str, until: Until) -> None:
    assert Until.of(text) == until


@pytest.mark.parametrize("wrong", ["loss < 0.1", "los <= 1", "samples <= 3", "loss <= x", ""])
def test_an_end_that_cannot_be_read_is_refused(wrong: str) -> None:
    with pytest.raises(ProblemError, match="until is"):
        Until.of(wrong)


def watched(until: Until, losses: list[float]) -> list[bool]:
    watch = Watch(until)
    return [watch.see(Iteration(loss, 1.0, 10.0)) for loss in losses]


def test_one_lucky_loss_does_not_end_a_training() -> None:
    assert not any(watched(Until(loss=0.1), [0.5, 0.5, 0.5, 0.5, 0.01, 0.5]))
    assert watched(Until(loss=0.1), [0.5] + [0.05] * 5)[-1]


def test_a_steady_loss_ends_a_training() -> None:
    falling = [0.93 - 0.005 * i for i in range(120)]
    assert not any(watched(Until(variance=1e-4), falling))  # five of them vary by 5e-5
    steady = watched(Until(variance=1e-4), [0.3, 0.301, 0.299, 0.3] * 30)
    assert steady[99] and not any(steady[:99])


def test_samples_are_counted() -> None:
    assert watched(Until(samples=30), [1.0, 1.0, 1.0]) == [False, False, True]


def test_a_target_is_reached_where_it_is_met_exactly() -> None:
    assert watched(Until(loss=0.5), [0.5] * 5)[-1]
    assert watched(Until(variance=0.0), [0.25] * 100)[-1]
    assert not watched(Until(variance=0.0), [0.25] * 99 + [0.5])[-1]


def test_an_end_is_written_with_all_its_digits() -> None:
    for text in ("samples >= 1234567", "samples >= 60000", "samples >= 123456789012"):
        assert str(Until.of(text)) == text
