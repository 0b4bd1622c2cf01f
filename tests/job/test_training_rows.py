"""Training on people's own files, and asking the model that was learned."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from tests.cli.shell import invoke
from tunewise.errors import ExecutionError
from tunewise.job.training.rows import read_rows
from tunewise.paramserver import dense, url_like


def written(folder: Path, kind: str, rows: int = 200) -> Path:
    """A small file of two classes."""
    path = folder / f"rows{kind}"
    if kind == ".svm":
        made = url_like(rows, 30, per_row=5)
        with path.open("w") as file:
            for row, label in zip(made.x, made.y, strict=True):
                pairs = zip(row.indices + 1, row.data, strict=True)
                file.write(f"{label:g} {' '.join(f'{p}:{v:.17g}' for p, v in pairs)} # why not\n")
    else:
        made = dense(rows, 4)
        if kind == ".npz":
            np.savez(path, x=made.x, y=made.y)
        else:
            head = "a,b,c,d,label"
            np.savetxt(
                path, np.column_stack([made.x, made.y > 0]), "%.17g", ",", header=head, comments=""
            )
    return path


def test_sparse_rows_stay_sparse_and_are_what_was_written(tmp_path: Path) -> None:
    made, read = url_like(200, 30, per_row=5), read_rows(written(tmp_path, ".svm"), features=30)
    assert sparse.issparse(read.x) and read.x.shape == (200, 30)
    assert abs(read.x - made.x).max() < 1e-12 and (read.y == made.y).all()


@pytest.mark.parametrize("kind", [".csv", ".npz"])
def test_dense_rows_are_what_was_written(tmp_path: Path, kind: str) -> None:
    made, read = dense(200, 4), read_rows(written(tmp_path, kind))
    np.testing.assert_allclose(read.x, made.x)
    assert ((read.y > 0) == (made.y > 0)).all()


@pytest.mark.parametrize("kind", [".svm", ".csv"])
def test_the_rows_of_a_large_file_stay_on_disk_and_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path = written(tmp_path, kind)
    plain = read_rows(path)
    monkeypatch.setattr("tunewise.job.training.rows.LARGE", 10)
    monkeypatch.setattr("tunewise.job.training.rows._BLOCK", 33)
    large = read_rows(path)
    assert large.features == plain.features and (large.y == plain.y).all()
    for data in (large, pickle.loads(pickle.dumps(large))):
        rows = data.part(np.arange(0, 200, 3)), plain.part(np.arange(0, 200, 3))
        for kept, known in zip(*(each.batches(8, "range", 2, 1, 0) for each in rows), strict=True):
            assert sparse.issparse(kept.x) == (kind == ".svm")
            assert np.abs(kept.x - known.x).max() < 1e-12 and (kept.y == known.y).all()
            np.testing.assert_allclose(kept.weight, known.weight, rtol=0.5)
    kept_at = (tmp_path / f"rows{kind}.rows" / "values.bin").stat().st_mtime_ns
    read_rows(path)
    assert (tmp_path / f"rows{kind}.rows" / "values.bin").stat().st_mtime_ns == kept_at


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.txt", "", "a.txt is of no known kind; expected .svm"),
        ("a.svm", "1 3:x\n", "a.svm, line 1: expected a label and pairs"),
        ("a.csv", "a,b\n1,x\n", "expected numbers below one head line"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ExecutionError, match=said):
        read_rows(tmp_path / name)


@pytest.mark.parametrize(("kind", "model"), [(".svm", "m.npz"), (".csv", "m.safetensors")])
def test_a_model_trained_on_a_file_predicts_in_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, model: str
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = written(tmp_path, kind)
    (tmp_path / "fit.yaml").write_text(
        f"paramserver:\n  data: {{file: {rows.name}}}\n  rate: 1.0\n  validation: 0.25\n"
        "  machines: {nodes: 4}\nspace: {workers: [1, 2]}\nuntil: samples >= 6000\n"
    )
    trained = invoke("train", "fit.yaml", "--output", model, "--json", "-q")
    assert trained.exit_code == 0, trained.stderr
    end = json.loads(trained.stdout.splitlines()[-1])
    assert end["validation"]["accuracy"] > 0.6
    labels = read_rows(rows).y
    (asked_of := tmp_path / f"asked{kind}").write_text(rows.read_text())
    rows.unlink()  # whoever asks a model need not have what it was trained on
    asked = invoke("train", "fit.yaml", "--output", model, "--predict", asked_of.name)
    told = [json.loads(line) for line in asked.stdout.splitlines()]
    right = np.mean([each["label"] == y for each, y in zip(told, labels, strict=True)])
    assert right > 0.65
    refused = invoke("train", "fit.yaml", "--output", "model.pt").stderr
    assert "the model's file is 'model.pt'; expected .npz or .safetensors" in refused


def test_rows_of_parquet_are_what_was_written(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs pip install 'tunewise[parquet]'")
    parquet = pytest.importorskip("pyarrow.parquet")
    made = dense(20, 2)
    table = arrow.table({"class": made.y, "a": made.x[:, 0], "b": made.x[:, 1]})
    parquet.write_table(table, tmp_path / "rows.parquet")
    read = read_rows(tmp_path / "rows.parquet", "class")
    np.testing.assert_allclose(read.x, made.x)
    assert (read.y == made.y).all()
