"""Parameters whose values are listed: which lists are taken, and how values are found again."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.space.spaces import refused
from tunewise.errors import SpaceError
from tunewise.space import Choice, Ordinal, Parameter
from tunewise.space.parameter import ABSENT, plain


def test_each_listed_value_has_the_same_part_of_the_unit_interval() -> None:
    choice = Choice("c", ["a", "b", "c", "d"])
    uniform = np.array([0.0, 0.249, 0.251, 0.5, 0.749, 0.751, np.nextafter(1.0, 0.0)])
    assert choice.draw(uniform) == ["a", "a", "b", "c", "c", "d", "d"]
    assert choice.draw(np.array([1.0])) == ["d"]  # rounding may bring a number up to 1


def test_a_choice_decodes_to_the_value_with_the_nearest_corner() -> None:
    choice = Choice("c", ["a", "b", "c"])
    rows = np.array([[0.2, 0.5, 0.4], [0.9, 0.0, 0.8], [-1.0, -2.0, -0.5]])
    assert choice.decode(rows) == ["b", "a", "c"]
    assert choice.decode(np.empty((0, 3))) == []


def test_very_many_rows_are_decoded_piece_by_piece_alike() -> None:
    choice = Choice("c", range(500))
    drawn = np.random.default_rng(0).integers(500, size=9000).tolist()
    assert choice.decode(choice.encode(drawn)) == drawn  # 4.5 million distances


def test_an_ordinal_decodes_to_the_nearest_step_in_either_direction() -> None:
    rows = np.array([[-1.0], [0.0], [0.24], [0.26], [0.74], [0.76], [2.0]])
    assert Ordinal("o", [1, 2, 3]).decode(rows) == [1, 1, 1, 2, 2, 3, 3]
    assert Ordinal("o", [3, 2, 1]).decode(rows) == [3, 3, 3, 2, 2, 1, 1]


def test_falling_steps_over_decades_are_spaced_by_their_logarithm_from_the_smallest() -> None:
    falling = Ordinal("rate", [1e-1, 1e-2, 1e-5])
    places = falling.encode([1e-1, 1e-2, 1e-5])[:, 0].tolist()
    assert places == pytest.approx([1.0, 0.75, 0.0])
    assert falling.decode(np.array([[0.8], [0.3], [0.95]])) == [1e-2, 1e-5, 1e-1]


def test_an_ordinal_of_one_value_has_one_place() -> None:
    single = Ordinal("o", [7])
    assert single.encode([7, 7]).tolist() == [[0.0], [0.0]]
    assert single.decode(np.array([[0.9]])) == [7]
    assert single.neighbours(7) == []


def test_words_and_truths_may_be_steps_in_any_order() -> None:
    assert Ordinal("size", ["S", "XL", "M"]).values() == ["S", "XL", "M"]
    mixed = Ordinal("o", [1, "many", True is False])
    assert mixed.encode(["many"])[0, 0] == pytest.approx(0.5)
    assert mixed.neighbours("many") == [1, False]


def test_a_number_that_is_a_step_but_for_rounding_is_that_step() -> None:
    steps = Ordinal("rate", [0.1, 0.3, 0.7])
    assert steps.check(0.3 * (1 + 5e-10)) == 0.3
    with pytest.raises(SpaceError, match=r"one of \[0.1, 0.3, 0.7\]; the nearest is 0.3"):
        steps.check(0.3 * (1 + 5e-9))


@pytest.mark.parametrize(
    ("value", "nearest"),
    [(10**305, 0.7), (10**400, 0.7), (float("inf"), 0.7), (-(10**400), 0.1), (0.45, 0.3)],
)
def test_a_wrong_number_of_any_size_is_told_the_nearest_step(value: Any, nearest: float) -> None:
    with pytest.raises(SpaceError, match=f"the nearest is {nearest}"):
        Ordinal("rate", [0.1, 0.3, 0.7]).check(value)


def test_only_numbers_are_compared_with_steps() -> None:
    sizes = Ordinal("size", ["S", "M", 4])
    assert sizes.check(4.0) == 4
    for wrong in (True, "Ss", None):
        with pytest.raises(SpaceError, match="one of the listed values"):
            sizes.check(wrong)
    with pytest.raises(SpaceError, match="the nearest is 4"):
        sizes.check(5)


def test_nothing_may_be_a_value_and_is_told_from_a_lacking_one() -> None:
    choice = Choice("c", [None, "a"])
    assert choice.check(None) is None
    assert choice.encode([None]).tolist() == [[1, 0]]
    encoded = choice.encode_present(["a", ABSENT, None])
    assert encoded.tolist() == [[0, 1], [0.5, 0.5], [1, 0]]


def test_the_neutral_place_is_the_mean_of_all_values() -> None:
    assert Choice("c", ["a", "b", "c"]).neutral == pytest.approx([1 / 3] * 3)
    # One, ten and a thousand are at 0, 1/3 and 1 of their logarithm.
    assert Ordinal("o", [1, 10, 1000]).neutral == pytest.approx([4 / 9])


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Choice("x", ["a\ud800"]), "expected text without halves of characters"),
        (lambda: Choice("x", [10**301]), "a number of more than 300 digits"),
        (lambda: Choice("x", [-(10**301)]), "a number of more than 300 digits"),
        (lambda: Choice("x", 3), "values of 'x' are 3: expected a list, [3]"),  # type: ignore[arg-type] # the mistake
        (lambda: Choice("x", [float("-inf")]), "lists -inf: expected finite numbers"),
        (lambda: Choice("x", [b"a"]), """try "b'a'\""""),
        (lambda: Choice("x", [0, False]), "lists False twice"),
        (lambda: Ordinal("x", [3, 1, 2]), "has 2 after 1: expected rising or falling"),
        (lambda: Ordinal("x", [1, 2, 1.5, 3]), "such as [1, 1.5, 2, 3] (or a Choice"),
    ],
)
def test_a_list_that_no_store_could_keep_is_refused(
    build: Callable[[], Parameter], says: str
) -> None:
    refused(build, says)


@pytest.mark.parametrize("value", ["a\nb", "a\x00", "é", "", 10**300, -(10**300)])
def test_odd_but_sound_values_are_taken(value: Any) -> None:
    assert Choice("x", [value]).values() == [value]


def test_a_number_that_python_would_not_write_down_is_refused_unseen() -> None:
    assert plain(10**4000) == 10**4000
    for huge in (10**4000 + 1, -(10**4000) - 1):
        with pytest.raises(SpaceError, match="a number of more than 4000 digits"):
            plain(huge)
    assert type(plain(np.float32(0.5))) is float


def test_parameters_tell_their_values_in_words() -> None:
    assert Choice("c", ["a", 0.000123456]).range == "a, 0.0001235"
    assert Ordinal("o", [1, 2], when={"c": ["a", "b"]}).describe() == {
        "kind": "ordinal",
        "name": "o",
        "values": [1, 2],
        "when": {"c": ["a", "b"]},
    }


def test_parameters_are_compared_and_shown_by_what_they_describe() -> None:
    first, same = Choice("c", ["a", "b"]), Choice("c", ("a", "b"))
    assert first == same and hash(first) == hash(same)
    assert first != Choice("c", ["b", "a"]) and first != "c"
    assert first != Choice("c", ["a", "b"], when={"d": 1})
    assert repr(first) == "Choice('c', values=['a', 'b'])"
    assert repr(Choice("c", [1], {"d": 2})) == "Choice('c', values=[1], when={'d': [2]})"


def test_a_condition_takes_one_value_or_several() -> None:
    assert Choice("c", [1], {"d": np.int64(2)}).when == {"d": (2,)}
    assert Choice("c", [1], {"d": (2, 3), "e": [4]}).when == {"d": (2, 3), "e": (4,)}
    assert type(Choice("c", [1], {"d": [np.int64(2)]}).when["d"][0]) is int
