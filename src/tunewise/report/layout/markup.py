"""HTML that is safe by construction: text is escaped unless it was built here."""

import html
from collections.abc import Iterable
from typing import TypeAlias


class Markup(str):
    """HTML that may be put into a page as it is."""

    __slots__ = ()


Child: TypeAlias = "Markup | str | int | float | None | Iterable[Child]"

_VOID = frozenset({"br", "col", "input", "meta"})


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """An element; `class_="a"` and `data_number=3` become `class="a"` and `data-number="3"`.

    Attributes that are None or False are left out, True stands alone.

    >>> tag("p", "1 < 2", class_="note")
    '<p class="note">1 &lt; 2</p>'
    """
    opened = f"<{name}{''.join(_attribute(k, v) for k, v in attributes.items())}>"
    return Markup(opened if name in _VOID else f"{opened}{joined(children)}</{name}>")


def joined(children: Child) -> Markup:
    """Children side by side."""
    if children is None:
        return Markup()
    if isinstance(children, Markup):
        return children
    if isinstance(children, str | int | float):
        return Markup(html.escape(str(children)))
    return Markup("".join(joined(child) for child in children))


def embedded(name: str, content: str, /, **attributes: str | float | bool | None) -> Markup:
    """A script or style element, whose content is raw: it must not be able to end the element."""
    if f"</{name}" in content.lower():
        raise ValueError(f"the content of a {name} element would end it early")
    opened = tag(name, **attributes).removesuffix(f"</{name}>")
    return Markup(f"{opened}{content}</{name}>")


def _attribute(name: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    spelled = name.rstrip("_").replace("_", "-")
    return f" {spelled}" if value is True else f' {spelled}="{html.escape(str(value))}"'
