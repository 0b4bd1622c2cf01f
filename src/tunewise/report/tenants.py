"""The report of a race between rules: figures 9 to 15 of ease.ml as one HTML file."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tunewise.benchmark.tenants.measures import (
    LEVELS,
    Effort,
    Kind,
    Steps,
    TenantScore,
    highest,
    mean,
    steps,
)
from tunewise.benchmark.tenants.race import Protocol, Run
from tunewise.benchmark.tenants.studies import Study
from tunewise.benchmark.tenants.table import TenantTable
from tunewise.report.layout import theme
from tunewise.report.layout.document import document
from tunewise.report.layout.markup import Markup, tag
from tunewise.report.layout.parts import fragment, plot, section, tabs

if TYPE_CHECKING:
    import plotly.graph_objects as go

_FLOOR = 1e-3
_POINTS = 200
_VIEWS: tuple[tuple[str, Kind, bool], ...] = (
    ("average loss", "loss", False),
    ("worst user", "worst", False),
    ("worst repeat", "loss", True),
    ("relative accuracy", "relative", False),
)
_ABOUT: dict[Kind, str] = {
    "loss": "average loss of accuracy",
    "worst": "loss of the worst user",
    "relative": "accuracy, relative to each user's best",
}


def render(
    table: TenantTable,
    protocol: Protocol,
    found: Mapping[str, TenantScore],
    studies: Sequence[Study],
    script: str | None = None,
) -> str:
    """The report as a page, light and dark, that works offline; `script` as in `document`.

    The measures are those of the whole race; what the figures show of it may end sooner.
    """
    first, *rest = studies
    content = [
        _header(table, protocol),
        tag("noscript", tag("p", "The charts need JavaScript.", class_="empty")),
        _measures(found),
        _study(first, whole=True),
        _costs(table),
        [_study(study, whole=False) for study in rest],
    ]
    return document(f"{table.name} tenants", fragment(content), script)


def curves(runs: Mapping[str, Sequence[Run]], effort: Effort, kind: Kind, worst: bool) -> (
    "dict[str, Steps]"
):  # fmt: skip
    """The mean of each rule's repeats, or their worst case, as steps from the first rise on."""
    every = {name: [steps(run, effort, kind) for run in repeats] for name, repeats in runs.items()}
    # A rule that has ended stays where it is until the last one has.
    last = max(float(curve.at[-1]) for listed in every.values() for curve in listed)
    found = {}
    for name, listed in every.items():
        whole = mean(listed)
        first = float(whole.at[whole.at > 0][0]) if (whole.at > 0).any() else last / 10
        grid = np.geomspace(first, max(last, first * 1.01), _POINTS)
        found[name] = Steps(grid, highest(listed, grid) if worst else whole.on(grid))
    return found


def draw(drawn: Mapping[str, Steps], effort: Effort, kind: Kind) -> "go.Figure":
    """The curves as lines, on log axes; relative accuracy on a plain one."""
    traces: list[dict[str, Any]] = []
    for place, (name, curve) in enumerate(drawn.items()):
        role = theme.SERIES[place % len(theme.SERIES)]
        values = curve.value if kind == "relative" else np.maximum(curve.value, _FLOOR)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": theme.escaped(name),
                "x": curve.at.tolist(),
                "y": values.tolist(),
                "line": {"color": theme.colour(role), "width": 2, "shape": "hv"},
            }
        )
    of = "the total run time" if effort == "time" else "all models"
    x = theme.Axis(f"share of {of}", log=True, range=_ends(drawn))
    if kind == "relative":
        y = theme.Axis(_ABOUT[kind], share=True, range=(0.5, 1.01))
    else:
        y = theme.Axis(_ABOUT[kind], log=True, range=(_lowest(drawn), 1.0))
    # The first is drawn last, above the others, and named first.
    return theme.figure(traces[::-1], x, y)


def _ends(drawn: Mapping[str, Steps]) -> tuple[float, float]:
    every = np.concatenate([curve.at for curve in drawn.values()])
    return float(every.min()), float(every.max())


def _lowest(drawn: Mapping[str, Steps]) -> float:
    """Where the axis of losses begins: a little below the lowest, so that curves fill the chart."""
    least = min(float(curve.value.min()) for curve in drawn.values())
    return max(0.7 * min(least, 0.5), _FLOOR)


def _study(study: Study, *, whole: bool) -> Markup:
    panels = []
    for shown, kind, worst in _VIEWS if whole else _VIEWS[:2]:
        drawn = curves(study.runs, study.effort, kind, worst)
        about = f"{shown.capitalize()} of {', '.join(drawn)}"
        figure = draw(drawn, study.effort, kind)
        key = f"{study.key}-{kind}-{'worst' if worst else 'mean'}"
        panels.append((shown, plot(key, figure, about, "tall")))
    return section(study.key, study.title, tabs(panels))


def _costs(table: TenantTable) -> Markup:
    """Figure 11, right: how the costs are spread."""
    values = table.seconds[np.isfinite(table.seconds)]
    heights, edges = np.histogram(np.log10(np.maximum(values, 1e-4)), bins=40)
    trace = {
        "type": "bar",
        "x": (10 ** (0.5 * (edges[1:] + edges[:-1]))).tolist(),
        "y": heights.tolist(),
        "width": (10 ** edges[1:] - 10 ** edges[:-1]).tolist(),
        "marker": {"color": theme.colour("blue")},
    }
    x = theme.Axis("run time of a model", "s", log=True, range=(10 ** edges[0], 10 ** edges[-1]))
    figure = theme.figure([trace], x, theme.Axis("models"), legend=False)
    drawn = plot("costs-spread", figure, "How long models take")
    return section("spread", "Figure 11, right: run times", drawn)


def _header(table: TenantTable, protocol: Protocol) -> Markup:
    facts = [
        ("users", f"{len(table):,}"),
        ("models", f"{len(table.models):,}"),
        ("test users", str(protocol.users)),
        ("repeats", str(protocol.repeats)),
        ("devices", str(protocol.devices)),
        ("run times", protocol.costs),
    ]
    lead = "Whose model is trained next, so that everyone's accuracy rises soonest?"
    return tag(
        "header",
        tag("p", "Tunewise tenants", class_="eyebrow"),
        tag("h1", table.name),
        tag("p", lead, class_="lead"),
        tag("p", [tag("span", f"{k} ", tag("b", v)) for k, v in facts], class_="facts"),
    )


def _measures(found: Mapping[str, TenantScore]) -> Markup:
    heads = ["rule", *(f"loss {level:g}" for level in LEVELS), "95 % of 0.02", "every user at 0.05"]
    rows = [
        tag("tr", tag("th", rule, scope="row"), [tag("td", cell) for cell in _cells(score)])
        for rule, score in found.items()
    ]
    titles = tag("tr", [tag("th", head, scope="col") for head in heads])
    body = tag("table", tag("thead", titles), tag("tbody", rows))
    note = (
        "% of the test users' total run time until the mean of the average loss stays at or below"
        " a level; its 95 % interval by the bootstrap over repeats; and the mean time until no"
        " user's loss is above 0.05."
    )
    return section("measures", "Measures", tag("div", body, class_="measures"), note=note)


def _cells(score: TenantScore) -> list[str]:
    reached = [_percent(score.to_loss[f"{level:g}"]) for level in LEVELS]
    ends = [_percent(end) for end in score.interval["0.02"]]
    between = " to ".join(dict.fromkeys(ends))
    return [*reached, between, _percent(score.worst_to_loss["0.05"])]


def _percent(share: float | None) -> str:
    return "never" if share is None else f"{100 * share:.3g}"
