"""Turns a page into a Python script that does what its reader would do.

- `python` blocks run, one after the other, in one script;
- a block with `title="name"` is written to that file first, whatever its language;
- `bash` blocks run in the same folder, and must succeed; where they only call `tunewise` it runs
  within the script, since starting it takes longer than most of what it does;
- `console` blocks set up a machine: they are not run, and may only hold `ALLOWED_SET_UP`;
- `text` blocks show output, formulas or trees: they are not run.

Any other block is an error, so none is skipped by accident. The script has the page's own line
numbers, so a traceback names the line of the page.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

ALLOWED_SET_UP = ("pip install ", "make ", "git clone ", "cd ", "pre-commit ", "apt-get ")
_OPENING = re.compile(r"^(?P<indent> *)(?P<fence>```+|~~~+) *(?P<language>[\w.+-]*)(?P<rest>.*)$")
_TITLE = re.compile(r'title="(?P<title>[^"]+)"')


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, title, first line of text (from 1) and text."""

    language: str
    title: str
    line: int
    text: str


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    lines = page.splitlines()
    number = 0
    while number < len(lines):
        opening = _OPENING.match(lines[number])
        number += 1
        if opening is None:
            continue
        start = number
        while lines[number].strip() != opening["fence"]:
            number += 1
        title = _TITLE.search(opening["rest"])
        text = dedent("\n".join(lines[start:number])) + "\n"
        yield Block(opening["language"], title["title"] if title else "", start + 1, text)
        number += 1


def script(page: str) -> str:
    """The page as a Python script with the same line numbers."""
    lines = [""] * (page.count("\n") + 2)
    for block in blocks(page):
        for offset, line in enumerate(_statements(block)):
            lines[block.line - 1 + offset] = line
    return "\n".join(lines) + "\n"


def _statements(block: Block) -> list[str]:
    if block.title:
        return [f"__import__('pathlib').Path({block.title!r}).write_text({block.text!r})"]
    if block.language == "python":
        return block.text.splitlines()
    if block.language == "bash" and (commands := _plain(block.text)):
        return [f"__import__('tests.docs.commands', fromlist=['run']).run({commands!r})"]
    if block.language == "bash":
        command = ["bash", "-euo", "pipefail", "-c", block.text]
        return [f"__import__('subprocess').run({command!r}, check=True)"]
    if block.language == "console":
        _refuse_other_commands(block)
    elif block.language != "text":
        raise AssertionError(
            f"line {block.line}: a {block.language or 'nameless'} block without a title;"
            " make it python, bash, console or text, or give it a title"
        )
    return []


def _plain(text: str) -> list[list[str]] | None:
    """The words of each line where all are `tunewise` alone: no shell is needed for these."""
    lines = text.replace("\\\n", " ").splitlines()
    words = [shlex.split(line, comments=True) for line in lines]
    unquoted = re.sub(r'"[^"$`]*"', "", text)
    if any(mark in unquoted for mark in "|&;<>$`*~("):
        return None
    if any(found[:1] != ["tunewise"] for found in words if found):
        return None
    return [found for found in words if found]


def _refuse_other_commands(block: Block) -> None:
    for line in block.text.splitlines():
        if line.strip() and not line.startswith(ALLOWED_SET_UP):
            raise AssertionError(f"line {block.line}: {line!r} in a console block is not run")
