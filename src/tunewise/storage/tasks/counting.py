"""How many examples a task has, without reading them."""

from dataclasses import dataclass

from sqlalchemy import Connection, case, func, select

from tunewise.storage.database import Database
from tunewise.storage.schema import examples

_CLASSES = 200
"""Labels that are counted one by one, the most frequent."""


@dataclass(frozen=True)
class Counted:
    """The examples of a task.

    Attributes:
        total: All that were ever fed.
        on: Those that models are trained on.
        labels: How many that are on have each label, the most frequent first.
    """

    total: int
    on: int
    labels: tuple[tuple[str, int], ...]


def counted(database: Database, task: int) -> Counted:
    """The examples of a task, counted."""
    own = examples.c.task_id == task
    amounts = select(func.count(), func.sum(case((examples.c.on, 1), else_=0))).where(own)
    number = func.count().label("number")
    each = select(examples.c.label, number).where(own, examples.c.on, examples.c.label.is_not(None))
    each = each.group_by(examples.c.label).order_by(number.desc(), examples.c.label)

    def work(connection: Connection) -> Counted:
        total, on = connection.execute(amounts).one()
        labels = connection.execute(each.limit(_CLASSES)).all()
        return Counted(total, int(on or 0), tuple((str(row.label), row.number) for row in labels))

    return database.read(work)
