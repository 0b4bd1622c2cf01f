"""Expressions over the parameters of a config, as job files hold them.

They are read, never run as Python: only what is listed here can be said, so a job file from
somebody else can do no harm.
"""

import ast
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from tunewise.errors import JobFileError, nearest
from tunewise.format import config as one_line

Step: TypeAlias = Callable[[Mapping[str, Any]], Any]

_ARITHMETIC: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    # As floats: 9 ** 9 ** 9 in whole numbers would never end.
    ast.Pow: lambda a, b: math.pow(a, b),
}
_COMPARISONS: dict[type[ast.AST], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_SIGNS: dict[type[ast.AST], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "log": math.log,
    "log2": math.log2,
    "max": max,
    "min": min,
    "sqrt": math.sqrt,
}
_WORDS = {"true": True, "false": False, "null": None}
_LONGEST = 2000
_DEEPEST = 100
"""Parts inside of parts: each needs a few calls, of which Python makes about a thousand."""
_LARGEST = 10**300
"""Whole numbers beyond it have no float."""


class Inapplicable(JobFileError):
    """An expression names a parameter that does not apply to the config."""


class Expression:
    """A checked expression: call it with a config, get its value."""

    def __init__(self, text: str, names: Iterable[str]) -> None:
        """Read the text over these parameters; refuse unknown ones and all other Python."""
        self.text, self.names = text, tuple(names)
        parsed = _parsed(text)
        _refuse_deep(parsed, text)
        self._run = _Reader(text, self.names).step(parsed)

    def __call__(self, config: Mapping[str, Any]) -> Any:
        """The value for a config."""
        try:
            return self._run(config)
        except KeyError as error:
            raise inapplicable(self.text, error.args[0], config) from error
        except (TypeError, ValueError, ZeroDivisionError, OverflowError) as error:
            raise JobFileError(
                f"{self.text!r} has no value for the config {one_line(config)}: {error}"
            ) from error

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuilt from its text in another process."""
        return Expression, (self.text, self.names)

    def __repr__(self) -> str:
        """Its text."""
        return f"Expression({self.text!r})"


def inapplicable(text: str, name: str, config: Mapping[str, Any]) -> Inapplicable:
    """The error for a text that needs a parameter that a config does not have."""
    return Inapplicable(
        f"{text!r} needs {name!r}, which does not apply to the config {one_line(config)};"
        " say what holds there too, such as \"a if vm == 'small' else b\""
    )


class _Reader:
    """Turns the parts of one expression into functions of a config."""

    def __init__(self, text: str, names: tuple[str, ...]) -> None:
        self.text, self.names = text, names

    def step(self, node: ast.AST) -> Step:
        reader = getattr(self, f"_{type(node).__name__.lower()}", None)
        if reader is None:
            raise self._refuse(node)
        step: Step = reader(node)
        return step

    def _constant(self, node: ast.Constant) -> Step:
        value = node.value
        if value is not None and not isinstance(value, str | int | float):
            raise self._refuse(node)
        if isinstance(value, int) and abs(value) > _LARGEST:
            raise JobFileError("an expression has a number of more than 300 digits; expected fewer")
        return lambda config: value

    def _name(self, node: ast.Name) -> Step:
        name = node.id
        if name in self.names:
            return lambda config: config[name]
        if name in _WORDS:
            word = _WORDS[name]
            return lambda config: word
        raise JobFileError(f"{self.text!r} has an unknown parameter {name!r}" + self._meant(name))

    def _boolop(self, node: ast.BoolOp) -> Step:
        steps = [self.step(value) for value in node.values]
        quantify = all if isinstance(node.op, ast.And) else any
        return lambda config: quantify(step(config) for step in steps)

    def _unaryop(self, node: ast.UnaryOp) -> Step:
        if type(node.op) not in _SIGNS:
            raise self._refuse(node)
        sign, step = _SIGNS[type(node.op)], self.step(node.operand)
        return lambda config: sign(step(config))

    def _binop(self, node: ast.BinOp) -> Step:
        if type(node.op) not in _ARITHMETIC:
            raise self._refuse(node)
        combine = _ARITHMETIC[type(node.op)]
        left, right = self.step(node.left), self.step(node.right)
        return lambda config: _bounded(combine(_number(left(config)), _number(right(config))))

    def _compare(self, node: ast.Compare) -> Step:
        if not all(type(op) in _COMPARISONS for op in node.ops):
            raise self._refuse(node)
        signs = [_COMPARISONS[type(op)] for op in node.ops]
        steps = [self.step(part) for part in (node.left, *node.comparators)]
        if len(signs) == 1:
            compare, (left, right) = signs[0], steps
            return lambda config: compare(left(config), right(config))
        return lambda config: all(
            compare(left(config), right(config))
            for compare, left, right in zip(signs, steps, steps[1:], strict=False)
        )

    def _ifexp(self, node: ast.IfExp) -> Step:
        test, then, other = (self.step(part) for part in (node.test, node.body, node.orelse))
        return lambda config: then(config) if test(config) else other(config)

    def _list(self, node: "ast.List | ast.Tuple | ast.Set") -> Step:
        steps = [self.step(element) for element in node.elts]
        return lambda config: [step(config) for step in steps]

    _tuple = _set = _list

    def _call(self, node: ast.Call) -> Step:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _FUNCTIONS or node.keywords:
            raise JobFileError(
                f"{self.text!r} calls {ast.unparse(node.func)!r}; an expression may call"
                f" {', '.join(_FUNCTIONS)}"
            )
        function, steps = _FUNCTIONS[name], [self.step(argument) for argument in node.args]
        return lambda config: function(*(step(config) for step in steps))

    def _meant(self, name: str) -> str:
        # A word without quotes is the usual slip: vm != t2.small reads as parameters.
        return f"{nearest(name, self.names)} (text needs quotes: '{name}')"

    def _refuse(self, node: ast.AST) -> JobFileError:
        if isinstance(node, ast.Attribute):
            text = ast.unparse(node)
            return JobFileError(f"{self.text!r}: text needs quotes, such as '{text}'")
        shown = ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__
        return JobFileError(
            f"{self.text!r} says {shown!r}; an expression compares and calculates with"
            f" parameters, such as \"vm != 't2.small' or vms >= 4\""
        )


def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise JobFileError(f"an expression of {len(text)} letters; expected at most {_LONGEST}")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise JobFileError(
            f"{text!r} is not an expression; expected one such as \"vm != 't2.small' or vms >= 4\""
        ) from error


def _refuse_deep(node: ast.expr, text: str) -> None:
    level: list[ast.AST] = [node]
    for _ in range(_DEEPEST):
        level = [child for part in level for child in ast.iter_child_nodes(part)]
        if not level:
            return
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    raise JobFileError(
        f"{shown!r} has more than {_DEEPEST} parts inside of each other; expected fewer"
    )


def _bounded(value: Any) -> Any:
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise OverflowError("a number of more than 300 digits")
    return value


def _number(value: Any) -> Any:
    """Only numbers are calculated with: text times a number would fill the memory."""
    if not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    return value
