"""Training on people's own files, and asking the model that was learned."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from tests.cli.shell import invoke
from tunewise.errors import ExecutionError
from tunewise.job.training.rows import read_rows, rows_to_ask
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
        ("a.csv", "a,b\n1,1\nx,2\n", "a.csv, line 3, column 'a': 'x'; expected numbers below one"),
        ("a.csv", "a,b\n1,2\n1,2,3\n", "a.csv, line 3: 3 values; expected 2, as in the head"),
        ("a.csv", "a\n1\n", "a.csv has no rows"),
        ("a.csv", "1.5,0\n2.5,1\n", "begins with numbers; expected a head line with the names"),
        ("a.csv", "a,a,b\n1,2,3\n", "a.csv has 2 columns 'a'; expected a name for each"),
        (
            "a.csv",
            "a,b\n1,2\n1,no\n",
            "labels that are numbers, such as 2, and names, such as",
        ),
        ("a.csv", "a,b\n1,dog\n1,\n", "a.csv has rows without a label"),
        ("a.csv", "", "a.csv is empty; expected numbers below one head line"),
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


JOB = """
paramserver:
  model: {model}
  data: {{file: pets.csv, label: kind}}
  rate: 1.0
  validation: check.csv
  machines: {{nodes: 4}}
space: {{workers: [1, 2]}}
until: samples >= 6000
"""


def pets(folder: Path) -> tuple[list[list[str]], list[str]]:
    """Rows of two numbers, and what each is, told by the second of them; in files of a folder."""
    rng, names = np.random.default_rng(0), ["cat", "dog"]
    kinds = [names[number] for number in rng.integers(2, size=200)]
    numbers = [(rng.normal(), rng.normal() + 3 * (2 * names.index(kind) - 1)) for kind in kinds]
    rows = [[f"{a:.6f}", f"{b:.6f}"] for a, b in numbers]
    named = [[*row, kind] for row, kind in zip(rows, kinds, strict=True)]
    table(folder / "pets.csv", ["a", "b", "kind"], named)
    dogs = [[kind, b, a] for a, b, kind in named if kind == "dog"]
    table(folder / "check.csv", ["kind", "b", "a"], dogs)
    return rows, kinds


def table(path: Path, head: list[str], rows: list[list[str]]) -> None:
    path.write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n")


def asked(rows: str, model: str) -> list[str]:
    told = invoke("train", "fit.yaml", "--output", model, "--predict", rows)
    return [json.loads(line)["label"] for line in told.stdout.splitlines()]


@pytest.mark.parametrize(
    ("model", "output"), [("logistic", "m.safetensors"), ("mlp", "m.npz"), ("svm", "m.npz")]
)
def test_columns_and_classes_of_a_table_go_by_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, output: str
) -> None:
    if model == "mlp":
        pytest.importorskip("torch", reason="needs PyTorch: pip install 'tunewise[torch]'")
    monkeypatch.chdir(tmp_path)
    rows, kinds = pets(tmp_path)
    (tmp_path / "fit.yaml").write_text(JOB.format(model=model))
    trained = invoke("train", "fit.yaml", "--output", output, "--json", "-q")
    assert trained.exit_code == 0, trained.stderr
    # The file to validate by has dogs alone, in columns of another order.
    assert json.loads(trained.stdout.splitlines()[-1])["validation"]["accuracy"] > 0.95
    (tmp_path / "pets.csv").unlink()
    table(tmp_path / "plain.csv", ["a", "b"], rows)
    table(tmp_path / "turned.csv", ["id", '"b"', "a"], [["no 7", b, a] for a, b in rows])
    plain = asked("plain.csv", output)
    assert plain == asked("turned.csv", output)
    assert np.mean(np.array(plain) == kinds) > 0.95
    table(tmp_path / "less.csv", ["a", "c"], rows)
    less = invoke("train", "fit.yaml", "--output", output, "--predict", "less.csv")
    assert "less.csv has no column 'b'" in less.stderr


def test_rows_to_validate_by_have_the_labels_of_those_to_train_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pets(tmp_path)
    table(tmp_path / "check.csv", ["a", "b", "kind"], [["1", "2", "cow"]])
    (tmp_path / "fit.yaml").write_text(JOB.format(model="logistic"))
    refused = invoke("train", "fit.yaml", "-q").stderr
    assert "rows to validate by have the label 'cow'" in refused


def test_sparse_rows_and_arrays_are_asked_about_without_labels(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1:0.5 3:1\n2:2\n")
    np.savez(tmp_path / "a.npz", x=np.eye(3))
    for name in ("a.svm", "a.npz"):
        assert rows_to_ask(tmp_path / name, 3, ["a", "b", "c"]).x.shape[1] == 3
        with pytest.raises(ExecutionError, match="have 3 features, and the model was trained on 2"):
            rows_to_ask(tmp_path / name, 2, [])
    with pytest.raises(ExecutionError, match="a.npz has no array 'y'"):
        read_rows(tmp_path / "a.npz")
    with pytest.raises(ExecutionError, match="a.svm has no columns, of which 'kind' could be one"):
        read_rows(tmp_path / "a.svm", "kind")


@pytest.mark.parametrize(
    ("labels", "kind"), [(["1", "0", "2"], "i"), (["1.0", "0", "2"], "f"), (["x", "y", "z"], "U")]
)
def test_labels_are_as_the_file_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, labels: list[str], kind: str
) -> None:
    monkeypatch.setattr("tunewise.job.training.rows._BLOCK", 2)
    table(tmp_path / "a.csv", ["label", "a"], [[label, "1"] for label in labels])
    (tmp_path / "a.svm").write_text("".join(f"{label} 1:1\n" for label in labels))
    for name, column in (("a.csv", "label"), ("a.svm", None)):
        read = read_rows(tmp_path / name, column).y
        assert read.dtype.kind == kind and read.astype(str).tolist()[0] == labels[0]


def test_columns_that_pandas_numbers_are_a_head_line(tmp_path: Path) -> None:
    table(tmp_path / "a.csv", ["0", "1"], [["1.5", "0"], ["2.5", "1"]])
    assert read_rows(tmp_path / "a.csv").rows == 2


def test_rows_of_parquet_are_what_was_written(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs pip install 'tunewise[parquet]'")
    parquet = pytest.importorskip("pyarrow.parquet")
    made = dense(20, 2)
    table = arrow.table({"class": made.y, "a": made.x[:, 0], "b": made.x[:, 1]})
    parquet.write_table(table, tmp_path / "rows.parquet")
    read = read_rows(tmp_path / "rows.parquet", "class")
    np.testing.assert_allclose(read.x, made.x)
    assert (read.y == made.y).all()
