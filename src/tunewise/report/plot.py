"""Figures of a study, for notebooks: `tunewise.plot.best_so_far(study)`.

Each function takes a study, and gives a plotly figure that a notebook shows.
"""

from typing import TYPE_CHECKING, Any, Protocol

from tunewise.errors import StudyError, nearest
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.report.charts import curves, feasibility, parallel
from tunewise.report.charts import importance as explained
from tunewise.report.charts import trials as plane
from tunewise.report.charts.by_parameter import by_parameter, draw_parameter
from tunewise.report.charts.curves import Effort
from tunewise.report.charts.trials import Against

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "best_so_far",
    "importance",
    "importances",
    "limits",
    "parallel_coordinates",
    "slices",
    "trials",
]


_INSTEAD = {
    "optimization_history": "best_so_far(study)",
    "param_importances": "importance(study)",
    "parallel_coordinate": "parallel_coordinates(study)",
    "pareto_front": "trials(study)",
    "slice": "importance(study)",
    "contour": "importance(study)",
    "intermediate_values": "slices(study)",
    "timeline": "trials(study)",
}
"""What to write for the figures of other tools, whatever stands before their names."""


def __getattr__(name: str) -> Any:
    """Answer the names that figures have elsewhere with the line to write."""
    line = _INSTEAD.get(name.removeprefix("plot_"))
    said = f"; write tunewise.plot.{line}" if line else nearest(name, __all__)
    raise AttributeError(f"tunewise.plot has no {name!r}{said}")


def __dir__() -> list[str]:
    """The figures alone, for completion in notebooks."""
    return __all__


_ACROSS = 3
_HEIGHT = 280


class Studied(Protocol):
    """What is asked of a study: its problem and its trials."""

    @property
    def problem(self) -> Problem:
        """What is wanted."""

    @property
    def history(self) -> History:
        """What has been measured."""


def best_so_far(study: Studied, by: Effort = "cost") -> "go.Figure":
    """The best measured trial that keeps all limits, against what had been spent by then.

    `by` is "cost", "time" or "trials".
    """
    if by not in ("cost", "time", "trials"):
        raise StudyError(f"by is {by!r}{nearest(str(by), ['cost', 'time', 'trials'])}")
    return curves.draw_best_so_far(curves.best_so_far(study.problem, study.history, by))


def trials(study: Studied, against: Against | None = None) -> "go.Figure":
    """Every trial that ended, by its objective and its "cost", or its "time".

    By default the cost, or the time where no cost was measured.
    """
    if against not in ("cost", "time", None):
        raise StudyError(f"against is {against!r}{nearest(str(against), ['cost', 'time'])}")
    if against is None:
        known = any("cost" in trial.metrics for trial in study.history)
        against = "cost" if known and study.problem.objective != "cost" else "time"
    return plane.draw_scatter(plane.scatter(study.problem, study.history, None, against))


def slices(study: Studied, parameter: str | None = None) -> "go.Figure":
    """The objective against each parameter, or against one of them."""
    names = study.problem.space.names
    if parameter is not None and parameter not in names:
        raise StudyError(f"unknown parameter {parameter!r}{nearest(parameter, names)}")
    drawn = by_parameter(study.problem, study.history)
    figures = {each.parameter: draw_parameter(each) for each in drawn}
    if parameter is not None:
        return figures[parameter]
    return _side_by_side(list(figures.values()))


def importance(study: Studied) -> "go.Figure":
    """How much of the differences in the objective each parameter explains on its own."""
    return explained.draw_importance(_explained(study))


def importances(study: Studied) -> dict[str, float]:
    """The same as numbers: by parameter the share beyond chance, most first."""
    return {found.parameter: found.share for found in _explained(study)}


def limits(study: Studied) -> "go.Figure":
    """Each limited metric of the measured trials against its limit."""
    if not study.problem.constraints:
        raise StudyError("the problem has no limits; expected some in subject_to")
    found = feasibility.margins(study.problem, study.history)
    return _side_by_side([feasibility.draw_margin(margin) for margin in found])


def parallel_coordinates(study: Studied) -> "go.Figure":
    """A line for each measured trial through all its values, coloured by the objective."""
    data = parallel.lines(study.problem, study.history)
    if not data.numbers:
        raise StudyError("no trial has been measured yet; expected at least one")
    return parallel.draw_lines(data)


def _explained(study: Studied) -> tuple[explained.Importance, ...]:
    found = explained.importance(study.problem, study.history)
    if not found:
        measured = len(study.history.complete)
        raise StudyError(
            f"{measured} trials were measured; importance needs {explained.FEWEST} or more"
        )
    return found


def _side_by_side(figures: "list[go.Figure]") -> "go.Figure":
    """Several charts in rows of three, each with its own axes."""
    from plotly.subplots import make_subplots

    across = min(_ACROSS, len(figures))
    down = -(-len(figures) // across)
    drawn = range(len(figures))
    places = [
        [dict[str, str]() if row * across + column in drawn else None for column in range(across)]
        for row in range(down)
    ]
    whole = make_subplots(down, across, specs=places, horizontal_spacing=0.09,
                          vertical_spacing=0.22 / down)  # fmt: skip
    for place, figure in enumerate(figures):
        at = {"row": place // across + 1, "col": place % across + 1}
        whole.add_traces(figure.data, rows=[at["row"]] * len(figure.data),
                         cols=[at["col"]] * len(figure.data))  # fmt: skip
        for axis, update in (("xaxis", whole.update_xaxes), ("yaxis", whole.update_yaxes)):
            update(figure.layout[axis].to_plotly_json(), **at)
        for shape in figure.layout.shapes:
            whole.add_shape(_within(shape.to_plotly_json()), **at)
    font = figures[0].layout.font
    whole.update_layout(template="none", showlegend=False, height=_HEIGHT * down, font=font,
                        margin={"l": 64, "r": 16, "t": 24, "b": 48})  # fmt: skip
    return whole


def _within(shape: dict[str, object]) -> dict[str, object]:
    """A shape that spans the whole chart, as one that spans its part of several."""
    ends = {"paper": {"xref": "x domain", "yref": "y domain"}}
    spans = {side: ends["paper"][side] for side in ("xref", "yref") if shape.get(side) == "paper"}
    return {**shape, **spans}
