"""Every command in the documentation that measures something can be given as it is written."""

import re
from collections.abc import Iterator

import pytest

from tests.laws.source import ROOT

COMMAND = re.compile(r"-m (benchmarks\.\w+)((?:\\\n|[^\n`])*)")


def commands() -> Iterator[tuple[str, str, str]]:
    """The page, the module and the words of each command."""
    pages = [
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "benchmarks").glob("*.md")),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
    ]
    for page in pages:
        for module, words in COMMAND.findall(page.read_text(encoding="utf-8")):
            yield page.name, module, words


def source(module: str) -> str:
    place = ROOT.joinpath(*module.split("."))
    files = sorted(place.glob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


@pytest.mark.parametrize(
    ("page", "module", "words"), sorted(set(commands())), ids=lambda value: str(value)[:40]
)
def test_a_command_names_a_benchmark_and_options_that_it_has(
    page: str, module: str, words: str
) -> None:
    text = source(module)
    for option in re.findall(r"(?<!\S)--[\w-]+", words):
        assert f'"{option}"' in text, f"{page}: {module} has no option {option}"


@pytest.mark.parametrize("module", sorted({module for _, module, _ in commands()}))
def test_strategies_that_a_command_races_exist(module: str) -> None:
    from tunewise.benchmark.entrants import entrants

    for _, named, words in commands():
        found = re.search(r"--strategies (?:\"([^\"]+)\"|'([^']+)'|(\S+))", words)
        if named == module and found:
            asked = found[1] or found[2] or found[3]
            assert entrants(asked.replace("\\\n", ""))
