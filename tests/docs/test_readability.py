"""The count of how hard a page is to read."""

from tests.docs.readability import ease, prose


def test_short_sentences_of_short_words_are_easier_than_long_ones_of_long_words() -> None:
    plain = "The tuner runs a trial. It learns from it. Then it runs the next one."
    hard = (
        "Notwithstanding probabilistic considerations, configurations that were evaluated"
        " previously determine the subsequently recommended hyper-parameter configuration."
    )
    assert ease(plain) > 80 > 20 > ease(hard)


def test_blocks_tables_headings_and_code_do_not_count() -> None:
    page = "# Title\n\nOne thought. `x = 1` [here](a.md).\n\n| a | b |\n\n```python\nhard()\n```\n"
    assert prose(page).split() == ["One", "thought.", "here."]
