"""Several studies side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from tunewise.errors import StudyError
from tunewise.format import MISSING, duration, measured, money, value
from tunewise.service.pages.views.looks import Look
from tunewise.service.pages.views.studies import StudyRow, study_rows
from tunewise.service.pages.views.study import Panel
from tunewise.service.pages.views.trials import ComparedRow

MOST = 6


@dataclass(frozen=True)
class CompareView:
    """Studies side by side.

    Attributes:
        rows: Each as in the list.
        lines: What is known of each, line by line.
        charts: The best so far of all, by each effort.
        warning: That they want different things, where they do.
    """

    rows: Sequence[StudyRow]
    lines: Sequence[ComparedRow]
    charts: Sequence[Panel]
    warning: str

    @property
    def names(self) -> list[str]:
        """Of the studies."""
        return [row.name for row in self.rows]


def compare_view(looks: Sequence[Look]) -> CompareView:
    """Two studies or more, side by side.

    Raises:
        StudyError: There are fewer than two, or too many.
    """
    if not 2 <= len(looks) <= MOST:
        raise StudyError(f"{len(looks)} studies are named; expected 2 to {MOST}")
    heads = {h.name: h for h in looks[0].glance.chosen([look.record.name for look in looks])}
    rows = study_rows(looks[0].store, [heads[look.record.name] for look in looks])
    aims = {(look.digest.aim.objective, look.digest.aim.maximize) for look in looks}
    query = urlencode([("name", look.record.name) for look in looks])
    return CompareView(
        rows=rows,
        lines=_lines(looks, rows),
        charts=[
            Panel(f"by {e}", f"/studies/compare/chart?{query}&by={e}", f"Best so far by {e}")
            for e in ("cost", "time", "trials")
        ],
        warning="" if len(aims) == 1 else "These studies want different things.",
    )


def _lines(looks: Sequence[Look], rows: Sequence[StudyRow]) -> list[ComparedRow]:
    names = list(dict.fromkeys(n for look in looks for n in look.problem.space.names))
    told = {
        "wants": [row.goal for row in rows],
        "state": [row.state for row in rows],
        "best": [row.best for row in rows],
        "trials": [f"{row.trials:,}" for row in rows],
        "strategy": [row.strategy for row in rows],
        "cost": [money(float(look.digest.spent("cost").sum())) for look in looks],
        "training time": [duration(float(look.digest.spent("time").sum())) for look in looks],
        "limits kept": [_kept(look) for look in looks],
        **{f"best {name}": [_best(look, name) for look in looks] for name in names},
        **{f"{m} of the best": [_metric(look, m) for look in looks] for m in ("cost", "time")},
    }
    return [ComparedRow(name, cells, len(set(cells)) > 1) for name, cells in told.items()]


def _kept(look: Look) -> str:
    return f"{int(look.digest.keeps.sum()):,} of {int(look.digest.measured.sum()):,}"


def _best(look: Look, name: str) -> str:
    given = look.measured
    return MISSING if given is None else value(given.config.get(name, MISSING))


def _metric(look: Look, name: str) -> str:
    best = look.digest.best
    found = MISSING if best is None else look.digest.column(name)[best]
    return MISSING if isinstance(found, str) else measured(look.problem.metric(name), float(found))
