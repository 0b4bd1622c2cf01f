"""What a program is: an interpreter, a program of one's own, or one of the system's.

That is decided by what the file is, and then by where it lies: a copy of `sh` in the job's folder
is a shell, and so is the system's own above which the command runs.
"""

import filecmp
import os
import re
import shutil
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path

from tunewise.execution.command.entry_points import of_an_own_package


@dataclass(frozen=True)
class Interpreter:
    """A program that runs a file, or a text behind a flag, and hands on the words after it."""

    name: re.Pattern[str]
    flags: re.Pattern[str]
    code: re.Pattern[str]


def _interpreter(name: str, flags: str, code: str) -> Interpreter:
    return Interpreter(re.compile(name), re.compile(flags), re.compile(code))


INTERPRETERS = (
    _interpreter(r"(python|pypy)[0-9.]*", r"-[BEIOPSsuqvx]+", r"-[cm]"),
    _interpreter(r"sh|bash|dash|ksh|zsh", r"-[eux]+", r"-[eux]*c"),
    # Both look for options after the text of -e as well: a value could be one more -e.
    _interpreter(r"perl[0-9.]*|ruby[0-9.]*", r"-w", r"(?!)"),
    _interpreter(r"Rscript|julia|node|nodejs", r"(?!)", r"(?!)"),
)

_OTHERS = re.compile(
    r"(busybox|toybox|[gmn]?awk|sed|lua(jit)?|php|tclsh|wish|expect|gdb|g?make|m4|octave|sqlite|R|"
    r"guile|racket|sbcl|clisp|ocaml|erl|elixir|iex|scala|groovy|java|jshell|deno|bun|ts-node|pwsh|"
    r"fish|t?csh|ash|mksh|yash|rbash|xonsh|nu|i?python|bpython|irb|env|xargs|find|ssh|sudo|doas|su|"
    r"watch|script|parallel|strace)[0-9.]*"
)
"""Programs that run what they are given, and take scripts and options in ways of their own."""

_STARTS_OTHERS = re.compile(
    rb"\0(f?exec[lv][a-z]*|posix_spawnp?|system|popen|CDPATH"
    rb"|Py_[A-Za-z]*Main|perl_run|ruby_[a-z_]+|luaL_[a-z]+|Tcl_Main[A-Za-z]*)[\0=]"
)
"""What a compiled program has inside that starts others, is a shell, or holds an interpreter. It
may run a word that it is given, as `env`, `find` and every interpreter do, whatever its name and
however its file was changed. A program that trains needs none of these."""


class Kind(Enum):
    """What is known of a program."""

    OWN_SCRIPT = "a script in the job's folder, or of a package of one's own"
    OWN_BINARY = "a compiled program in the job's folder, which starts no others"
    SYSTEM = "any other program"


def interpreter(program: str, folder: Path) -> Interpreter | None:
    """The interpreter that the program is, by any name that its file has."""
    found = [i for name in _names(program, folder) for i in INTERPRETERS if i.name.fullmatch(name)]
    return found[0] if found else None


def kind(program: str, folder: Path) -> Kind:
    """What a program is that is no known interpreter."""
    file = _file(program, folder)
    others = any(_OTHERS.fullmatch(name) for name in _names(program, folder))
    if not others and file is not None and _of_an_own_package(file, folder):
        return Kind.OWN_SCRIPT
    if others or file is None or not _lies_in(file, folder) or _installed(file):
        return Kind.SYSTEM
    start = _start(file)
    if start.startswith(b"#!"):
        return Kind.OWN_SCRIPT if _well_known(start, folder) else Kind.SYSTEM
    if not os.access(file, os.X_OK):
        return Kind.OWN_SCRIPT
    about = file.stat()
    starts_others = _starts_others(str(file), about.st_size, about.st_mtime_ns)
    return Kind.SYSTEM if starts_others else Kind.OWN_BINARY


@lru_cache(maxsize=64)
def _starts_others(file: str, size: int, changed: int) -> bool:
    with open(file, "rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as content:
        return _STARTS_OTHERS.search(content) is not None


def _file(program: str, folder: Path) -> Path | None:
    """The file that would run, with links followed."""
    if "\0" in program:
        return None
    found = folder / program if os.sep in program else shutil.which(program)
    file = Path(found).resolve() if found else None
    return file if file is not None and file.is_file() else None


def _names(program: str, folder: Path) -> list[str]:
    """The name that is written, that of the file behind it, and that of what it is a copy of."""
    file = _file(program, folder)
    names = [os.path.basename(program)]
    if file is not None:
        about = file.stat()
        names += [file.name, *_originals(str(file), about.st_size, about.st_mtime_ns)]
    return names


@lru_cache(maxsize=64)
def _originals(file: str, size: int, changed: int) -> tuple[str, ...]:
    """Names of the programs on PATH with the same content."""
    if not os.access(file, os.X_OK):
        return ()
    same: list[str] = []
    for place in {*os.get_exec_path(), "/bin", "/usr/bin"}:
        try:
            entries = [entry for entry in os.scandir(place) if entry.is_file()]
            alike = [entry for entry in entries if entry.stat().st_size == size]
            same += [entry.name for entry in alike if filecmp.cmp(entry.path, file, shallow=False)]
        except OSError:
            continue  # a folder on PATH that is not there, or may not be read
    return tuple(same)


def _of_an_own_package(file: Path, folder: Path) -> bool:
    start = _start(file)
    return start.startswith(b"#!") and _well_known(start, folder) and of_an_own_package(file)


def _lies_in(file: Path, folder: Path) -> bool:
    return file.is_relative_to(folder.resolve())


def _installed(file: Path) -> bool:
    """Whether it came with the system or with a package: it lies on PATH, or beside a Python."""
    on_path = any(Path(place).resolve() == file.parent for place in os.get_exec_path() if place)
    about = file.stat()
    copied = _originals(str(file), about.st_size, about.st_mtime_ns)
    return on_path or bool(copied) or (file.parent.parent / "pyvenv.cfg").exists()


def _start(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(200)
    except OSError:
        return b""


def _well_known(start: bytes, folder: Path) -> bool:
    """Whether the first line of a script names an interpreter that hands on all words after it."""
    first = start.split(b"\n")[0][2:].decode(errors="replace").split()
    if first and os.path.basename(first[0]) == "env":
        first = first[2:] if first[1:2] == ["-S"] else first[1:]
    known = interpreter(first[0], folder) if first else None
    return known is not None and all(known.flags.fullmatch(flag) for flag in first[1:])
