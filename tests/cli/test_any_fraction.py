"""A job whose fraction is part of the answer, from the job file to the report."""

from pathlib import Path

from tests.cli.shell import job, parsed, tunewise

WORK = """\
def train(trial):
    s, y = trial.fraction, trial.config["y"]
    time = 20.0 + 100.0 * s * y
    return {"accuracy": 0.95 - 0.1 * (1 - s) ** 2 - 0.01 * y, "time": time, "cost": 0.001 * time}
"""


def test_the_fraction_is_part_of_the_answer_everywhere(tmp_path: Path) -> None:
    path = job(
        tmp_path,
        space={"x": [0.1, 0.5], "y": [1, 2, 4]},
        maximize=None,
        minimize="cost",
        price=None,
        subject_to=["accuracy >= 0.85"],
        fractions=[0.1, 0.5, 1.0],
        deploy="any",
        strategy=None,
        trials=9,
    )
    (tmp_path / "work.py").write_text(WORK)
    done = tunewise("tune", path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = parsed(tunewise("show", "quick", "--json", cwd=tmp_path).stdout)
    assert shown["strategy"]["name"] == "nephele"
    answer = shown["recommendation"]
    kept = [t for t in shown["trials"] if t["metrics"]["accuracy"] >= 0.85]
    cheapest = min(kept, key=lambda t: t["metrics"]["cost"])
    assert answer["fraction"] == cheapest["fraction"] < 1
    assert answer["config"] == cheapest["config"]
    assert set(answer["predicted_best"]) >= {"config", "fraction", "predicted", "feasible"}
    share = {0.1: "1/10", 0.5: "1/2"}[answer["fraction"]]
    for said in (done.stdout, tunewise("show", "quick", cwd=tmp_path).stdout):
        recommended = said[said.index("Recommended") :]
        assert share in recommended and "measured (trial" in recommended
    tunewise("report", "quick", cwd=tmp_path)
    page = (tmp_path / "quick-report.html").read_text(encoding="utf-8")
    assert f"Recommended on {share} of the data" in page
