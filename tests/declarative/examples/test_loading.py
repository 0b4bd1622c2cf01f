"""Files and objects become pairs, line by line, and nothing hostile gets further."""

import io
import json
import struct
import wave
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.extras import needs
from tunewise.declarative.examples import checked
from tunewise.declarative.examples.checking import Checked
from tunewise.declarative.examples.loading import from_objects, from_path, inputs_of
from tunewise.declarative.examples.raw import Notes, Refused
from tunewise.declarative.schema import parse, read_input
from tunewise.errors import TaskError

needs("PIL", "tasks")


def _load(
    path: Path, program: str, label: str | None = None
) -> tuple[list[Checked], list[Refused], list[str]]:
    declared, notes = parse(program), Notes()
    found = list(checked(declared, from_path(path, declared, label, notes)))
    kept = [one for one in found if isinstance(one, Checked)]
    return kept, [one for one in found if isinstance(one, Refused)], notes.lines((4, 4))


def _picture(path: Path, size: tuple[int, int] = (4, 4), mode: str = "L") -> None:
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, size, 255 if mode == "L" else (255, 0, 0)).save(path)


def test_a_folder_for_each_class_is_loaded_and_resizing_is_said(tmp_path: Path) -> None:
    for place, suffix in enumerate(("png", "jpg", "tif", "bmp")):
        _picture(tmp_path / "ginger cat" / f"{place}.{suffix}")
    _picture(tmp_path / "dog" / "big.png", (9, 7), "RGB")
    (tmp_path / "dog" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    (tmp_path / "dog" / "notes.docx").write_bytes(b"x")
    kept, refused, notes = _load(tmp_path, "image(4, 4) -> 2 classes")
    assert [one.output for one in kept] == ["dog", *["ginger cat"] * 4]
    assert kept[-1].input.shape == (4, 4, 1)
    assert kept[-1].input.max() == 1
    assert sorted(Path(one.where).name for one in refused) == ["broken.png", "notes.docx"]
    assert notes == ["1 image was resized to 4 x 4 (from 7 x 9)"]


def test_images_of_a_microscope_keep_their_greys_and_the_rest_of_a_stack_is_named(
    tmp_path: Path,
) -> None:
    from PIL import Image

    grey = np.linspace(0, 1, 16).reshape(4, 4)
    for name, pixels in (("float", grey.astype(np.float32)), ("deep", (grey * 65535).astype("u2"))):
        (tmp_path / name).mkdir()
        Image.fromarray(pixels).save(tmp_path / name / "cell.tif")
    pages = [Image.fromarray((grey * white).astype("u1")) for white in (255, 99, 0)]
    (tmp_path / "stack").mkdir()
    pages[0].save(tmp_path / "stack" / "cell.tif", save_all=True, append_images=pages[1:])
    kept, _, notes = _load(tmp_path, "image(4, 4) -> 3 classes")
    assert [one.input[:, :, 0] for one in kept] == [pytest.approx(grey, abs=0.01)] * 3
    assert notes == ["1 image was a stack: the first of its images is taken"]


def test_a_spreadsheet_may_say_what_separates_its_cells(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("sep=;\nshare;class\n12,5 %;up\n7%;down\n", encoding="utf-8-sig")
    kept, refused, _ = _load(file, "table(share number) -> [up, down]")
    assert [(one.input, one.output) for one in kept] == [([12.5], "up"), ([7.0], "down")]
    assert refused == []


def test_semicolons_decimal_commas_and_spaces_of_a_spreadsheet_are_read(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    text = "Größe;Ort;seit;Klasse A\n1,5;Bern;30.11.2026;ja sicher\n;Genf;;nein\n2;x\n3;y;z;ja\n"
    file.write_bytes(text.encode("cp1252"))
    program = 'table("Größe" number, Ort category, seit date) -> 3 classes'
    kept, refused, _ = _load(file, program)
    assert kept[0].input == [1.5, "Bern", "2026-11-30T00:00:00"]
    assert kept[1].input == [None, "Genf", None]
    assert [one.output for one in kept] == ["ja sicher", "nein"]
    assert [str(one) for one in refused] == [
        "table.csv:4: 2 cells; the header has 4",
        "table.csv:5: column 'seit': 'z' is no date; write it as 2026-11-30",
    ]


def test_a_table_without_a_header_has_its_answer_last(tmp_path: Path) -> None:
    file = tmp_path / "t.tsv"
    file.write_text("1\t2\t3.5\n4\t5\t6\n")
    kept, _, _ = _load(file, "table(2) -> number")
    assert [one.output.tolist() for one in kept] == [[3.5], [6]]
    kept, _, _ = _load(file, "table(2) -> number", "c1")
    assert [one.output.tolist() for one in kept] == [[1], [4]]


def test_parquet_and_data_frames_are_tables(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": ["x", None], "label": ["u", "v"]})
    frame.to_parquet(tmp_path / "t.parquet")
    program = "table(a number, b category) -> [u, v]"
    kept, _, _ = _load(tmp_path / "t.parquet", program)
    declared = parse(program)
    same = list(checked(declared, from_objects(frame, None, declared, None, None)))
    assert [one.content for one in kept] == [one.content for one in same]  # type: ignore[union-attr]


def test_npz_json_lines_and_sounds_are_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", inputs=np.eye(3), outputs=np.array([0, 1, 2]))
    kept, _, _ = _load(tmp_path / "a.npz", "table(3) -> 3 classes")
    assert [one.output for one in kept] == ["0", "1", "2"]
    lines = [{"input": [[1], [2]], "output": "up"}, [[[1]], "down"], {"x": 1}]
    broken = [*map(json.dumps, lines), "{", "[" * 100_000]
    (tmp_path / "a.jsonl").write_text("\n".join(broken))
    kept, refused, _ = _load(tmp_path / "a.jsonl", "series(1) -> [up, down]")
    assert [len(one.input) for one in kept] == [2, 1]
    assert len(refused) == 3
    with wave.open(str(tmp_path / "s.wav"), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(np.arange(10, dtype="<i2").tobytes())
    program = parse("series(5) -> 2 classes")
    raw = next(iter(inputs_of(tmp_path / "s.wav", program, None, Notes())))
    assert not isinstance(raw, Refused)
    assert raw.input.shape == (2, 5)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.jsonl",
            '{"text": "dry leaf"}\n{"note": "wet"}\n{"label": "x", "text": "old"}\n"own"\n',
        ),
        ("a.csv", "text\ndry leaf\nwet\nold\nown\n"),
        ("b.csv", "number,Text\n1,dry leaf\n2,wet\n3,old\n4,own\n"),
        ("c.csv", "text,class\ndry leaf,x\nwet,y\nold,x\nown,y\n"),
    ],
)
def test_texts_are_asked_in_the_form_in_which_they_are_fed(
    name: str, content: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    program = parse("text -> [x, y]")
    found = inputs_of(tmp_path / name, program, None, Notes())
    asked = [read_input(program, one.input) for one in found if not isinstance(one, Refused)]
    assert asked == ["dry leaf", "wet", "old", "own"]


def test_a_file_of_another_kind_is_told_what_the_program_expects(tmp_path: Path) -> None:
    _picture(tmp_path / "cat" / "1.png")
    (tmp_path / "cat" / "notes.txt").write_text("my notes")
    _, refused, _ = _load(tmp_path, "image(4, 4) -> [cat, dog]")
    assert [str(one) for one in refused] == [
        "cat/notes.txt: a text, where the program expects image(4, 4)"
    ]
    _, refused, _ = _load(tmp_path, "text -> [cat, dog]")
    assert [str(one) for one in refused] == ["cat/1.png: an image, where the program expects text"]


def test_a_labelling_function_names_what_it_cannot_label() -> None:
    program = parse("table(1) -> [small, large]")

    def by_size(row: Any) -> str | None:
        return None if row[0] == 5 else "small" if row[0] < 5 else "large"

    found = list(checked(program, from_objects([[1], [5], [9]], None, program, None, by_size)))
    assert [getattr(one, "output", str(one)) for one in found] == [
        "small",
        "row 1: by_size gave no label",
        "large",
    ]


def test_an_archive_is_never_unpacked_to_where_it_says(tmp_path: Path) -> None:
    from PIL import Image

    picture = io.BytesIO()
    Image.new("L", (4, 4)).save(picture, "PNG")
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../evil/x.png", picture.getvalue())
        archive.writestr("/etc/x.png", picture.getvalue())
        archive.writestr("cat/x.png", picture.getvalue())
        archive.writestr("cat/bomb.txt", b"0" * 10_000_000)
    before = sorted(tmp_path.rglob("*"))
    kept, refused, _ = _load(tmp_path / "a.zip", "image(4, 4) -> [cat, dog]")
    assert [one.output for one in kept] == ["cat"]
    assert len(refused) == 3
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["a.npz", "a.zip", "a.csv", "a.parquet", "a.json"])
def test_a_broken_file_is_a_sentence(name: str, tmp_path: Path) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    (tmp_path / name).write_bytes(b"[PK\x03\x04\0\0\xff\xfe broken")
    with pytest.raises(TaskError, match=name):
        _load(tmp_path / name, "table(3) -> 3 classes")


def test_an_archive_of_arrays_with_code_or_too_much_in_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = np.array([{"a": 1}, None], dtype=object)
    np.savez(tmp_path / "code.npz", inputs=objects, outputs=objects)
    with pytest.raises(TaskError, match="no array of numbers"):
        _load(tmp_path / "code.npz", "table(3) -> 3 classes")
    monkeypatch.setattr("tunewise.declarative.examples.loading.arrays.MOST_BYTES", 1000)
    np.savez_compressed(tmp_path / "bomb.npz", inputs=np.zeros((1000, 3)), outputs=np.zeros(1000))
    with pytest.raises(TaskError, match="unpacks to"):
        _load(tmp_path / "bomb.npz", "table(3) -> 3 classes")


def test_an_image_that_claims_to_be_huge_is_refused_by_its_header(tmp_path: Path) -> None:
    header = b"IHDR" + struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    (tmp_path / "cat").mkdir()
    (tmp_path / "cat" / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk)
    kept, refused, _ = _load(tmp_path, "image(4, 4) -> 2 classes")
    assert not kept
    assert len(refused) == 1
