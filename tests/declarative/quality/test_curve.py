"""What more examples would bring is read off the learning curve."""

import pytest

from tunewise.declarative.quality.curve import shrinkage


def _card(examples: int, quality: float) -> dict[str, object]:
    return {"model": "ridge", "version": 1, "examples": examples, "quality": quality}


def test_errors_fall_as_a_power_of_the_examples() -> None:
    cards = [_card(100, 0.8), _card(400, 0.9)]  # halved with four times as many: the root
    assert shrinkage(cards, cards[1], 1200) == pytest.approx(0.5)


def test_one_point_is_no_curve_and_worse_with_more_is_noise() -> None:
    assert shrinkage([_card(100, 0.8)], _card(100, 0.8), 100) is None
    cards = [_card(100, 0.9), _card(400, 0.8)]
    assert shrinkage(cards, cards[1], 1200) == pytest.approx(1.0)


def test_half_of_the_examples_are_a_second_point() -> None:
    card = {**_card(400, 0.9), "halved": 0.8}  # halved with twice as many
    assert shrinkage([card], card, 400) == pytest.approx(0.5)
