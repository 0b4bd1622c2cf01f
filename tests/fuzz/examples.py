"""Files that people feed, nearly right: images, tables, arrays, sounds and archives, damaged."""

import csv
import io
import json
import wave
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from PIL import Image

import tunewise as tw
from tests.fuzz.watch import Watch

PROGRAMS = {
    ".png": "image(6, 6) -> [cat, dog]",
    ".wav": "series(1) -> [cat, dog]",
    ".txt": "text -> [cat, dog]",
    ".csv": "table(a number, b category, c date, d text) -> [cat, dog]",
    ".npz": "table(2) -> [cat, dog]",
}
"""By the ending of a file; other endings are like one of these."""

LIKE = {
    **dict.fromkeys((".jpg", ".tif", ".bmp", ".zip"), ".png"),
    **dict.fromkeys((".tsv", ".jsonl", ".json"), ".csv"),
    ".npy": ".npz",
}
WORDS = (
    b"\x00",
    b"\xff" * 8,
    b"\x7f\xff\xff\xff",
    b'"',
    b";",
    b"\n",
    b"..",
    b"/etc/passwd",
    b"[" * 99,
)


def _image(kind: str, mode: str = "RGB") -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, (9, 7), 3 if mode == "L" else None).save(buffer, kind)
    return buffer.getvalue()


def _sound() -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(200))
    return buffer.getvalue()


def _table(delimiter: str) -> bytes:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter)
    writer.writerow(["a", "b", "c", "d", "label"])
    writer.writerows([[k, "x y", "2026-01-02", "some, text", "cat"] for k in range(4)])
    return buffer.getvalue().encode()


def _arrays() -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, x=np.ones((5, 2)), y=np.array(["cat"] * 5))
    return buffer.getvalue()


def _array() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.ones((5, 2), np.float32))
    return buffer.getvalue()


def _archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("cat/1.png", _image("PNG"))
        archive.writestr("../escaped/dog/2.png", _image("PNG"))
        archive.writestr("/escaped/dog/3.png", _image("PNG"))
        archive.writestr("dog/4.png", bytes(2_000_000))
    return buffer.getvalue()


ROW = {"a": 1, "b": "x", "c": "2026-01-02", "d": "t", "label": "cat"}
SEEDS: dict[str, Callable[[], bytes]] = {
    ".png": lambda: _image("PNG", "L"),
    ".jpg": lambda: _image("JPEG"),
    ".tif": lambda: _image("TIFF"),
    ".bmp": lambda: _image("BMP"),
    ".wav": _sound,
    ".txt": lambda: "wörter".encode(),
    ".csv": lambda: _table(";"),
    ".tsv": lambda: _table("\t"),
    ".jsonl": lambda: b"".join(json.dumps(ROW).encode() + b"\n" for _ in range(3)),
    ".json": lambda: json.dumps([ROW, ROW]).encode(),
    ".npz": _arrays,
    ".npy": _array,
    ".zip": _archive,
}


@st.composite
def files(draw: st.DrawFn) -> tuple[str, bytes]:
    """An ending, and a file of that kind with some bytes changed, cut off or put in."""
    suffix = draw(st.sampled_from(sorted(SEEDS)))
    content = bytearray(SEEDS[suffix]())
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(len(content) - 1, 0)))
        how = draw(st.sampled_from(["change", "cut", "put", "drop"]))
        if how == "change" and content:
            content[at] = draw(st.integers(0, 255))
        elif how == "cut":
            del content[at:]
        elif how == "put":
            content[at:at] = draw(st.sampled_from(WORDS))
        else:
            del content[at : at + draw(st.integers(1, 40))]
    return suffix, bytes(content)


class Fed:
    """A task of every kind, and a folder that nothing may be written to."""

    def __init__(self, folder: Path) -> None:
        """Declare the tasks."""
        self._folder = folder / "fed"
        (self._folder / "cat").mkdir(parents=True)
        (folder / "store").mkdir()
        self._tasks = {
            kind: tw.Task(program, name=kind, storage=folder / "store" / "tunewise.db")
            for kind, program in PROGRAMS.items()
        }

    def look(self, watch: Watch, given: tuple[str, bytes]) -> None:
        """Feed the file, alone and in the folder of its class; ask with it."""
        suffix, content = given
        task = self._tasks[LIKE.get(suffix, suffix)]
        file = self._folder / "cat" / f"one{suffix}"
        file.write_bytes(content)
        watch.call(lambda: task.feed(file, label="label"), given)
        watch.call(lambda: task.feed(self._folder, label="label", dry_run=True), given)
        watch.call(lambda: task.infer(file), given)
        file.unlink()
        there = sorted(str(each.relative_to(self._folder)) for each in self._folder.rglob("*"))
        watch.refuse(f"it left {there}", there != ["cat"], given)
        watch.refuse("it escaped", (self._folder.parent / "escaped").exists(), given)
