"""The package's source as the laws see it: rooms in DESIGN's order, modules, their imports."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "tunewise"

ROOMS = (
    "errors",
    "registry",
    "format",
    "screen",
    "space",
    "problem",
    "history",
    "surrogate",
    "belief",
    "acquisition",
    "filtering",
    "strategy",
    "tenancy",
    "data",
    "study",
    "execution",
    "storage",
    "online",
    "paramserver",
    "declarative",
    "job",
    "benchmark",
    "report",
    "integrations",
    "service",
    "cli",
    "testing",
)
PURE = (
    "format",
    "space",
    "problem",
    "history",
    "surrogate",
    "belief",
    "acquisition",
    "filtering",
    "strategy",
    "tenancy",
    "data",
)
SURFACE = "tunewise"
"""The package's own `__init__`: it gathers the public names, so it stands outside the rooms."""


def modules(*rooms: str) -> list[Path]:
    """The source files of the rooms (of all, when none is named), sorted."""
    files = sorted(SOURCE.rglob("*.py"))
    return [file for file in files if not rooms or room_of(file) in rooms]


def room_of(file: Path) -> str:
    """The room a source file belongs to."""
    place = file.relative_to(SOURCE).parts
    if place[0] in ("__init__.py", "__main__.py"):
        return SURFACE
    return place[0].removesuffix(".py")


def name_of(file: Path) -> str:
    """A short name for a source file, to tell cases apart."""
    return str(file.relative_to(SOURCE))


@cache
def tree(file: Path) -> ast.Module:
    """The file, parsed."""
    return ast.parse(file.read_text(encoding="utf-8"), filename=str(file))


@cache
def nodes(file: Path) -> tuple[ast.AST, ...]:
    """All nodes of the file: several laws look at each of them."""
    return tuple(ast.walk(tree(file)))


def forget() -> None:
    """Give back what was parsed: it is large, and the tests after the laws fork."""
    tree.cache_clear()
    nodes.cache_clear()


def imports(file: Path) -> Iterator[tuple[str, int]]:
    """Every module the file imports, at the top or late, by name or by string, with its line."""
    package = [SURFACE, *file.relative_to(SOURCE).parent.parts]
    for node in nodes(file):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((f"{module}.{alias.name}", node.lineno) for alias in node.names)
        elif isinstance(node, ast.Call) and called(node) in (
            "import_module",
            "__import__",
            "optional",
        ):
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value, node.lineno


def called(node: ast.Call) -> str:
    """The last name of what is called: `c` for `a.b.c()`."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def dotted(node: ast.expr) -> str:
    """`a.b.c` for the expression of that form, empty for any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (base := dotted(node.value)):
        return f"{base}.{node.attr}"
    return ""
