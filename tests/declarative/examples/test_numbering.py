"""Equal rows of a table are several examples; a copy of a file is none."""

from pathlib import Path

import tunewise as tw
from tunewise.declarative.examples import Checked, in_validation, numbered
from tunewise.declarative.examples.numbering import COPIES


def _pair(where: str, nth: int = 0) -> Checked:
    return Checked(where, [1.0], "a", "key", "content", nth)


def _identities(pairs: list[Checked], *, call: bool = False) -> list[str]:
    return [one.content for one in numbered(pairs, call=call) if isinstance(one, Checked)]


def test_equal_rows_of_a_file_are_told_apart_and_those_of_a_copy_are_the_same() -> None:
    first = _identities([_pair("a.csv:2"), _pair("a.csv:3")])
    assert len(set(first)) == 2
    assert _identities([_pair("b.csv:7"), _pair("b.csv:9")]) == first
    assert _identities([_pair("cats/1.png"), _pair("cats/2.png")]) == [first[0]] * 2


def test_a_feed_in_two_requests_is_numbered_as_one() -> None:
    whole = _identities([_pair(f"pair {at}") for at in range(4)], call=True)
    halves = [
        _identities([_pair("pair 0", nth), _pair("pair 1", nth + 1)], call=True) for nth in (0, 2)
    ]
    assert halves[0] + halves[1] == whole


def test_copies_are_in_one_part_and_a_full_cell_of_a_table_is_in_both() -> None:
    pairs = [one for one in numbered(_pair(f"a.csv:{at}") for at in range(500))]
    keys = [one.key for one in pairs if isinstance(one, Checked)]
    assert len(set(keys[:COPIES])) == 1
    held = [in_validation("salt", key) for key in keys]
    assert 0.15 < sum(held) / len(held) < 0.25
    assert len(set(keys)) == 500 - COPIES + 1


def test_a_table_of_categories_keeps_how_often_each_row_occurs(tmp_path: Path) -> None:
    lines = ["smoker,age,label"]
    lines += [
        f"{smoker},{age},{label}" for smoker, age, label, count in CELLS for _ in range(count)
    ]
    file = tmp_path / "survey.csv"
    file.write_text("\n".join(lines) + "\n")
    task = tw.Task.from_data(file)
    fed = task.feed(file)
    assert (fed.added, fed.known) == (0, 120)
    (tmp_path / "copy.csv").write_text(file.read_text() + "yes,old,ill\n")
    assert task.feed(tmp_path / "copy.csv").added == 1
    assert sum(example.label == "ill" for example in task.examples()) == 61


CELLS = [
    *(("yes", "old", "ill", 36), ("yes", "old", "well", 4)),
    *(("yes", "young", "ill", 20), ("yes", "young", "well", 20)),
    *(("no", "old", "ill", 4), ("no", "old", "well", 36)),
]
