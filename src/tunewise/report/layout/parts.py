"""What pages are made of: headed sections, tabs, and places for charts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tunewise.report.layout.markup import Child, Markup, embedded, joined, tag

if TYPE_CHECKING:
    import plotly.graph_objects as go


def plot(
    key: str, figure: "go.Figure", about: str, size: str = "", height: int | None = None
) -> Markup:
    """A place for a chart with its data; the page's script draws it when it comes into view."""
    data = figure.to_json().replace("<", "\\u003c")
    style = f"height:{height}px" if height else None
    box = tag("div", id=key, class_=f"plot {size}".strip(), role="img", aria_label=about,
              style=style)  # fmt: skip
    return joined([box, embedded("script", data, type="application/json", data_plot=key)])


def section(key: str, title: str, *children: Child, note: str = "") -> Markup:
    """A headed part of the page."""
    lead = tag("p", note, class_="note") if note else None
    return tag("section", tag("h2", title), lead, *children, class_="card", id=key)


def empty(text: str) -> Markup:
    """What stands where there is nothing to draw."""
    return tag("p", text, class_="empty")


def tabs(key: str, panels: Sequence[tuple[str, Markup]]) -> Markup:
    """Several charts in one place, the first one shown."""
    if len(panels) == 1:
        return panels[0][1]
    buttons = [
        tag("button", name, type="button", role="tab", aria_controls=f"{key}-{i}",
            aria_selected="false" if i else "true")
        for i, (name, _) in enumerate(panels)
    ]  # fmt: skip
    shown = [
        tag("div", panel, id=f"{key}-{i}", role="tabpanel", hidden=i > 0)
        for i, (_, panel) in enumerate(panels)
    ]
    return tag("div", tag("div", buttons, role="tablist", class_="segments"), shown, class_="tabs")
