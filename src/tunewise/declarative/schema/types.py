"""Python types generated from a program: dataclasses that need the standard library alone."""

from keyword import iskeyword

from tunewise.declarative.schema.program import DataType, Field, Program

_KIND = {"number": "float | None", "category": "str | None", "date": "str | None"}


def python_types(program: Program) -> str:
    """The source of the classes `Input` and `Output`."""
    return "\n\n".join(
        (
            _class("Input", program.input, output=False),
            _class("Output", program.output, output=True),
        )
    )


def _class(name: str, kind: DataType, *, output: bool) -> str:
    lines = ["@dataclass", f"class {name}:", f'    """{_described(kind)}"""', ""]
    single = kind.single
    if single is not None and single.columns:
        for place, column in enumerate(single.columns):
            identifier = _identifier(column.name, place)
            lines.append(f"    {identifier}: {_KIND.get(column.kind, 'str | None')} = None")
        names = [column.name for column in single.columns]
        fields = [_identifier(name, place) for place, name in enumerate(names)]
        pairs = ", ".join(f"{n!r}: self.{f}" for n, f in zip(names, fields, strict=True))
        lines += ["", "    def plain(self):", f"        return {{{pairs}}}"]
        return "\n".join(lines) + "\n"
    names = [_field_name(field, place, kind) for place, field in enumerate(kind.fields)]
    for each, field in zip(names, kind.fields, strict=True):
        lines.append(f"    {each}: {_annotation(field, output)}")
    for pointer in kind.recursive:
        lines.append(f'    {_identifier(pointer, 0)}: "{name} | None" = None')
    lines += ["", "    def plain(self):", *_plain(kind, names)]
    return "\n".join(lines) + "\n"


def _plain(kind: DataType, names: list[str]) -> list[str]:
    if kind.single is not None:
        return [f"        return self.{names[0]}"]
    keys = ["value"] if len(names) == 1 else list(kind.called())
    held = ", ".join(f"{key!r}: self.{name}" for key, name in zip(keys, names, strict=True))
    lines = [f"        plain = {{{held}}}"]
    for pointer in kind.recursive:
        attribute = _identifier(pointer, 0)
        lines.append(
            f"        plain[{pointer!r}] = None if self.{attribute} is None"
            f" else self.{attribute}.plain()"
        )
    return [*lines, "        return plain"]


def _annotation(field: Field, output: bool) -> str:
    if field.text or field.classes is not None:
        return "str"
    if not field.shape:
        return "float"
    return "list" if not output or field.shape != (1,) else "float"


def _field_name(field: Field, place: int, kind: DataType) -> str:
    if field.name is not None:
        return _identifier(field.name, place)
    return "value" if len(kind.fields) == 1 else f"field{place}"


def _identifier(name: str, place: int) -> str:
    plain = "".join(c if c.isalnum() else "_" for c in name).strip("_").lower()
    if not plain:
        plain = f"column{place}"
    return f"f_{plain}" if iskeyword(plain) or not plain.isidentifier() else plain


def _described(kind: DataType) -> str:
    from tunewise.declarative.schema.printing import object_form

    return object_form(kind).replace("\\", "\\\\").replace('"', "'")
