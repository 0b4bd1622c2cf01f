"""The page on what a part of the data saves: a heat map over two limits, that works offline."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tunewise.format import measured, number, percent, share_of_data, value
from tunewise.problem import Constraint, Metric
from tunewise.report.layout import theme
from tunewise.report.layout.document import document
from tunewise.report.layout.markup import Child, Markup, tag
from tunewise.report.layout.parts import fragment, plot, section
from tunewise.report.what_if.answer import NOTHING, WhatIf, strictest

if TYPE_CHECKING:
    import plotly.graph_objects as go

_SIGNS = {"<=": "≤", ">=": "≥"}
_DEEPEST = 30.0
"""Savings from here on are drawn alike: loose limits save most, strict ones are of interest."""
_TICKS = (1, 1.5, 2, 3, 5, 10, 20, 30)
_ROOMY = 34
"""With more columns than this there is no room for numbers in the cells."""


def render(
    name: str, data: WhatIf, limits: Sequence[Constraint] = (), script: str | None = None
) -> str:
    """The page, light and dark; `limits` are others, kept by all; `script` as for any document."""
    return document(f"{name} what-if", content(name, data, limits), script)


def content(name: str, data: WhatIf, limits: Sequence[Constraint] = ()) -> Markup:
    """The answer, as one of the fragments of a page."""
    return fragment(
        _header(name, data, limits),
        tag("noscript", tag("p", "The chart needs JavaScript.", class_="empty")),
        tag("div", _own(data), _widest(data), _counted(data), class_="summary even"),
        _map(data),
    )


def told(metric: Metric, sign: str, bound: float) -> str:
    """A limit as people write it."""
    return f"{metric.name} {_SIGNS[sign]} {measured(metric, bound)}"


def times(saving: float) -> str:
    """A saving as people say it.

    >>> times(4.0884), times(41.53)
    ('4.1×', '42×')
    """
    return f"{number(saving, 2)}×"


def verdict(data: WhatIf, row: int, column: int) -> str:
    """What is saved under one pair of limits, in a sentence."""
    said, note = _answer(data, row, column)
    return f"at {_pair(data, row, column)}: {said} ({note})"


def _header(name: str, data: WhatIf, limits: Sequence[Constraint]) -> Markup:
    varied = f"{data.rows.metric.name} and {data.columns.metric.name}"
    fractions = sorted({point.fraction for point in data.points})
    facts = [
        ("measured", f"{len(data.points):,}"),
        ("data", ", ".join(share_of_data(s) for s in fractions)),
        ("all within", " and ".join(map(str, limits))),
    ]
    return tag(
        "header",
        tag("p", "Tunewise what-if", class_="eyebrow"),
        tag("h1", name),
        tag("p", f"What a part of the data saves of the {data.objective.name}, for every limit on",
            f" {varied}.", class_="lead"),
        tag("p", [tag("span", f"{k} ", tag("b", v)) for k, v in facts if v], class_="facts"),
    )  # fmt: skip


def _own(data: WhatIf) -> Markup | None:
    """What is saved within the limits that are really set."""
    if data.own is None:
        return None
    row, column = data.own
    return _card(f"At {_pair(data, row, column)}", *_answer(data, row, column))


def _widest(data: WhatIf) -> Markup:
    """The largest saving under limits that the full data can keep too."""
    finite = np.where(np.isfinite(data.saving), data.saving, 0.0)
    if not finite.any():
        note = "under limits that the full data can keep too, nothing was measured"
        return _card("Largest saving", "unknown", note)
    row, column = strictest(data, finite == finite.max())
    _, note = _answer(data, row, column)
    return _card("Largest saving", times(finite.max()), f"at {_pair(data, row, column)}: {note}")


def _counted(data: WhatIf) -> Markup:
    feasible = int(np.sum(data.best != NOTHING))
    if not feasible:
        return _card("A part of the data wins", "nowhere", "no limits can be kept at all")
    only = int(np.sum(np.isposinf(data.saving)))
    wins = int(np.sum(data.saving > 1))
    note = f"of the {feasible} pairs of limits that can be kept; {only} only by a part of the data"
    return _card("A part of the data wins", percent(wins / feasible), note)


def _card(title: str, big: str, note: str) -> Markup:
    return tag("section", tag("h2", title), tag("p", tag("b", big), class_="big"),
               tag("p", note, class_="note"), class_="card")  # fmt: skip


def _pair(data: WhatIf, row: int, column: int) -> str:
    return " and ".join(
        told(v.metric, v.sign, v.bounds[i]) for v, i in ((data.rows, row), (data.columns, column))
    )


def _answer(data: WhatIf, row: int, column: int) -> tuple[str, str]:
    """The verdict of a cell, and what it rests on."""
    best, full = int(data.best[row, column]), int(data.full[row, column])
    if best == NOTHING:
        return "nothing", "no measured trial keeps both"
    price = _price(data, best)
    if full == NOTHING:
        return "only a part", f"{price}; no trial at the full data keeps both"
    saving = float(data.saving[row, column])
    if saving == 1:
        return "no saving", f"{price} is the least"
    return f"{times(saving)} {data.less}", f"{price} instead of {_price(data, full)}"


def _price(data: WhatIf, place: int) -> str:
    point = data.points[place]
    data_used = "all of the data"
    if point.fraction != 1:
        data_used = f"{share_of_data(point.fraction)} of the data"
    return f"{measured(data.objective, point.metrics[data.objective.name])} on {data_used}"


def _map(data: WhatIf) -> Markup:
    rows, columns = data.rows.metric.name, data.columns.metric.name
    note = (
        f"How many times {data.less} the {data.least} trial at any fraction is than the"
        f" {data.least} at the full data, where all keep the limit on {rows} of the row and that on"
        f" {columns} of the column. Point at a cell to see the two trials."
    )
    signs: list[tuple[str, str, Child]] = [
        ("keeps", "■", f"a part of the data is {data.less}, so many times"),
        ("line", "■", f"the full data is {data.least}"),
        ("recommended", "■", "only a part of the data keeps both limits"),
        ("partial", "□", "blank: nothing that was measured keeps both"),
    ]
    items = [tag("li", tag("i", sign, class_=role, aria_hidden="true"), text)
             for role, sign, text in signs]  # fmt: skip
    finite = data.saving[np.isfinite(data.saving)]
    top = times(float(finite.max())) if finite.size else "none"
    about = f"Heat map of savings over {data.saving.size} pairs of limits, at most {top}"
    height = 150 + 26 * len(data.rows.bounds)
    drawn = tag("div", plot("what-if", draw_what_if(data), about, "heat", height), class_="wide")
    legend = tag("ul", items, class_="chips legend")
    return section("what-if-section", "Saved by a part of the data", legend, drawn, note=note)


def draw_what_if(data: WhatIf) -> "go.Figure":
    """The heat map: savings on a log scale of colour, cells that only a part can keep marked."""
    x, y = (
        theme.Axis(
            f"{v.metric.name} {_SIGNS[v.sign]}",
            ticks=tuple(measured(v.metric, bound) for bound in v.bounds),
        )
        for v in (data.columns, data.rows)
    )
    hover = [
        [_hover(data, i, j) for j in range(len(data.columns.bounds))]
        for i in range(len(data.rows.bounds))
    ]
    deepest = max(2.0, min(_DEEPEST, np.nanmax(_finite(data), initial=1.0)))
    traces = [_savings(data, hover, deepest), _only(data, hover)]
    drawn = theme.figure(traces, x, y, legend=False, shapes=_mark(data))
    across, up = len(x.ticks), len(y.ticks)
    return drawn.update_layout(
        xaxis={"range": [-0.5, across - 0.5], "showgrid": False},
        yaxis={"range": [-0.5, up - 0.5], "showgrid": False},
    )


def _finite(data: WhatIf) -> np.ndarray:
    return np.where(np.isfinite(data.saving), data.saving, np.nan)


def _cells(z: np.ndarray) -> list[list[float | None]]:
    return [[None if math.isnan(cell) else cell for cell in row] for row in z.tolist()]


def _savings(data: WhatIf, hover: list[list[str]], deepest: float) -> dict[str, Any]:
    ticks = [tick for tick in _TICKS if tick <= deepest * 1.001]
    ends = [f"{tick:g}×" for tick in ticks[:-1]]
    ends.append(f"{ticks[-1]:g}×" + (" or more" if deepest == _DEEPEST else ""))
    return _heat(hover) | {
        "z": _cells(np.log10(_finite(data))),
        "zmin": 0.0,
        "zmax": math.log10(deepest),
        "text": [["" if math.isnan(s) else times(s) for s in row] for row in _finite(data)],
        "texttemplate": "%{text}" if len(data.columns.bounds) <= _ROOMY else "",
        "colorscale": [[0, theme.colour("grid")], [1, theme.colour("keeps")]],
        "colorbar": {
            "tickvals": [math.log10(tick) for tick in ticks],
            "ticktext": ends,
            "outlinewidth": 0,
            "thickness": 14,
            "title": {"text": f"{data.less} by", "side": "right"},
        },
    }


def _only(data: WhatIf, hover: list[list[str]]) -> dict[str, Any]:
    """The cells that nothing at the full data can keep."""
    shade = theme.colour("recommended")
    only = np.isposinf(data.saving)
    return _heat(hover) | {
        "z": _cells(np.where(only, 1.0, np.nan)),
        "zmin": 0.0,
        "zmax": 1.0,
        "showscale": False,
        "opacity": 0.55,
        "colorscale": [[0, shade], [1, shade]],
    }


def _heat(hover: list[list[str]]) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "xgap": 1,
        "ygap": 1,
        "hoverinfo": "text",
        "hovertext": hover,
        "hoverongaps": False,
        "textfont": {"size": 11},
    }


def _hover(data: WhatIf, row: int, column: int) -> str:
    best, full = (int(places[row, column]) for places in (data.best, data.full))
    if best == NOTHING:
        return ""
    verdict, _ = _answer(data, row, column)
    lines = [f"<b>{theme.escaped(_pair(data, row, column))}: {verdict}</b>"]
    for place in dict.fromkeys(p for p in (best, full) if p != NOTHING):
        config = ", ".join(f"{k} = {value(v)}" for k, v in data.points[place].config.items())
        lines.append(theme.escaped(_price(data, place)))
        lines.append(f"    {theme.escaped(config)}")
    return "<br>".join(lines)


def _mark(data: WhatIf) -> list[dict[str, Any]]:
    """A frame around the limits that are really set."""
    if data.own is None:
        return []
    row, column = data.own
    line = {"color": theme.colour("ink"), "width": 2}
    return [{"type": "rect", "x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5,
             "y1": row + 0.5, "line": line}]  # fmt: skip
