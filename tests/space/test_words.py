"""Configs as people type them."""

import tunewise as tw
from tunewise.space.words import config_of

SPACE = tw.Space(
    tw.Real("rate", 0, 1),
    tw.Integer("n", 1, 9),
    tw.Choice("kind", ["Net", None, True, 4]),
    tw.Ordinal("vms", [1, 2]),
)


def test_words_become_the_values_that_were_meant() -> None:
    words = ["rate=1e-3", "n=4", "kind=net", "vms=2"]
    assert config_of(words, SPACE) == {"rate": 0.001, "n": 4, "kind": "Net", "vms": 2}
    for text, value in (("None", None), ("true", True), ("4", 4), ("Net", "Net"), ("odd", "odd")):
        assert config_of([f"kind={text}"], SPACE) == {"kind": value}
    assert config_of(["kind=a=b"], SPACE) == {"kind": "a=b"}
