"""Files and folders: by their endings, each folder of images or texts being a class."""

import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, NamedTuple

from tunewise.declarative.examples.loading import arrays, images, tables
from tunewise.declarative.examples.raw import Found, Notes, Raw, Refused
from tunewise.declarative.schema.program import Program
from tunewise.errors import TaskError

TABLES = {".csv": tables.read_csv, ".tsv": tables.read_csv, ".parquet": tables.read_parquet}
TEXTS = (".txt", ".md", ".text")
SOUNDS = (".wav",)
SINGLE = (*images.SUFFIXES, *TEXTS, *SOUNDS)
KNOWN = (*TABLES, ".npz", ".npy", ".jsonl", ".ndjson", ".json", ".zip", *SINGLE)

SHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
"""Spreadsheets, which are not read."""

SYSTEM = ("Thumbs.db", "desktop.ini")
"""Files that Windows leaves in folders."""

LARGEST = 200_000_000
"""Bytes of one image, text or sound."""

_BROKEN = (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError)


class Member(NamedTuple):
    """A file of a folder or an archive: its name, its place below the outermost, its content."""

    name: PurePath
    parts: tuple[str, ...]
    read: Callable[[], bytes]

    @property
    def is_inside(self) -> bool:
        """Whether its name leads nowhere else."""
        return not self.name.is_absolute() and ".." not in self.name.parts


def members(root: Path) -> list[Member]:
    """The files below a folder."""
    inside = [(file, file.relative_to(root)) for file in files_below(root)]
    return [Member(name, name.parts, _reader(file)) for file, name in inside]


def from_path(path: Path, program: Program, label: str | None, notes: Notes) -> Iterator[Found]:
    """All pairs below a path."""
    if path.is_dir():
        yield from _folder(path, program, label, notes)
        return
    suffix = _checked(path)
    if suffix in TABLES:
        yield from tables.pairs(TABLES[suffix](path), program, label, path.name, notes)
    elif suffix == ".npz":
        yield from arrays.read_npz(path)
    elif suffix == ".zip":
        yield from _archive(path, program, notes)
    elif suffix in (".jsonl", ".ndjson", ".json"):
        yield from arrays.read_lines(path, label)
    else:
        raise TaskError(f"{path.name} has no label; put it into a folder that is called after it")


def inputs_of(path: Path, program: Program, label: str | None, notes: Notes) -> Iterator[Found]:
    """All inputs of a path; answers that stand beside them are passed over."""
    if path.is_dir():
        for file in files_below(path):
            yield _one(str(file.relative_to(path)), file.suffix, _reader(file), program, notes)
        return
    suffix = _checked(path)
    if suffix == ".zip":
        with opened(path) as packed:
            for member in packed:
                named = str(member.name), member.name.suffix
                yield _one(*named, member.read, program, notes)
    elif suffix in TABLES:
        yield from tables.unlabelled(TABLES[suffix](path), program, label, path.name)
    elif suffix in (".npz", ".npy"):
        yield from arrays.read_inputs(path)
    elif suffix in (".jsonl", ".ndjson", ".json"):
        yield from arrays.read_lines(path, label, labelled=False)
    else:
        yield _one(path.name, suffix, _reader(path), program, notes)


def _checked(path: Path) -> str:
    if not path.exists():
        raise TaskError(f"there is no file or folder {str(path)!r}")
    suffix = path.suffix.lower()
    if suffix in SHEETS:
        raise TaskError(f"{path.name!r} is a spreadsheet; save it as CSV")
    if suffix not in KNOWN:
        raise TaskError(f"{path.name!r} is of no known kind; expected {', '.join(KNOWN)}")
    return suffix


def _folder(root: Path, program: Program, label: str | None, notes: Notes) -> Iterator[Found]:
    if _is_picture(program) and (root / "input").is_dir() and (root / "output").is_dir():
        yield from _two_folders(root, program, notes)
        return
    found = False
    for file in files_below(root):
        found, inside = True, file.relative_to(root)
        suffix = file.suffix.lower()
        if suffix in SINGLE and len(inside.parts) > 1:
            one = _one(str(inside), suffix, _reader(file), program, notes)
            yield one if isinstance(one, Refused) else Raw(one.where, one.input, inside.parts[0])
        elif suffix in SINGLE:
            yield Refused(str(inside), "it is in no folder that is called after its class")
        elif suffix in KNOWN:
            yield from _whole(file, program, label, notes)
        else:
            yield Refused(str(inside), f"a file of an unknown kind; expected {', '.join(KNOWN)}")
    if not found:
        raise TaskError(f"the folder {str(root)!r} is empty")


def _whole(file: Path, program: Program, label: str | None, notes: Notes) -> Iterator[Found]:
    try:
        yield from from_path(file, program, label, notes)
    except TaskError as error:
        yield Refused(file.name, str(error))


def _two_folders(root: Path, program: Program, notes: Notes) -> Iterator[Found]:
    """Pictures and what becomes of them, by the same names in `input` and `output`."""
    field = program.output.fields[0]
    for file in files_below(root / "input"):
        name = file.relative_to(root / "input")
        other = root / "output" / name
        one = _one(str(name), file.suffix, _reader(file), program, notes)
        if isinstance(one, Refused):
            yield one
        elif not other.is_file() or other.is_symlink():
            yield Refused(str(name), "there is no such file in 'output'")
        else:
            try:
                answer = images.image(_reader(other)(), field.shape, notes)
            except TaskError as error:
                yield Refused(f"output/{name}", str(error))
            else:
                yield Raw(one.where, one.input, answer)


def _is_picture(program: Program) -> bool:
    return program.output.single is not None and len(program.output.single.shape) == 3


def files_below(root: Path) -> Iterator[Path]:
    """The files below a folder by name; hidden ones and links are left out."""
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            file = Path(folder, name)
            hidden = name.startswith(".") or name in SYSTEM
            if not hidden and not file.is_symlink() and file.is_file():
                yield file


def _reader(file: Path) -> Callable[[], bytes]:
    def read() -> bytes:
        size = file.stat().st_size
        if size > LARGEST:
            raise TaskError(f"a file of {size:,} bytes; at most {LARGEST:,}")
        return file.read_bytes()

    return read


def _one(
    where: str, suffix: str, read: Callable[[], bytes], program: Program, notes: Notes
) -> Found:
    """One input of one file."""
    try:
        return Raw(where, _value(suffix.lower(), read(), program, notes))
    except (TaskError, OSError) as error:
        return Refused(where, str(error))


def _value(suffix: str, content: bytes, program: Program, notes: Notes) -> Any:
    field = program.input.fields[0] if program.input.fields else None
    if suffix in images.SUFFIXES:
        if field is None or len(field.shape) != 3:
            raise TaskError(f"an image, where the program expects {program.input!s:.60}")
        return images.image(content, field.shape, notes)
    if suffix in SOUNDS:
        return arrays.sound(content, program)
    if suffix in TEXTS:
        if field is None or not field.text:
            raise TaskError(f"a text, where the program expects {program.input!s:.60}")
        return arrays.text(content)
    raise TaskError(f"a file of an unknown kind ({suffix})")


def _archive(path: Path, program: Program, notes: Notes) -> Iterator[Found]:
    """A zipped folder, read member by member: nothing is ever written to where it says."""
    try:
        with opened(path) as members:
            for member in members:
                yield _of_member(member, program, notes)
    except _BROKEN as error:
        raise TaskError(f"{path.name} cannot be read as an archive ({error!s:.80})") from error


@contextmanager
def opened(path: Path) -> Iterator[list[Member]]:
    """The files of a zipped folder, without those that systems add.

    One folder around all others is left out, as some programs zip it, too.
    """
    try:
        archive = zipfile.ZipFile(path)
    except _BROKEN as error:
        raise TaskError(f"{path.name} cannot be read as an archive ({error!s:.80})") from error
    with archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        named = [(info, PurePosixPath(info.filename)) for info in infos]
        named = [(info, name) for info, name in named if not _is_systems(name)]
        outer = {name.parts[0] for _, name in named if name.parts}
        skip = int(len(outer) == 1 and any(len(name.parts) > 2 for _, name in named))
        yield [Member(name, name.parts[skip:], _unpacking(archive, info)) for info, name in named]


def _is_systems(name: PurePosixPath) -> bool:
    hidden = any(part.startswith(".") and part != ".." for part in name.parts)
    return hidden or name.name in SYSTEM or name.parts[:1] == ("__MACOSX",)


def _of_member(member: Member, program: Program, notes: Notes) -> Found:
    name, parts = member.name, member.parts
    if not member.is_inside or len(parts) < 2:
        return Refused(str(name), "it is in no folder that is called after its class")
    if name.suffix.lower() not in SINGLE:
        return Refused(str(name), "a file of an unknown kind")
    one = _one(str(name), name.suffix, member.read, program, notes)
    return one if isinstance(one, Refused) else Raw(one.where, one.input, parts[0])


def _unpacking(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], bytes]:
    def read() -> bytes:
        if info.file_size > LARGEST or info.file_size > 1000 * max(info.compress_size, 1):
            raise TaskError(f"it unpacks to {info.file_size:,} bytes")
        try:
            with archive.open(info) as member:
                return member.read(info.file_size + 1)
        except Exception as error:  # noqa: BLE001 - whatever a hostile archive makes of the reader
            raise TaskError(f"it cannot be unpacked ({error!s:.80})") from error

    return read
