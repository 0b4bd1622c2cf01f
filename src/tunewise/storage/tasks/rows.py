"""What the tables of tasks hold, as values."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TaskRow:
    """A declared task.

    Attributes:
        id: Its number in the store.
        name: Unique within a namespace.
        program: What goes in and what comes out.
        settings: Whatever else was declared, as JSON.
        version: Counts the changes of its data.
        created_at: In seconds since the epoch.
        namespace: Whose it is.
        revision: Rises with each change of whatever is known of it.
        seconds: That its trainings have taken.
    """

    id: int
    name: str
    program: str
    settings: dict[str, Any]
    version: int
    created_at: float
    namespace: str = ""
    revision: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class ExampleRow:
    """One pair that was fed.

    Attributes:
        number: Counts the examples of a task from 1; people see "e1".
        content: The checksum of input and output, and of how many equal ones its file had before:
            the same file fed again is known.
        input: The checksum of the input: it decides which part the example is in. Of more than a
            few equal pairs of one file each has one of its own.
        file: The checksum of the file that holds it.
        place: Where in that file.
        label: The output as a word or number; None where it is larger.
        source: The file or the call that it came from.
        by: The labelling function's name, or nothing.
        fed_at: In seconds since the epoch.
        fed_in: The version of the data that it came with.
        on: Whether models are trained on it.
    """

    number: int
    content: str
    input: str
    file: str
    place: int
    label: str | None
    source: str
    by: str
    fed_at: float = 0.0
    fed_in: int = 0
    on: bool = True
