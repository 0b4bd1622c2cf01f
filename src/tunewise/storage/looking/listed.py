"""Studies with what is counted about each, without reading their trials."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, func, select

from tunewise.storage.rows import record_of
from tunewise.storage.schema import studies, trials
from tunewise.study.record import StudyRecord


@dataclass(frozen=True)
class Listed:
    """A study in a list.

    Attributes:
        record: What was kept about it.
        revision: Rises with each change.
        counts: Trials by state.
        usd: Booked until now.
        seconds: Booked until now.
    """

    record: StudyRecord
    revision: int
    counts: dict[str, int]
    usd: float
    seconds: float


def listed(connection: Connection, here: ColumnElement[bool], limit: int) -> list[Listed]:
    """So many of the studies, by name."""
    rows = connection.execute(select(studies).where(here).order_by(studies.c.name).limit(limit))
    found = rows.all()
    amounts = select(
        *(trials.c.study_id, trials.c.state, func.count().label("number")),
        *(func.sum(trials.c.usd).label("usd"), func.sum(trials.c.seconds).label("seconds")),
    )
    own = trials.c.study_id.in_([row.id for row in found])
    counted = connection.execute(
        amounts.where(own).group_by(trials.c.study_id, trials.c.state)
    ).all()
    made = []
    for row in found:
        mine = [each for each in counted if each.study_id == row.id]
        made.append(
            Listed(
                record_of(row),
                row.revision,
                {each.state: each.number for each in mine},
                sum(each.usd for each in mine),
                sum(each.seconds for each in mine),
            )
        )
    return made
