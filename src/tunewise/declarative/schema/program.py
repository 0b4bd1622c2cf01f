"""A program: what goes in and what comes out, checked when it is built."""

import re
from dataclasses import dataclass, replace
from math import prod

from tunewise.declarative.schema.printing import input_form, long_form, short_form
from tunewise.errors import ProgramError

KINDS = ("number", "category", "date", "text")
"""What a column of a table may hold."""

LARGEST = 2**24
"""Numbers in one tensor: 64 MB, an image of 2,300 by 2,300 pixels in three colours."""

_NAME = re.compile("[a-z0-9]+")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: As in the header of the table.
        kind: "number", "category", "date" or "text".
    """

    name: str
    kind: str

    def __post_init__(self) -> None:
        """Refuse kinds that nobody can encode."""
        if self.kind not in KINDS:
            raise ProgramError(f"a column is of kind {self.kind!r}; expected {', '.join(KINDS)}")
        if not self.name.strip():
            raise ProgramError("a column has no name; expected one character at least")


@dataclass(frozen=True)
class Field:
    """A tensor of constant size within an object.

    Attributes:
        name: None where the program gives none.
        shape: Its axes; empty for text and for a single number.
        classes: The labels, or how many there are where they have no names yet; None: no classes.
        columns: Names and kinds, for a table whose columns are not all numbers.
        says: "numbers" for an output that is no class, "text" for text, else nothing.
    """

    name: str | None
    shape: tuple[int, ...]
    classes: tuple[str, ...] | int | None = None
    columns: tuple[Column, ...] = ()
    says: str = ""

    def __post_init__(self) -> None:
        """Refuse what no value could fit."""
        if self.name is not None and not _NAME.fullmatch(self.name):
            raise ProgramError(f"a field is called {self.name!r}; expected letters a-z and digits")
        if any(axis < 1 for axis in self.shape):
            raise ProgramError(f"Tensor{list(self.shape)} has an axis below 1")
        if prod(self.shape) > LARGEST:
            raise ProgramError(
                f"Tensor{list(self.shape)} holds {prod(self.shape)} numbers; at most {LARGEST}"
            )
        if self.classes is not None or self.columns:
            self._check_one_axis()
        if self.says == "text" and self.shape:
            raise ProgramError(f"text has no size; Tensor{list(self.shape)} text has one")

    def _check_one_axis(self) -> None:
        what, count = ("columns", len(self.columns)) if self.columns else ("classes", self.width)
        if len(self.shape) != 1 or self.shape[0] != count:
            raise ProgramError(
                f"{count} {what} for Tensor{list(self.shape)}; expected Tensor[{count}]"
            )
        for names in (self.classes, [column.name for column in self.columns]):
            if not isinstance(names, int | None) and len(set(names)) < len(names):
                twice = next(name for name in names if list(names).count(name) > 1)
                raise ProgramError(f"{what} name {twice!r} twice")

    @property
    def width(self) -> int:
        """How many classes there are, 0 where the field is none."""
        return self.classes if isinstance(self.classes, int) else len(self.classes or ())

    @property
    def text(self) -> bool:
        """Whether it holds text of any length."""
        return self.says == "text"


@dataclass(frozen=True)
class DataType:
    """An object: tensors, and pointers to objects of the same type (chains and trees).

    Attributes:
        fields: Its tensors.
        recursive: The names of its pointers.
    """

    fields: tuple[Field, ...]
    recursive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse objects without content and names that stand for two things."""
        if not self.fields and not self.recursive:
            raise ProgramError("an object of nothing; expected a field at least")
        names = [*(field.name for field in self.fields if field.name), *self.recursive]
        for name in names:
            if not _NAME.fullmatch(name):
                raise ProgramError(f"a field is called {name!r}; expected letters a-z and digits")
            if names.count(name) > 1:
                raise ProgramError(f"the field {name!r} stands twice in one object")

    @property
    def single(self) -> Field | None:
        """Its only tensor, where it is nothing but that."""
        return self.fields[0] if len(self.fields) == 1 and not self.recursive else None

    def __str__(self) -> str:
        """As an input is written."""
        return input_form(self)

    def called(self) -> tuple[str, ...]:
        """A key for each field in values: its name, or its place."""
        return tuple(field.name or str(place) for place, field in enumerate(self.fields))


@dataclass(frozen=True)
class Program:
    """What goes in and what comes out. Its string is the shortest form that reads back the same.

    Attributes:
        input: The type of what goes in.
        output: The type of what comes out.
    """

    input: DataType
    output: DataType

    def __post_init__(self) -> None:
        """Refuse words on the wrong side."""
        if any(field.classes is not None or field.says == "numbers" for field in self.input.fields):
            raise ProgramError("an input is classes or numbers; only an output can say so")
        if any(field.columns for field in self.output.fields):
            raise ProgramError("an output has columns; only an input can have them")

    @property
    def undecided(self) -> bool:
        """Whether the output may be classes as well as numbers, so that examples decide."""
        field = self.output.single
        return field is not None and len(field.shape) == 1 and not _says(field)

    @property
    def labels(self) -> Field | None:
        """The output's field, where the output is one class of several."""
        field = self.output.single
        return field if field is not None and field.classes is not None else None

    def decided(self, classes: tuple[str, ...] | None) -> "Program":
        """The same program with these labels as its classes, or with numbers."""
        field = self.output.single
        assert field is not None
        if classes is None:
            told = replace(field, classes=None, says="numbers")
        else:
            told = replace(field, classes=classes, shape=(len(classes),), says="")
        return replace(self, output=DataType((told,)))

    def __str__(self) -> str:
        """The shortest form."""
        return short_form(self)

    def long(self) -> str:
        """The form of the published grammar, with our additions where they are needed."""
        return long_form(self)


def _says(field: Field) -> bool:
    return field.classes is not None or bool(field.says)
