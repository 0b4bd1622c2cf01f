"""How a command ends, what it prints for machines, and that names are no markup."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

import tunewise as tw
from tests.cli.shell import invoke, parsed
from tunewise.cli import exit_codes, options
from tunewise.errors import StudyError


def ending(error: BaseException) -> Callable[[], None]:
    """A command that ends so."""

    def command() -> None:
        """What it is for."""
        raise error

    return exit_codes.polite(command)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (StudyError("there is no study 'x'"), 1, "there is no study 'x'\n"),
        (FileNotFoundError(2, "No such file", "a.csv"), 1, "a.csv: No such file\n"),
        (OSError("the disk is odd"), 1, "the disk is odd\n"),
        (
            ValueError("seven"),
            1,
            "ValueError: seven (this should not happen; `tunewise --debug ...` shows where it"
            " did)\n",
        ),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (exit_codes.Interrupted("trial 3 runs again"), 130, "trial 3 runs again\n"),
    ],
)
def test_an_error_is_one_sentence_and_a_code(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended:
        ending(error)()
    assert ended.value.exit_code == code
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("error", [typer.Exit(3), typer.Abort(), typer.BadParameter("wrong")])
def test_what_typer_knows_is_left_to_it(error: Exception) -> None:
    with pytest.raises(type(error)) as passed:
        ending(error)()
    assert passed.value is error


def test_a_traceback_is_shown_to_who_asks_for_it() -> None:
    exit_codes.debug(True)
    try:
        with pytest.raises(ValueError, match="seven"):
            ending(ValueError("seven"))()
    finally:
        exit_codes.debug(False)


def test_a_command_keeps_its_answer_its_name_and_its_words() -> None:
    def answer(number: int) -> int:
        """Say a number."""
        return number + 1

    polite = exit_codes.polite(answer)
    assert polite(4) == 5
    assert (polite.__name__, polite.__doc__) == ("answer", "Say a number.")


def test_who_closes_the_pipe_hears_no_more_of_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "out.txt").open("w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        with pytest.raises(typer.Exit) as ended:
            ending(BrokenPipeError())()
        out.write("more")
    assert ended.value.exit_code == exit_codes.PIPE_CLOSED
    assert (tmp_path / "out.txt").read_text() == ""


class Pool:
    """An executor as far as its end goes."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self.warnings.append("a process is left behind")


@pytest.mark.parametrize("error", [None, StudyError("no")])
def test_what_an_executor_warns_of_at_its_end_is_said_however_that_comes(
    error: Exception | None, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        with exit_codes.warned(Pool()):  # type: ignore[arg-type] # as far as its end goes
            if error is not None:
                raise error
    except StudyError as passed:
        assert passed is error
    assert capsys.readouterr().err == "a process is left behind\n"


def test_a_notice_is_told_from_a_complaint(capsys: pytest.CaptureFixture[str]) -> None:
    exit_codes.notice("no limit is given")
    exit_codes.complain("no trial was measured")
    assert capsys.readouterr().err == "note: no limit is given\nno trial was measured\n"


def test_json_has_no_word_for_infinity_and_keeps_letters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    data: Any = {
        1: (float("inf"), {"größe": float("nan")}),
        "p": Path("a/b"),
        "t": [1.5, True, None],
    }
    options.print_json(data, indent=None)
    printed = capsys.readouterr().out
    assert printed == '{"1": [null, {"größe": null}], "p": "a/b", "t": [1.5, true, null]}\n'
    options.print_json([1])
    assert capsys.readouterr().out == "[\n 1\n]\n"


def test_into_a_file_lines_are_wide_unless_the_user_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert options.console().width == 160
    monkeypatch.setenv("COLUMNS", "44")
    assert options.console().width == 44
    with pytest.raises(BrokenPipeError):
        options.console().on_broken_pipe()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TUNEWISE_STORAGE", raising=False)
    monkeypatch.setenv("TUNEWISE_HOME", str(tmp_path))
    return tmp_path


def told(name: str) -> None:
    problem = tw.Problem(tw.Space(tw.Choice("kind", ["[red]", "[/x]"])), maximize="accuracy")
    with tw.Study(problem, "random", seed=0, storage="tunewise.db", name=name) as study:
        study.tell(study.ask(), {"accuracy": 0.5})


@pytest.mark.usefixtures("here")
def test_brackets_in_names_are_shown_as_they_are() -> None:
    for name in ("exp[lr]", "a[/b]"):
        told(name)
    listed = invoke("list")
    assert listed.exit_code == 0, listed.stderr
    assert "exp[lr]" in listed.stdout and "a[/b]" in listed.stdout
    shown = invoke("show", "a[/b]")
    assert shown.exit_code == 0 and ("[red]" in shown.stdout or "[/x]" in shown.stdout)


def test_brackets_in_a_price_list_and_a_table_are_shown_as_they_are(here: Path) -> None:
    (here / "prices.csv").write_text("name,price\nm[/x],1\nq[big],2\n")
    listed = invoke("prices")
    assert listed.exit_code == 0, listed.stderr
    assert "m[/x]" in listed.stdout and "q[big]" in listed.stdout
    rows = "".join(
        f"{v},{f},{0.5 + v * f / 10},{9 * f / v},{v * f}\n" for v in (1, 2) for f in (0.5, 1)
    )
    (here / "a[b]c.csv").write_text("vms,fraction,accuracy,time,cost\n" + rows)
    asked = invoke("report", "--what-if", "--table", "a[b]c.csv")
    assert asked.stdout.startswith("a[b]c.csv: of ")


@pytest.mark.usefixtures("here")
def test_the_shell_completes_the_names_of_studies() -> None:
    assert options.known_studies("") == []  # there is no storage yet
    for name in ("digits", "dogs", "cats"):
        told(name)
    assert options.known_studies("d") == ["digits", "dogs"]


@pytest.mark.usefixtures("here")
def test_a_failed_teardown_of_a_cluster_is_said_and_ends_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = SimpleNamespace(name="tw-3")
    monkeypatch.setattr("tunewise.execution.sky.executor.clean", lambda *_, **__: [left])
    monkeypatch.setattr("tunewise.execution.sky.command.Sky.check", lambda _: None)
    done = invoke("clusters", "--down")
    assert done.exit_code == exit_codes.FAILED
    assert "the cluster tw-3 may still be up: `sky down` failed" in done.stderr
    assert parsed(invoke("clusters", "--json").stdout) == []
