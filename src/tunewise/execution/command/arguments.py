"""Where in a command a value is an argument and nothing else.

A program may read its words as it likes: a shell runs them, `ssh` and `watch` hand them to a
shell, `make` expands them. So there is no list here of what is dangerous, only of what is known to
be safe:

- a **plain** value (a number, or letters, digits and `_ . , : / = + @ %` and dashes that do not
  come first) means nothing to any interpreter, and may stand anywhere;
- any other value may stand only where it is **an argument of the user's own program**: after a
  script for Python, a shell or another interpreter that is known here, or after a program that lies
  in the job's folder. The script stands literally in the command and is no option (`-c`, `+x`), so
  that no interpreter still looks for its script, or for options, when it comes to the value.

Everything else is refused. Every value also reaches the command as an environment variable, which
nothing reads by itself.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError
from tunewise.execution.command.template import INACTIVE, Field, Template

_PLAIN = re.compile(r"[A-Za-z0-9_.,:/=+@%][A-Za-z0-9_.,:/=+@%-]*")
_OPTION = ("-", "+")
"""What options of interpreters begin with: a shell goes on to its script after `+x` too."""

_NUMBER = re.compile(r"-(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class _Interpreter:
    """A program that runs a file, or a text behind a flag, and hands on the words after it."""

    name: re.Pattern[str]
    flags: re.Pattern[str]
    code: re.Pattern[str]


def _interpreter(name: str, flags: str, code: str) -> _Interpreter:
    return _Interpreter(re.compile(name), re.compile(flags), re.compile(code))


_INTERPRETERS = (
    _interpreter(r"(python|pypy)[0-9.]*", r"-[BEIOPSsuqvx]+", r"-[cm]"),
    _interpreter(r"sh|bash|dash|ksh|zsh", r"-[eux]+", r"-[eux]*c"),
    # Both look for options after the text of -e as well: a value could be one more -e.
    _interpreter(r"perl|ruby", r"-w", r"(?!)"),
    _interpreter(r"Rscript|julia|node", r"(?!)", r"(?!)"),
)
_WRAPPERS = {
    "env": re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL),
    "nice": re.compile(r"-n|-?\d+|-n-?\d+|--adjustment=-?\d+"),
    "nohup": re.compile(r"(?!)"),
    "setsid": re.compile(r"(?!)"),
    "timeout": re.compile(r"\d+(\.\d+)?[smhd]?"),
}
"""Programs that only start another, and the words of their own that come before it."""


def plain(text: str) -> bool:
    """Whether a text means nothing to any interpreter."""
    return bool(_PLAIN.fullmatch(text) or _NUMBER.fullmatch(text))


def first_argument(words: Sequence[Template], folder: Path) -> int | None:
    """The first word that is surely an argument of the user's own program, if there is a place.

    It may be one behind the last word.
    """
    texts = _texts(words)
    at = _unwrapped(texts)
    program = texts[at] if at < len(texts) else None
    if program is None:
        return None
    if _lies_in(program, folder):
        return at + 1
    known = [i for i in _INTERPRETERS if i.name.fullmatch(os.path.basename(program))]
    return _after_the_script(texts, at + 1, known[0]) if known else None


def missing_script(words: Sequence[Template], folder: Path) -> str | None:
    """Why the script that an interpreter is to run cannot be found; None where it may be."""
    at, texts = first_argument(words, folder), _texts(words)
    if at is None or any(i.code.fullmatch(texts[at - 2] or "") for i in _INTERPRETERS):
        return None
    script = texts[at - 1] or ""
    return None if (folder / script).exists() else _not_there("script", script, folder)


def _not_there(kind: str, file: str, folder: Path) -> str:
    return f"the {kind} {file!r} was not found in {str(folder.absolute())!r}"


def _texts(words: Sequence[Template]) -> list[str | None]:
    """The words without fields; None for the others."""
    return [None if word.fields else word.fill({}) for word in words]


def refuse_code(
    words: Sequence[Template], values: Mapping[str, Any], folder: Path, *, shell: bool
) -> None:
    """Refuse values that stand where a program could read them as anything but a value.

    Raises:
        ExecutionError: With the value, and where it may stand instead.
    """
    end = None if shell else first_argument(words, folder)
    for used in (field for word in words[:end] for field in word.fields):
        if shell and values.get(used.name) is INACTIVE:
            continue  # an empty variable: nothing that could be run
        text = used.text(values)
        if not plain(text):
            missing = None if shell else _missing_program(words, folder)
            raise ExecutionError(missing or _sentence(used, text, words, shell))


def _missing_program(words: Sequence[Template], folder: Path) -> str | None:
    """Why what would be a program of the folder is none: it is not there."""
    texts = _texts(words)
    at = _unwrapped(texts)
    program = (texts[at] if at < len(texts) else None) or ""
    if os.sep not in program or "\0" in program:
        return None
    file = (folder / program).resolve()
    if file.exists() or not file.is_relative_to(folder.resolve()):
        return None
    return _not_there("program", program, folder)


def variable(name: str) -> str:
    """The environment variable that a parameter's value, or a part of it, is found in."""
    return f"TUNEWISE_PARAM_{name.replace('.', '_').upper()}"


def variables(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    """A variable for each of the names; none where two would share one, or none can hold it."""
    found: dict[str, str] = {}
    shared = {v for v in map(variable, names) if [variable(n) for n in names].count(v) > 1}
    for name in names:
        text = Field(name).text(values)
        if variable(name) not in shared and _possible(text):
            found[variable(name)] = text
    return found


def refuse_impossible(fields: Sequence[Field], values: Mapping[str, Any]) -> None:
    """Refuse values that the system cannot hand to any program."""
    for used in fields:
        if not _possible(text := used.text(values)):
            raise ExecutionError(
                f"{{{used.name}}} may become {text!r}, which no program can be given; expected text"
                " without the character 0 and without halves of characters"
            )


def _possible(text: str) -> bool:
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _unwrapped(texts: Sequence[str | None]) -> int:
    """Where the program stands behind those that only start it."""
    at = 0
    while at < len(texts) and os.path.basename(texts[at] or "") in _WRAPPERS:
        own = _WRAPPERS[os.path.basename(texts[at] or "")]
        at += 1
        while at < len(texts) and own.fullmatch(texts[at] or ""):
            at += 1
    return at


def _after_the_script(texts: Sequence[str | None], at: int, known: _Interpreter) -> int | None:
    """The word after the script, whether that is a file or stands in the command itself."""
    while at < len(texts) and known.flags.fullmatch(texts[at] or ""):
        at += 1
    if at < len(texts) and known.code.fullmatch(texts[at] or ""):
        module, at = texts[at] == "-m", at + 1
        if module and _of_python(texts[at : at + 1]):
            return None
    script = texts[at] if at < len(texts) else None
    return None if script is None or script.startswith(_OPTION) else at + 1


def _of_python(module: Sequence[str | None]) -> bool:
    """Whether a module comes with Python: `python -m timeit` runs what it is given."""
    return any((name or "").partition(".")[0] in sys.stdlib_module_names for name in module)


def _lies_in(program: str, folder: Path) -> bool:
    if os.sep not in program or "\0" in program:
        return False
    file, around = (folder / program).resolve(), folder.resolve()
    return file.is_relative_to(around) and file.is_file()


def _sentence(used: Field, text: str, words: Sequence[Template], shell: bool) -> str:
    shown = repr(text) if len(text) <= 60 else f"{text[:57]!r}..."
    instead = f'"${variable(used.name)}"'
    if shell:
        return (
            f"{{{used.name}}} may become {shown}, which a shell could run; write {instead} in the"
            " script instead"
        )
    program = "the program" if words[0].fields else repr(words[0].fill({}))
    return (
        f"{{{used.name}}} may become {shown}, which {program} could read as a command or an option;"
        f" pass it to a script of your own, such as python train.py {{{used.name}}}, or read it"
        f" from the environment variable {variable(used.name)}"
    )
