"""Templates: the table of programs and the workloads that they are, as data.

The first row that fits is taken. A plugin's template says by `order` where it stands.
"""

import re
from dataclasses import dataclass

from tunewise.declarative.schema import DataType, Program
from tunewise.errors import ProgramError

POWERS = (0.2, 0.5)
"""The k of the normalisations `-x^2k + x^k` that are candidates beside plain scaling.

Small ones spread dark values, as images with a few bright points need it.
"""

_TYPE = re.compile(r"\{\[(.*)\], \[(.*)\]\}")
_ITEM = re.compile(r"Tensor\[[^\]]*\]|[^,\s]+")


@dataclass(frozen=True)
class Template:
    """A row of the table.

    Attributes:
        name: Models say by it that they are its candidates.
        order: Rows are tried from the lowest.
        input: The type of what goes in. Capital letters are any number, small ones any name, and
            `*` at the end of a list any more of them.
        output: The type of what comes out.
        workload: What people call it.
        normalised: Whether tensors may be normalised in several ways, each a candidate.
    """

    name: str
    order: float
    input: str
    output: str
    workload: str
    normalised: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no type."""
        for text in (self.input, self.output):
            if not _TYPE.fullmatch(text):
                raise ProgramError(
                    f"template {self.name!r} has {text!r}; expected a type such as"
                    " {[Tensor[A], *], [a]}"
                )

    def matches(self, program: Program) -> bool:
        """Whether a program is of this form."""
        return _fits(self.input, program.input) and _fits(self.output, program.output)


def _fits(pattern: str, found: DataType) -> bool:
    parts = _TYPE.fullmatch(pattern)
    assert parts is not None
    fields = [None if field.text else len(field.shape) for field in found.fields]
    wanted = [item if item == "*" else item.count(",") + 1 for item in _ITEM.findall(parts[1])]
    return _starts(wanted, fields) and _starts(
        [item if item == "*" else 0 for item in _ITEM.findall(parts[2])],
        [0 for _ in found.recursive],
    )


def _starts(wanted: list[int | str], found: list[int | None]) -> bool:
    """Whether a list is as wanted, where `*` is any rest."""
    if wanted and wanted[-1] == "*":
        wanted, found = wanted[:-1], found[: len(wanted) - 1]
    return wanted == found


images = Template(
    "images",
    1,
    "{[Tensor[A,B,C]], []}",
    "{[Tensor[D]], []}",
    "image or tensor classification",
    normalised=True,
)
recovery = Template(
    "recovery",
    2,
    "{[Tensor[A,B,C]], []}",
    "{[Tensor[D,E,F]], []}",
    "image or tensor recovery",
    normalised=True,
)
series = Template(
    "series", 3, "{[Tensor[A], *], [a]}", "{[Tensor[D]], []}", "series classification"
)
translation = Template(
    "translation", 4, "{[Tensor[A], *], [a]}", "{[Tensor[B], *], [b]}", "series translation"
)
trees = Template("trees", 5, "{[Tensor[A], *], [a, c]}", "{[Tensor[B]], []}", "tree classification")
tables = Template("tables", 6, "{[Tensor[A]], []}", "{[Tensor[B]], []}", "tables")
general = Template("general", 7, "{[*], [*]}", "{[Tensor[B]], []}", "general classification")
autoencoder = Template("autoencoder", 8, "{[*], [*]}", "{[*], [*]}", "general auto-encoder")
