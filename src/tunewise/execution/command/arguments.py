"""Where in a command a value is an argument and nothing else.

A program may read its words as it likes: a shell runs them, `ssh` and `watch` hand them to a
shell, `make` expands them. So there is no list here of what is dangerous, only of what is known to
be safe:

- a **number** means nothing to any interpreter, and may stand anywhere;
- any value may stand where it is **an argument of the user's own program**: after a script for
  Python, a shell or another interpreter that is known here, after a program that lies in the
  job's folder, or after a command of a package that was installed from a folder of this machine
  (`programs.py` says what a program is). The script stands literally in the command
  and is no option (`-c`, `+x`), so that no interpreter still looks for its script, or for options,
  when it comes to the value;
- a **plain** value (letters, digits and `_ . , : / + @ %` and dashes that do not come first) may
  also stand after a script that a known launcher runs, as in `torchrun train.py {optimizer}`.

Everything else is refused. Every value also reaches the command as an environment variable, which
nothing reads by itself.
"""

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError
from tunewise.execution.command.programs import (
    INTERPRETERS,
    Interpreter,
    Kind,
    interpreter,
    kind,
)
from tunewise.execution.command.template import INACTIVE, Field, Template

_PLAIN = re.compile(r"[A-Za-z0-9_.,:/=+@%][A-Za-z0-9_.,:/=+@%-]*")
_WORD = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.,:/+@%-]*")
"""Plain, and no assignment either: `make` and `env` take PATH=… for one."""

_SCRIPT = re.compile(r"[^-].*\.(py|sh|bash|R|r|jl|js|pl|rb|jar|lua|php)", re.DOTALL)
"""A word that names a script, which some other program runs."""

_LAUNCHERS = re.compile(
    "torchrun|accelerate|deepspeed|horovodrun|mpirun|mpiexec|srun|uv|poetry|pipenv|pdm|hatch|conda|"
    "mamba|micromamba|docker|podman|singularity|apptainer|ssh|java"
)
"""Programs that run a script which is written after them, with the words that follow it."""

_CODE = re.compile(
    r"-[A-Za-z]|-(exec|ok).*|--?(eval|exec|execute|command|code|print|require|import|load|module|"
    r"script|entrypoint|rcfile|init-file|shell)=?"
)
"""Options whose value may be run by some program: of those with one letter nobody knows."""

_PYTHONS = re.compile(r"(python|pypy)[23]\.\d+|site-packages|dist-packages")
"""Folders of modules that come with Python, or were installed into it."""

_OPTION = ("-", "+")
"""What options of interpreters begin with: a shell goes on to its script after `+x` too."""

_NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


_WRAPPERS = {
    "env": re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL),
    "nice": re.compile(r"-n|-?\d+|-n-?\d+|--adjustment=-?\d+"),
    "nohup": re.compile(r"(?!)"),
    "setsid": re.compile(r"(?!)"),
    "timeout": re.compile(r"\d+(\.\d+)?[smhd]?"),
}
"""Programs that only start another, and the words of their own that come before it."""


_OBEYED = re.compile(
    r"PATH|ENV|IFS|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|CDPATH|FPATH|HOME|SHELL|EDITOR|VISUAL|"
    r"PAGER|LESSOPEN|LESSCLOSE|TERMINFO|LOCPATH|GCONV_PATH|CLASSPATH|AWKPATH|AWKLIBPATH|MAKEFLAGS|"
    r"GNUMAKEFLAGS|MAKEFILES|PHPRC|XDG_\w+|(LD|DYLD|BASH|ZDOT|PYTHON|PERL|RUBY|GEM|BUNDLE|NODE|NPM|"
    r"LUA|TCL|GUILE|JULIA|R_|_?JAVA|JDK|PHP|GIT|SSH|CUDA_INJECTION).*",
    re.DOTALL,
)
"""Variables by which loaders, shells and interpreters find code, or are given some. A variable of
one's own for a training has another name."""


def is_number(text: str) -> bool:
    """Whether a text is a number as people and programs write it."""
    return bool(_NUMBER.fullmatch(text.removeprefix("-")))


def plain(text: str) -> bool:
    """Whether a text means nothing to any interpreter."""
    return bool(_PLAIN.fullmatch(text) or is_number(text))


def first_argument(words: Sequence[Template], folder: Path) -> int | None:
    """The first word that is surely an argument of the user's own program, if there is a place.

    It may be one behind the last word.
    """
    texts = _texts(words)
    at = _unwrapped(words)
    program = texts[at] if at < len(texts) else None
    if program is None:
        return None
    if (known := interpreter(program, folder)) is not None:
        return _after_the_script(texts, at + 1, known, folder)
    return at + 1 if kind(program, folder) is Kind.OWN_SCRIPT else None


def missing_script(words: Sequence[Template], folder: Path) -> str | None:
    """Why the script that an interpreter is to run cannot be found; None where it may be."""
    at, texts = first_argument(words, folder), _texts(words)
    if at is None or any(i.code.fullmatch(texts[at - 2] or "") for i in INTERPRETERS):
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
    for place, word in enumerate(words[:end]):
        for used in word.fields:
            if shell and values.get(used.name) is INACTIVE:
                continue  # an empty variable: nothing that could be run
            text = used.text(values)
            if not (plain(text) if shell else _safe(text, words, place, folder)):
                missing = None if shell else _missing_program(words, folder)
                raise ExecutionError(missing or _sentence(used, text, words, shell))


def refuse_obeyed(environment: Mapping[str, Template], values: Mapping[str, Any]) -> None:
    """Refuse text in variables by which programs find or get code that they run.

    Raises:
        ExecutionError: With the variable, the value, and the variable that has it anyway.
    """
    for name, template in environment.items():
        for used in template.fields if _OBEYED.fullmatch(name) else ():
            if not is_number(text := used.text(values)):
                raise ExecutionError(
                    f"{{{used.name}}} may become {_shown(text)} in the variable {name}, which"
                    " programs obey: it says what they run; give the variable another name, or"
                    f" read {variable(used.name)}"
                )


def _safe(text: str, words: Sequence[Template], place: int, folder: Path) -> bool:
    """Whether a value is nothing but an argument at a place before any that is surely one."""
    at = _unwrapped(words)
    program = _texts(words)[at] if at < len(words) else None
    if is_number(text) or program is None or place <= at:
        return is_number(text)
    launcher = _LAUNCHERS.fullmatch(os.path.basename(program))
    if interpreter(program, folder) is None and not launcher:
        own = kind(program, folder) is Kind.OWN_BINARY
        return own and _beside_the_options(text, words, place, at)
    return bool(_WORD.fullmatch(text)) and _after_a_script(words, place, at)


def _beside_the_options(text: str, words: Sequence[Template], place: int, at: int) -> bool:
    """Whether a program that reads options as most do would not take the value for code or one."""
    texts, word = _texts(words), words[place]
    ended = "--" in texts[at + 1 : place]
    before = "" if place == at + 1 else texts[place - 1] or ""
    first = word.pieces[0]
    behind = first if isinstance(first, str) else before
    option = not isinstance(first, str) and text.startswith(_OPTION)
    return ended or not (option or _CODE.fullmatch(behind))


def _after_a_script(words: Sequence[Template], place: int, at: int) -> bool:
    """Whether some program before the value has got its script, and nothing starts another."""
    texts = [_as_numbers(word) for word in words]
    script = False
    for i in range(at + 1, place):
        if _SCRIPT.fullmatch(texts[i]) or (texts[i - 1] == "-m" and not _of_python([texts[i]])):
            script = True
        elif _CODE.fullmatch(texts[i]) and len(texts[i]) > 2 or shutil.which(texts[i]):
            script = False
    literal = words[place].pieces[0]
    behind = literal if isinstance(literal, str) else texts[place - 1]
    return script and not _CODE.fullmatch(behind)


def _missing_program(words: Sequence[Template], folder: Path) -> str | None:
    """Why what would be a program of the folder is none: it is not there."""
    texts = _texts(words)
    at = _unwrapped(words)
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


def _unwrapped(words: Sequence[Template]) -> int:
    """Where the program stands behind those that only start it."""
    at, texts = 0, [_as_numbers(word) for word in words]
    while at < len(texts) and os.path.basename(texts[at]) in _WRAPPERS:
        own = _WRAPPERS[os.path.basename(texts[at])]
        at += 1
        while at < len(texts) and own.fullmatch(texts[at]):
            at += 1
    return at


def _as_numbers(word: Template) -> str:
    """The word with a number in the place of each field: anything else is refused there."""
    return "".join(piece if isinstance(piece, str) else "0" for piece in word.pieces)


def _after_the_script(
    texts: Sequence[str | None], at: int, known: Interpreter, folder: Path
) -> int | None:
    """The word after the script, whether that is a file or stands in the command itself."""
    while at < len(texts) and known.flags.fullmatch(texts[at] or ""):
        at += 1
    if at < len(texts) and known.code.fullmatch(texts[at] or ""):
        module, at = texts[at] == "-m", at + 1
        if module and not _of_the_folder(texts[at : at + 1], folder):
            return None
    elif _comes_with_python(texts[at : at + 1], folder):
        return None
    script = texts[at] if at < len(texts) else None
    return None if script is None or script.startswith(_OPTION) else at + 1


def _comes_with_python(script: Sequence[str | None], folder: Path) -> bool:
    """Whether the file comes with Python or a package: `timeit.py` runs what it is given."""
    files = [(folder / name).resolve() for name in script if name and "\0" not in name]
    return any(_PYTHONS.fullmatch(part) for file in files for part in file.parent.parts)


def _of_the_folder(module: Sequence[str | None], folder: Path) -> bool:
    """Whether `python -m` would find a module there, which is no other's."""
    places = [folder / (name or "").replace(".", "/") for name in module]
    there = any(place.is_dir() or place.with_suffix(".py").is_file() for place in places)
    return there and not _of_python(module)


def _of_python(module: Sequence[str | None]) -> bool:
    """Whether a module comes with Python: `python -m timeit` runs what it is given."""
    return any((name or "").partition(".")[0] in sys.stdlib_module_names for name in module)


def _shown(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:57]!r}..."


def _sentence(used: Field, text: str, words: Sequence[Template], shell: bool) -> str:
    shown = _shown(text)
    instead = f'"${variable(used.name)}"'
    if shell:
        return (
            f"{{{used.name}}} may become {shown}, which a shell could run; write {instead} in the"
            " script instead"
        )
    program = "the program" if words[0].fields else repr(words[0].fill({}))
    return (
        f"{{{used.name}}} may become {shown}, which {program} could read as a command or an option;"
        f" pass it to a script of your own, such as python train.py {{{used.name}}}, or a command"
        " of your package, installed from its folder (pip install -e .), or read it from the"
        f" environment variable {variable(used.name)}"
    )
