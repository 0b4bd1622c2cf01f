import html
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.report.layout.markup import embedded, tag


class Seen(HTMLParser):
    """What a parser finds: names of elements, attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_any_text_stays_text_as_child_and_as_attribute(text: str) -> None:
    seen = Seen(tag("p", text, title=text))
    assert seen.tags == ["p"]
    assert seen.text == text
    assert seen.attributes == [("title", text)]


def test_elements_nest_without_being_escaped_twice() -> None:
    assert tag("p", [tag("b", "a & b"), None, 3]) == "<p><b>a &amp; b</b>3</p>"


def test_attributes_may_stand_alone_or_be_left_out() -> None:
    assert tag("p", class_="a", data_v=1, hidden=True, id=None) == (
        '<p class="a" data-v="1" hidden></p>'
    )


@pytest.mark.parametrize("content", ["</script>", "x</SCRIPT >", "</script"])
def test_raw_content_cannot_end_its_element(content: str) -> None:
    with pytest.raises(ValueError, match="end it early"):
        embedded("script", content)


def test_raw_content_is_not_changed() -> None:
    assert html.unescape(embedded("script", "a < b && c")) == "<script>a < b && c</script>"
