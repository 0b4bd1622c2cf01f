"""Stored studies can be listed, shown, exported, added to and deleted, whoever made them."""

import csv
import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import tunewise as tw
from tests.cli.shell import invoke, parsed
from tunewise.benchmark import ReplayExecutor
from tunewise.study.opening import open_store

STORAGE = "tunewise.db"


def measure(trial: tw.Trial) -> tw.Measurement | tw.Failure:
    if trial.config["vm"] == "broken":
        return tw.Failure("out of memory", {"time": 2.0})
    x = trial.config["x"]
    return tw.Measurement({"accuracy": 1 - (x - 0.3) ** 2, "time": 10 * trial.config["vms"]})


def problem() -> tw.Problem:
    return tw.Problem(
        tw.Space(
            tw.Real("x", 0, 1),
            tw.Choice("vm", ["good", "broken"]),
            tw.Ordinal("vms", [1, 2, 4]),
            where=lambda c: c["vm"] == "good" or c["vms"] < 4,
        ),
        maximize="accuracy",
        subject_to="cost <= 0.02",
        price=lambda c: 1.8 * c["vms"],
        budget=1.0,
    )


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TUNEWISE_STORAGE", raising=False)
    yield tmp_path


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tw.Recommendation]:
    """A study made from Python, with functions that no storage can keep, and where it is."""
    storage = tmp_path_factory.mktemp("made") / STORAGE
    with tw.Study(problem(), "cherrypick", seed=3, storage=storage, name="made") as study:
        best = study.optimize(measure, trials=12, executor=ReplayExecutor(), progress=False)
    assert best is not None
    return storage, best


@pytest.fixture
def made(once: tuple[Path, tw.Recommendation], folder: Path) -> tw.Recommendation:
    """The same study in this test's own folder."""
    shutil.copy(once[0], folder / STORAGE)
    return once[1]


@pytest.mark.usefixtures("made")
class TestShow:
    def test_a_study_is_shown_whole(self) -> None:
        shown = invoke("show", "made")
        assert shown.exit_code == 0, shown.output
        for said in ("12 trials", "failed: out of memory", "Recommended", "probability of keeping"):
            assert said in shown.stdout

    def test_only_the_last_trials_are_listed_when_asked(self) -> None:
        assert "9 earlier trials not shown" in invoke("show", "made", "--last", 3).stdout

    def test_one_trial_is_shown_with_its_config_and_outcome(self) -> None:
        trials = parsed(invoke("show", "made", "--json").stdout)["trials"]
        failed = next(t for t in trials if t["state"] == "failed")
        shown = invoke("show", "made", "--trial", failed["number"]).stdout
        assert "out of memory" in shown
        assert "broken" in shown

    def test_an_unknown_trial_is_refused(self) -> None:
        shown = invoke("show", "made", "--trial", 99)
        assert shown.exit_code == 1
        assert shown.stderr == "study 'made' has no trial 99; it has 0 to 11\n"

    def test_an_unknown_study_is_refused_with_the_nearest(self) -> None:
        shown = invoke("show", "mde")
        assert shown.exit_code == 1
        assert "did you mean 'made'?" in shown.stderr

    def test_json_is_the_whole_study(self) -> None:
        shown = parsed(invoke("show", "made", "--json").stdout)
        assert shown["problem"]["maximize"] == "accuracy"
        assert len(shown["trials"]) == 12
        assert shown["trials"][0]["feasible"] in (True, False, None)
        told = {"config", "fraction", "predicted", "feasible", "least", "predicted_best"}
        assert set(shown["recommendation"]) == told


def test_what_the_run_recommended_is_shown_though_its_functions_are_gone(
    made: tw.Recommendation,
) -> None:
    assert parsed(invoke("show", "made", "--json").stdout)["recommendation"] == made.describe()


def test_after_more_trials_the_recommendation_is_made_anew(made: tw.Recommendation) -> None:
    with tw.Study(problem(), "cherrypick", storage=STORAGE, name="made") as study:
        trial = study.ask()
        study.tell(trial, {"accuracy": 1.0, "time": 1.0})
    shown = parsed(invoke("show", "made", "--json").stdout)["recommendation"]
    assert shown["predicted"] != made.describe()["predicted"]


def test_the_end_of_a_log_is_shown_with_its_trial(folder: Path) -> None:
    with tw.Study(problem(), "random", seed=1, storage=STORAGE, name="logged") as study:
        study.store.annotate("logged", {"folder": str(folder / "runs")})
        study.tell(study.ask(), {"accuracy": 0.5, "time": 1.0})
    log = folder / "runs" / "0" / "log.txt"
    log.parent.mkdir(parents=True)
    log.write_text("".join(f"epoch {i} [bold]\n" for i in range(50)))
    shown = invoke("show", "logged", "--trial", 0).stdout
    assert "epoch 49 [bold]" in shown
    assert "epoch 29 " not in shown
    assert parsed(invoke("show", "logged", "--trial", 0, "--json").stdout)["log"] == str(log)


@pytest.mark.usefixtures("made")
def test_studies_are_listed_with_what_they_reached() -> None:
    listed = parsed(invoke("list", "--json").stdout)
    assert [study["name"] for study in listed] == ["made"]
    assert listed[0]["complete"] + listed[0]["failed"] == 12
    assert listed[0]["best"] is not None
    text = invoke("list").stdout
    assert "made" in text
    assert "cherrypick" in text


@pytest.mark.usefixtures("made")
def test_a_study_that_cannot_be_understood_does_not_hide_the_others() -> None:
    store = open_store(STORAGE)
    from tunewise.study import StudyRecord

    store.create(StudyRecord("odd", {"from": "the future"}, {"name": "random"}, 1))
    store.close()
    assert [s["name"] for s in parsed(invoke("list", "--json").stdout)] == ["odd", "made"]
    shown = invoke("show", "odd")
    assert shown.exit_code == 1
    assert "not understood" in shown.stderr


def test_without_a_storage_a_person_is_told_how_to_make_one() -> None:
    for command in (["list"], ["show", "any"], ["report", "any"], ["export", "any"]):
        done = invoke(*command)
        assert done.exit_code == 1
        assert "there is no storage 'tunewise.db' in this folder; `tunewise tune`" in done.stderr
    assert not Path(STORAGE).exists()


@pytest.mark.usefixtures("made")
class TestExport:
    def test_csv_has_a_row_for_each_trial(self) -> None:
        rows = list(csv.DictReader(io.StringIO(invoke("export", "made").stdout)))
        assert [int(row["number"]) for row in rows] == list(range(12))
        done = next(row for row in rows if row["state"] == "complete")
        assert float(done["accuracy"]) == 1 - (float(done["x"]) - 0.3) ** 2
        assert float(done["cost"]) > 0
        assert any(row["reason"] == "out of memory" for row in rows)

    @pytest.mark.parametrize("asked", [["--format", "json"], ["-f", "json"], ["--json"]])
    def test_json_has_everything(self, asked: list[str]) -> None:
        exported = parsed(invoke("export", "made", *asked).stdout)
        assert len(exported["trials"]) == 12
        assert exported["seed"] == 3

    def test_a_file_is_written_when_asked(self) -> None:
        done = invoke("export", "made", "-o", "trials.csv")
        assert done.stdout == ""
        assert "12 trials are in trials.csv" in done.stderr
        assert Path("trials.csv").read_text().startswith("number,state,x,vm,vms,fraction,accuracy")


def test_a_metric_with_the_name_of_a_parameter_has_its_own_column() -> None:
    wanted = tw.Problem(tw.Space(tw.Choice("time", [1, 2])), minimize="time")
    with tw.Study(wanted, "random", seed=1, storage=STORAGE, name="clash") as study:
        study.tell(study.ask(), {"time": 7.0})
    rows = list(csv.DictReader(io.StringIO(invoke("export", "clash").stdout)))
    assert rows[0]["time"] in ("1", "2")
    assert rows[0]["measured_time"] == "7.0"


@pytest.mark.usefixtures("made")
def test_a_report_is_written_beside_us_or_where_asked() -> None:
    assert "the report is in made-report.html" in invoke("report", "made").stdout
    assert invoke("report", "made", "-o", "deep/r.html").exit_code == 0
    for path in (Path("made-report.html"), Path("deep/r.html")):
        assert "made" in path.read_text(encoding="utf-8")
    assert "there is no folder" in invoke("report", "made", "-o", "very/deep/r.html").stderr
    assert not Path("very").exists()


@pytest.mark.usefixtures("made")
def test_machines_are_answered_in_json() -> None:
    page = parsed(invoke("report", "made", "-o", "r.html", "--json").stdout)
    assert page == {"study": "made", "report": str(Path("r.html").absolute())}
    config = {"x": 0.25, "vm": "good", "vms": 2}
    part = parsed(invoke("enqueue", "made", "x=0.25", "--json").stdout)
    assert part["config"].keys() == config.keys()
    assert part["config"]["x"] == 0.25
    asked = parsed(invoke("enqueue", "made", "x=0.25", "vm=good", "vms=2", "--json").stdout)
    assert asked == {"study": "made", "trial": 13, "config": config, "fraction": 1.0}
    stopped = parsed(invoke("stop", "made", "--json").stdout)
    assert stopped == {"study": "made", "stopped": [], "running": []}
    gone = parsed(invoke("delete", "made", "--yes", "--json").stdout)
    assert gone == {"study": "made", "deleted": True, "trials": 14}
    assert parsed(invoke("init", "--json").stdout) == {"written": ["job.yaml", "train.py"]}


@pytest.mark.usefixtures("made")
class TestEnqueue:
    def test_a_config_waits_to_be_run_next(self) -> None:
        done = invoke("enqueue", "made", "x=0.25", "vm=GOOD", "vms=2")
        assert done.exit_code == 0, done.output
        assert "trial 12 waits" in done.stdout
        with tw.Study(problem(), "cherrypick", storage=STORAGE, name="made") as study:
            trial = study.ask()
        assert trial.config == {"x": 0.25, "vm": "good", "vms": 2}
        assert trial.enqueued

    @pytest.mark.parametrize(
        ("values", "sentence"),
        [
            (["x=2", "vm=good", "vms=1"], "x = 2 is not valid: expected a number from 0.0 to 1.0"),
            (["x=some", "vm=good", "vms=1"], "x = 'some' is not valid"),
            (["x=0.5", "vm=god", "vms=1"], "did you mean 'good'?"),
            (["y=0.5"], "unknown parameter 'y'"),
            (["x"], "'x' gives no value; expected parameter=value"),
            (["x=1", "x=1"], "x is given twice"),
            (["x=1", "vm=good", "vms=1", "--fraction", "0.5"], "fraction 0.5 is not one of"),
        ],
    )
    def test_a_wrong_config_is_refused(self, values: list[str], sentence: str) -> None:
        done = invoke("enqueue", "made", *values)
        assert done.exit_code == 1
        assert sentence in done.stderr


@pytest.mark.usefixtures("made")
class TestDelete:
    def test_a_study_is_deleted_with_its_logs(self, folder: Path) -> None:
        store = open_store(STORAGE)
        store.annotate("made", {"folder": str(folder / "runs")})
        store.close()
        (folder / "runs" / "0").mkdir(parents=True)
        done = invoke("delete", "made", "--yes")
        assert done.stdout == "study 'made' with 12 trials is deleted\n"
        assert not (folder / "runs").exists()
        assert parsed(invoke("list", "--json").stdout) == []
        assert "no studies or trainings yet" in invoke("list").stdout

    def test_nothing_is_deleted_unasked(self) -> None:
        done = invoke("delete", "made")
        assert done.exit_code == 1
        assert "study 'made' has 12 trials; add --yes to delete it" in done.stderr
        assert len(parsed(invoke("list", "--json").stdout)) == 1
