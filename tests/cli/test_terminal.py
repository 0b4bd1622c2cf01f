"""What people see: nothing that a terminal obeys, no formula for a spreadsheet."""

import csv
import io
import re
import sys
from pathlib import Path

import pytest

import tunewise as tw
from tunewise.cli import main
from tunewise.format.printable import printable

ESCAPE = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\r\x08"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
STUDY = f"study{ESCAPE}"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A storage whose every text is hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    url = f"sqlite:///{folder}/studies.db"
    space = tw.Space(tw.Choice("p", [f"v{ESCAPE}", "=1+1"]))
    problem = tw.Problem(space, maximize=f"m{ESCAPE}")
    with tw.Study(problem, "random", 0, url, STUDY) as study:
        study.tell(study.ask(), {f"m{ESCAPE}": 0.5})
        study.tell(study.ask(), tw.Failure(f"reason{ESCAPE}\n{ESCAPE}", {"time": 1.0}))
    return url


def said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[str, str]:
    """What a command prints, to standard output and to standard error."""
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, getattr(sys, name))  # to be put back
    monkeypatch.setattr(sys, "argv", ["tunewise", *words])
    with pytest.raises(SystemExit):
        main()
    printed = capsys.readouterr()
    return printed.out, printed.err


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["list", "--json"],
        ["show", STUDY],
        ["show", STUDY, "--json"],
        ["show", STUDY, "--trial", "1"],
        ["export", STUDY],
        ["export", STUDY, "--format", "json"],
        ["stop", STUDY],
        ["enqueue", STUDY, f"p=no{ESCAPE}"],
        ["show", f"no{ESCAPE}"],
        [f"no{ESCAPE}"],
        ["show", STUDY, f"--no{ESCAPE}"],
        ["tune", f"no{ESCAPE}.yaml"],
        ["work", "--study", STUDY],
    ],
)
def test_no_command_prints_what_a_terminal_obeys(
    words: list[str],
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TUNEWISE_STORAGE", url)
    out, err = said(monkeypatch, capsys, *words)
    assert out or err
    assert OBEYED.search(out + err) is None


def test_an_export_has_no_formula_for_a_spreadsheet(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "trials.csv"
    said(monkeypatch, capsys, "export", STUDY, "--storage", url, "-o", str(file))
    cells = [cell for row in csv.reader(io.StringIO(file.read_text())) for cell in row]
    assert "'=1+1" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t"))]


def test_text_that_nothing_obeys_is_shown_as_it_is() -> None:
    assert printable("größe\t☃\n") == "größe\t☃\n"


def test_a_study_is_found_by_the_name_that_a_list_prints(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUNEWISE_STORAGE", url)
    monkeypatch.setenv("COLUMNS", "200")  # room for whole names
    listed = said(monkeypatch, capsys, "list")[0].splitlines()[1].split()[0]
    for words in (["show", listed], ["export", listed], ["enqueue", listed, "p==1+1"]):
        out, err = said(monkeypatch, capsys, *words)
        assert out and "error" not in err, (words, err)


def test_a_table_has_room_for_the_pictures_of_control_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, value = "na\x1b\x1bme!", "va\x1b\x1blue!"
    monkeypatch.setenv("TUNEWISE_STORAGE", f"sqlite:///{tmp_path}/studies.db")
    problem = tw.Problem(tw.Space(tw.Choice("p", [value])), maximize="accuracy")
    with tw.Study(problem, "random", 0, f"sqlite:///{tmp_path}/studies.db", name) as study:
        study.tell(study.ask(), {"accuracy": 0.5})

    assert "na␛␛me!" in said(monkeypatch, capsys, "list")[0]
    assert said(monkeypatch, capsys, "show", name)[0].count("va␛␛lue!") == 2
