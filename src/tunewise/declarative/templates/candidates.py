"""The candidates of a program: every registered model of its template that can be used here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import prod
from typing import Any

from tunewise.declarative.encoders.nodes import walk
from tunewise.declarative.models import CLASSES, NUMBERS, Data, Fitted, Model, Size
from tunewise.declarative.models.threads import threads, with_threads
from tunewise.declarative.schema import DataType, Program
from tunewise.declarative.templates.template import POWERS, Template
from tunewise.errors import TaskError, nearest
from tunewise.registry import Registry

MODELS = Registry("model", "tunewise.models", TaskError)
TEMPLATES = Registry("template", "tunewise.templates", TaskError)

PACKAGES = {"tasks": ("sklearn", "lightgbm", "onnx", "onnxruntime"), "torch": ("torch",)}
"""Packages that an extra brings; of another extra, the package of that name."""

USUAL = 1000
"""Examples that models are ordered by, the quickest first."""


@dataclass(frozen=True)
class Candidate:
    """A model that may be trained for a task: an arm of the scheduler.

    Attributes:
        name: The model's, and `@k=` with its normalisation where it has one.
        model: Ready to be fitted.
        normalisation: The k of `-x^2k + x^k`, or None for plain scaling.
    """

    name: str
    model: Model
    normalisation: float | None = None

    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """Train it, with one thread unless more are meant."""
        with with_threads(threads()):
            return self.model.fit(data, fraction=fraction, seed=seed, start=start)


def match(program: Program) -> Template:
    """The first template that fits.

    Raises:
        TaskError: Where none does.
    """
    for template in _templates():
        if template.matches(program):
            return template
    raise TaskError(f"no template fits {program}{nearest('', [t.name for t in _templates()])}")


def candidates(
    program: Program, settings: Mapping[str, Any] | None = None
) -> tuple[Candidate, ...]:
    """All candidates of a program, the quickest first; those whose extras are missing are not.

    Of a task's settings, models take those that are options of theirs.
    """
    template = match(program)
    size = size_of(program, USUAL)
    models = sorted(
        (made for made in _models(template, program) if _usable(made)),
        key=lambda model: (_made(model, None, settings).seconds(size), model.name),
    )
    powers = (None, *(POWERS if template.normalised else ()))
    plain = tuple(
        Candidate(_named(model.name, power), _made(model, power, settings), power)
        for power in powers
        for model in models
        if power is None or model.normalised
    )
    more = (
        (model.name, *each) for model in models for each in model.variants(settings or {}).items()
    )
    return (*plain, *(Candidate(f"{name}@{what}", made) for name, what, made in more))


def candidate(program: Program, name: str, settings: Mapping[str, Any] | None = None) -> Candidate:
    """The candidate of that name.

    Raises:
        TaskError: With the nearest name, where there is none.
    """
    known = {each.name: each for each in candidates(program, settings)}
    if name not in known:
        raise TaskError(f"unknown candidate {name!r}{nearest(name, known)}")
    return known[name]


def missing_extras(program: Program) -> dict[str, tuple[str, ...]]:
    """By extra that is not installed, the models that would be candidates with it."""
    lost: dict[str, tuple[str, ...]] = {}
    for model in _models(match(program), program):
        for extra in model.needs:
            if not installed(extra):
                lost[extra] = (*lost.get(extra, ()), model.name)
    return lost


def left_out(program: Program) -> list[str]:
    """A sentence for each extra without which some candidates are not offered."""
    said = []
    for extra, models in sorted(missing_extras(program).items()):
        what = ("PyTorch", "the networks") if extra == "torch" else (extra, ", ".join(models))
        said.append(f"without {what[0]} {what[1]} are left out: pip install 'tunewise[{extra}]'")
    return said


def size_of(program: Program, examples: int, length: int | None = None) -> Size:
    """The size of a training before any example is looked at."""
    inside, outside = program.input, program.output
    shape = inside.fields[0].shape if inside.fields else ()
    outputs = sum(prod(field.shape) for field in outside.fields)
    return Size(examples, shape or (1,), outputs, (length or 50) if _any_length(inside) else 1)


def length_of(program: Program, inputs: Sequence[Any]) -> int | None:
    """Steps, nodes or characters of the longest of these inputs; None where all are alike."""
    if not inputs or not _any_length(program.input):
        return None
    return max(_length(value, program.input.recursive) for value in inputs)


def _any_length(kind: DataType) -> bool:
    return bool(kind.recursive) or any(field.text for field in kind.fields)


def _length(value: Any, pointers: Sequence[str]) -> int:
    if not isinstance(value, Mapping):
        return len(value)
    if pointers:
        return sum(1 for _ in walk(value, pointers))
    return max(len(part) for part in value.values() if isinstance(part, str))


def _templates() -> list[Template]:
    found: list[Template] = [TEMPLATES.load(name) for name in TEMPLATES.names()]
    return sorted(found, key=lambda template: (template.order, template.name))


def _models(template: Template, program: Program) -> list[type[Model]]:
    wanted = _kinds(template, program)
    found: list[type[Model]] = [MODELS.load(name) for name in MODELS.names()]
    return [
        each
        for each in found
        if template.name in each.templates and wanted & {*each.outputs} and each.suits(program)
    ]


def _kinds(template: Template, program: Program) -> set[str]:
    """What may come out; of an undecided output classes as well as numbers."""
    field = program.output.single
    if field is None or len(field.shape) != 1:
        return {"tensors", "sequences"}
    if program.undecided:
        return {CLASSES, NUMBERS}
    return {CLASSES} if field.classes is not None else {NUMBERS}


def _made(model: type[Model], power: float | None, settings: Mapping[str, Any] | None) -> Model:
    given = settings or {}
    return model(power=power, **{name: given[name] for name in model.options if name in given})


def _usable(model: type[Model]) -> bool:
    return all(map(installed, model.needs))


def installed(extra: str) -> bool:
    """Whether all packages of an extra are there."""
    return all(find_spec(package) is not None for package in PACKAGES.get(extra, (extra,)))


def _named(name: str, power: float | None) -> str:
    return name if power is None else f"{name}@k={power:g}"
