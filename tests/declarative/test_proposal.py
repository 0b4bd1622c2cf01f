"""A program is proposed from data, so that nobody has to write one."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import tunewise as tw
from tunewise.declarative.proposal import propose
from tunewise.errors import TaskError


def test_a_spreadsheet_with_everything_in_it(tmp_path: Path) -> None:
    file = tmp_path / "churn.csv"
    notes = ["the price is far too high for me", "all is well and I am happy", "never again, sorry"]
    rows = [
        f"{i / 3:.2f};{'Bern' if i % 2 else 'Genf'};{1 + i % 28:02d}.03.2024;{notes[i % 3]} {i};"
        f"{'' if i % 7 else i};{'gone away' if i % 3 else 'still here'}"
        for i in range(60)
    ]
    header = "price;city;since;what they wrote;points;churned"
    file.write_text("\n".join([header, *(r.replace(".", ",", 1) for r in rows)]))
    proposal = propose(file, "churned")
    assert str(proposal.program) == (
        'table(price number, city category, since date, "what they wrote" text, points number)'
        " -> [gone away, still here]"
    )
    assert len(proposal.shown) == 10
    with pytest.raises(TaskError, match="did you mean 'churned'"):
        propose(file, "churnd")


def test_a_number_with_many_values_is_a_number_and_few_whole_ones_are_classes(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(0)
    file = tmp_path / "t.csv"
    lines = [f"{a},{b},{place % 3}" for place, (a, b) in enumerate(rng.random((99, 2)))]
    file.write_text("\n".join(["a,b,k", *lines]))
    assert str(propose(file).program) == "table(a number, b number) -> [0, 1, 2]"
    assert str(propose(file, "b").program) == "table(a number, k number) -> number"


def test_folders_arrays_and_json_lines(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    for label in ("ginger cat", "dog"):
        (tmp_path / "photos" / label).mkdir(parents=True)
        image.new("RGB", (100, 50)).save(tmp_path / "photos" / label / "1.png")
    program = str(propose(tmp_path / "photos").program)
    assert program == "image(32, 64, 3) -> [dog, ginger cat]"
    np.savez(tmp_path / "a.npz", x=np.zeros((30, 8, 8)), y=np.arange(30) % 3)
    assert str(propose(tmp_path / "a.npz").program) == "image(8, 8) -> [0, 1, 2]"
    lines = [{"input": [[1, 2]] * (1 + i % 3), "output": "ab"[i % 2]} for i in range(20)]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert str(propose(tmp_path / "s.jsonl").program) == "series(2) -> [a, b]"


def test_a_task_is_made_from_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": np.arange(20.0), "b": ["x", "y"] * 10, "kind": ["u", "v"] * 10})
    task = tw.Task.from_data(frame, label="kind")
    assert str(task.program) == "table(a number, b category) -> [u, v]"
    assert len(task.examples()) == 20


def test_what_cannot_be_learned_from_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,x\n")
    with pytest.raises(TaskError, match="always the same"):
        propose(tmp_path / "t.csv")
    with pytest.raises(TaskError, match="no file"):
        propose(tmp_path / "u.csv")


def test_dates_with_dots_are_dates_beside_decimal_commas_and_names_of_rows_are_left_out(
    tmp_path: Path,
) -> None:
    file = tmp_path / "patients.csv"
    ages = ["", "n/a", "Unbekannt", "31", "47", "52"]
    rows = [
        f"P{i:03d};{ages[i % 6]};{140 + i},5;{1 + i % 28:02d}.09.2025;1.{100 + i},25;"
        f"{'geht besser' if i % 3 else 'unknown'}"
        for i in range(60)
    ]
    header = "Patient;Alter;Größe (cm);Aufnahme;Dosis;Ergebnis"
    file.write_text("\r\n".join([header, *rows]), encoding="utf-8-sig")
    proposal = propose(file)
    assert str(proposal.program) == (
        'table(Alter number, "Größe (cm)" number, Aufnahme date, Dosis number)'
        " -> [geht besser, unknown]"
    )
    assert "the column 'Patient' differs in every row and is left out" in proposal.notes
    task = tw.Task.from_data(file)
    assert len(task.examples()) == 60
    assert task.example("e1")[0] == [None, 140.5, "2025-09-01T00:00:00", 1100.25]


def test_images_of_many_sizes_become_squares_and_all_classes_are_shown(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    for place in range(24):
        folder = tmp_path / f"kind {place % 3}"
        folder.mkdir(exist_ok=True)
        mode = "L" if place == 5 else "RGB"
        image.new(mode, (30 + place, 50 - place)).save(folder / f"{place:02d}.png")
    (tmp_path / "kind 0" / "Thumbs.db").write_bytes(b"x")
    proposal = propose(tmp_path)
    assert str(proposal.program) == "image(40, 40, 3) -> [kind 0, kind 1, kind 2]"
    assert {answer for _, answer in proposal.shown} == {"kind 0", "kind 1", "kind 2"}
    assert "images of other sizes are resized to 40 x 40" in proposal.notes
    assert not tw.Task.from_data(tmp_path).feed(tmp_path).refused


@pytest.mark.parametrize("outer", ["", "photos/"])
def test_a_zipped_folder_tells_its_program_however_it_was_zipped(
    outer: str, tmp_path: Path
) -> None:
    from PIL import Image

    picture, wide = io.BytesIO(), io.BytesIO()
    Image.new("L", (4, 4)).save(picture, "PNG")
    Image.new("L", (6, 4)).save(wide, "PNG")
    file = tmp_path / "photos.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("cat/1.png", "cat/2.png", "dog/in/1.png"):
            archive.writestr(f"{outer}{name}", picture.getvalue())
        archive.writestr(f"{outer}dog/2.png", wide.getvalue())
        for name in ("readme.txt", ".DS_Store", "cat/.DS_Store"):
            archive.writestr(f"{outer}{name}", "x")
        archive.writestr("__MACOSX/cat/._1.png", "x")
    proposal = propose(file)
    assert str(proposal.program) == "image(4, 4) -> [cat, dog]"
    assert proposal.shown[:2] == [("cat/1.png", "cat"), ("dog/in/1.png", "dog")]
    task = tw.Task(proposal.program)
    fed = task.feed(file)
    assert sorted(example.label or "" for example in task.examples()) == ["cat", "dog"]
    assert [Path(one.where).name for one in fed.refused] == ["readme.txt"]


def test_an_archive_that_leads_elsewhere_tells_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("../../cat/1.txt", "x")
        archive.writestr("/dog/1.txt", "y")
    with pytest.raises(TaskError, match="a.zip' has no folder with files"):
        propose(file)
    file.write_bytes(b"PK nothing")
    with pytest.raises(TaskError, match="cannot be read as an archive"):
        propose(file)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (
            ["Yes", "yes", "no", "No"] * 10,
            "'Yes' and 'yes' differ only in how they are written; they are classes of their own",
        ),
        ([f"P{at}" for at in range(40)], "most of the 40 classes have one example: is this"),
        ([str(at % 6) for at in range(60)], "the answers are whole numbers; write a program with"),
        (["0", "1"] * 20, ""),
        (["yes", "no"] * 20, ""),
    ],
)
def test_answers_that_may_be_no_classes_are_noted(
    tmp_path: Path, answers: list[str], said: str
) -> None:
    lines = [f"{at / 7},{answer}" for at, answer in enumerate(answers)]
    (tmp_path / "t.csv").write_text("\n".join(["a,grade", *lines]))
    notes = propose(tmp_path / "t.csv").notes[1:]
    assert any(note.startswith(said) for note in notes) if said else notes == []


def test_a_slip_among_numbers_does_not_keep_a_program_from_being_proposed(tmp_path: Path) -> None:
    lines = [f"{at},{at * 3}" for at in range(60)] + ["60,twelve"]
    (tmp_path / "t.csv").write_text("\n".join(["a,price", *lines]))
    assert str(propose(tmp_path / "t.csv").program) == "table(a number) -> number"
