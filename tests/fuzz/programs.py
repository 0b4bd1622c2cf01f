"""Programs of tasks, nearly right: pieces in any order, and sound ones with characters changed."""

from hypothesis import strategies as st

PARTS = (
    *("image(28, 28)", "table(20)", "series(6)", "tree(8)", "text", "->", "10 classes", "number"),
    *("3 numbers", "[cat, dog]", '["a b", c]', "{", "}", "[", "]", "input:", "output:", ",", "::"),
    *("Tensor[2, 3]", "Tensor[]", "Tensor[4] classes [a, b, c, d]", "columns [a number]", "next"),
    *("table(a number, b date)", "0", "9" * 14, "é", "\n", "\0", '"', "\\", "🦊", "x" * 300),
)
SOUND = (
    "image(28, 28) -> 10 classes",
    "table(age number, city category) -> [no, yes]",
    "{input: {[Tensor[256, 256, 3]], []}, output: {[Tensor[1000]], []}}",
    "{input: {[a :: Tensor[10], Tensor[2]], [next]}, output: {[Tensor[2] classes [a, b]], []}}",
    "tree(8) -> 3 numbers",
)


@st.composite
def _mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(SOUND))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 3))
        text = text[:at] + draw(st.sampled_from(("", *PARTS))) + text[at + length :]
    return text


def programs() -> st.SearchStrategy[str]:
    """Texts of either kind."""
    drawn = st.lists(st.sampled_from(PARTS), max_size=8)
    return _mutated() | drawn.map(" ".join) | drawn.map("".join)
