"""What pages are made of: headed sections, tabs, and places for charts.

None has an id: a page may hold many of each. The page's script finds what belongs together by the
fragment around it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tunewise.report.layout.markup import Child, Markup, embedded, joined, tag

if TYPE_CHECKING:
    import plotly.graph_objects as go


def fragment(*children: Child) -> Markup:
    """Parts that belong together: a chart's point leads to the table of its own fragment."""
    return tag("div", *children, class_="fragment")


def plot(
    key: str, figure: "go.Figure", about: str, size: str = "", height: int | None = None
) -> Markup:
    """A place for a chart with its data; the page's script draws it when it comes into view."""
    data = figure.to_json().replace("<", "\\u003c")
    style = f"height:{height}px" if height else None
    box = tag("div", data_plot=key, class_=f"plot {size}".strip(), role="img", aria_label=about,
              style=style)  # fmt: skip
    return joined([box, embedded("script", data, type="application/json")])


def section(key: str, title: str, *children: Child, note: str = "") -> Markup:
    """A headed part of the page."""
    lead = tag("p", note, class_="note") if note else None
    return tag("section", tag("h2", title), lead, *children, class_="card", data_part=key)


def empty(text: str) -> Markup:
    """What stands where there is nothing to draw."""
    return tag("p", text, class_="empty")


def tabs(panels: Sequence[tuple[str, Markup]]) -> Markup:
    """Several charts in one place, the first one shown."""
    if len(panels) == 1:
        return panels[0][1]
    buttons = [
        tag("button", name, type="button", role="tab", aria_selected="false" if i else "true")
        for i, (name, _) in enumerate(panels)
    ]
    shown = [
        tag("div", panel, role="tabpanel", aria_label=name, hidden=i > 0)
        for i, (name, panel) in enumerate(panels)
    ]
    return tag("div", tag("div", buttons, role="tablist", class_="segments"), shown, class_="tabs")
