"""Programs are read, refused with a place, and printed so that they read back the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.declarative.schema import KINDS, Column, DataType, Field, Program, parse
from tunewise.errors import ProgramError

SHORT = {
    "image(28, 28) -> 10 classes": "{input: {[Tensor[28, 28, 1]], []}, "
    "output: {[Tensor[10] classes], []}}",
    "image(32, 32, 3) -> [cat, dog]": "{input: {[Tensor[32, 32, 3]], []}, "
    "output: {[Tensor[2] classes [cat, dog]], []}}",
    "table(20) -> number": "{input: {[Tensor[20]], []}, output: {[Tensor[1] numbers], []}}",
    "series(6) -> 3 numbers": "{input: {[Tensor[6]], [next]}, output: {[Tensor[3] numbers], []}}",
    "text -> [ham, junk mail]": "{input: {[Tensor[] text], []}, "
    "output: {[Tensor[2] classes [ham, junk mail]], []}}",
    "tree(8) -> 2 classes": "{input: {[Tensor[8]], [left, right]}, "
    "output: {[Tensor[2] classes], []}}",
    "image(28, 28) -> image(28, 28)": "{input: {[Tensor[28, 28, 1]], []}, "
    "output: {[Tensor[28, 28, 1]], []}}",
    "series(6) -> series(2)": "{input: {[Tensor[6]], [next]}, output: {[Tensor[2]], [next]}}",
    'table(age number, "first name" text, since date) -> [no, yes]': "{input: {[Tensor[3] columns "
    '[age number, "first name" text, since date]], []}, '
    "output: {[Tensor[2] classes [no, yes]], []}}",
}


@pytest.mark.parametrize("short", SHORT)
def test_a_short_form_is_the_published_form_written_briefly(short: str) -> None:
    program = parse(short)
    assert program.long() == SHORT[short]
    assert parse(SHORT[short]) == program
    assert str(program) == short


def test_the_papers_programs_are_read() -> None:
    images = parse("{input: {[Tensor[256,256,3]], []}, output: {[Tensor[1000]], []}}")
    assert images.input.fields[0].shape == (256, 256, 3)
    assert images.undecided
    series = parse("{input: {[field1 :: Tensor[10]], [next]}, output: {[Tensor[10]],[]}}")
    assert series.input.fields[0].name == "field1"
    assert series.input.recursive == ("next",)


@pytest.mark.parametrize(
    ("text", "character", "words"),
    [
        ("image(28, 28 -> 10 classes", 14, "expected ',' or ')'"),
        ("imge(28, 28) -> 10 classes", 1, "did you mean 'image'?"),
        ("image(28) -> 10 classes", 9, "width"),
        ("image(28, 0) -> 10 classes", 11, "a whole number"),
        ("table(20)", 10, "expected '->'"),
        ("table(20) -> 10 clases", 17, "'classes' or 'numbers'"),
        ("table(20) -> [a, b, a]", 14, "'a' twice"),
        ("table(a number, b cat) -> number", 19, "no kind of column"),
        (
            "{input: {[Tensor[3] classes], []}, output: {[Tensor[2]], []}}",
            21,
            "expected ',' or ']'",
        ),
        ("{input: {[Tensor[3]], []}, output: {[Tensor[3] classes [a, b]], []}}", 38, "Tensor[2]"),
        ("{input: {[], []}, output: {[Tensor[2]], []}}", 9, "an object of nothing"),
        ("{input: {[A :: Tensor[3]], []}, output: {[Tensor[2]], []}}", 11, "a-z"),
        ("table(20) -> number of cats", 21, "the end of the program"),
        ("image(90000, 90000) -> 2 classes", 1, "at most"),
        ("", 1, "expected image"),
    ],
)
def test_a_mistake_is_pointed_at(text: str, character: int, words: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse(text)
    said, shown, pointer = str(caught.value).split("\n")
    assert said.startswith(f"character {character}: ")
    assert words in said
    assert shown.ljust(80)[pointer.index("^")] == text.ljust(80)[character - 1]


NAMES = st.text("abcxyz0189", min_size=1, max_size=4)
LABELS = st.text(min_size=1, max_size=8).filter(lambda t: bool(t.strip()))
SHAPES = st.lists(st.integers(1, 40), max_size=4).map(tuple)


def _fields(output: bool) -> st.SearchStrategy[Field]:
    plain = st.builds(Field, st.none() | NAMES, SHAPES)
    text = st.builds(lambda n: Field(n, (), says="text"), st.none() | NAMES)
    if not output:
        listed = st.lists(
            st.builds(Column, LABELS, st.sampled_from(KINDS)),
            min_size=1,
            max_size=4,
            unique_by=lambda c: c.name,
        )
        return plain | text | listed.map(lambda c: Field(None, (len(c),), columns=tuple(c)))
    named = st.lists(LABELS, min_size=1, max_size=4, unique=True)
    return (
        plain
        | text
        | st.builds(lambda n, s: Field(n, s, says="numbers"), st.none() | NAMES, SHAPES)
        | st.integers(1, 50).map(lambda n: Field(None, (n,), n))
        | named.map(lambda n: Field(None, (len(n),), tuple(n)))
    )


def _valid(kind: tuple[list[Field], list[str]]) -> bool:
    names = [*(f.name for f in kind[0] if f.name), *kind[1]]
    return bool(kind[0] or kind[1]) and len(set(names)) == len(names)


def _types(output: bool) -> st.SearchStrategy[DataType]:
    parts = st.tuples(
        st.lists(_fields(output), max_size=3),
        st.lists(NAMES | st.sampled_from(["next", "left", "right"]), max_size=3),
    )
    return parts.filter(_valid).map(lambda p: DataType(tuple(p[0]), tuple(p[1])))


PROGRAMS = st.builds(Program, _types(False), _types(True))


@given(PROGRAMS)
def test_what_is_printed_reads_back_the_same(program: Program) -> None:
    assert parse(str(program)) == program
    assert parse(program.long()) == program


@given(PROGRAMS, st.data())
def test_a_mutated_program_is_read_or_refused_with_a_sentence(
    program: Program, data: st.DataObject
) -> None:
    text = str(program)
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 3))
    mutated = text[:at] + data.draw(st.text(max_size=3)) + text[at + cut :]
    try:
        read = parse(mutated)
    except ProgramError:
        return
    assert parse(str(read)) == read


def test_the_first_examples_decide_what_the_program_leaves_open() -> None:
    program = parse("{input: {[Tensor[4]], []}, output: {[Tensor[2]], []}}")
    assert str(program.decided(("a", "b"))) == "table(4) -> [a, b]"
    assert str(program.decided(None)) == "table(4) -> 2 numbers"
