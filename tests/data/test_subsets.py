from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import pytest

from tunewise.data import subset
from tunewise.errors import DataError
from tunewise.execution import RunningTrial
from tunewise.history import Trial

LABELS = np.arange(200) % 4


def test_arrays_are_cut_alike_and_stay_arrays() -> None:
    images = np.arange(400).reshape(200, 2)
    cut, labels = subset(images, LABELS, fraction=0.1, stratify=LABELS)
    assert cut.shape == (20, 2)
    assert (cut[:, 0] // 2 % 4 == labels).all()
    assert np.bincount(labels).tolist() == [5, 5, 5, 5]


def test_lists_and_tuples_keep_their_type() -> None:
    numbers = list(range(100))
    assert isinstance(subset(numbers, fraction=0.2), list)
    assert subset(tuple(numbers), fraction=0.2) == tuple(subset(numbers, fraction=0.2))


def test_a_frame_is_cut_by_a_column_of_its_own() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": range(200), "kind": [f"k{i}" for i in LABELS]})
    cut = subset(frame, fraction=0.1, stratify="kind")
    assert cut["kind"].value_counts().tolist() == [5, 5, 5, 5]
    assert list(cut.columns) == ["x", "kind"]
    with pytest.raises(DataError, match="no column 'sort'"):
        subset(frame, fraction=0.1, stratify="sort")


def test_a_pytorch_data_set_becomes_a_subset_by_its_targets() -> None:
    torch = pytest.importorskip("torch")
    data = torch.utils.data.TensorDataset(torch.arange(200.0), torch.as_tensor(LABELS))
    data.targets = torch.as_tensor(LABELS)
    cut = subset(data, fraction=0.1)
    assert isinstance(cut, torch.utils.data.Subset)
    assert Counter(int(label) for _, label in cut) == {0: 5, 1: 5, 2: 5, 3: 5}


def test_files_are_known_by_name_and_stratified_by_folder() -> None:
    files = [PurePosixPath("/home/anna/clothes", k, f"{i}.png") for k in "ab" for i in range(50)]
    cut = subset(files, fraction=0.1)
    assert Counter(file.parent.name for file in cut) == {"a": 5, "b": 5}
    elsewhere = [Path("/mnt/data", *file.parts[-2:]) for file in reversed(files)]
    assert {file.parts[-2:] for file in subset(elsewhere, fraction=0.1)} == {
        file.parts[-2:] for file in cut
    }
    texts = [str(file) for file in files]
    assert set(subset(texts, fraction=0.1)) == {str(file) for file in cut}


def test_texts_that_are_no_paths_are_cut_too() -> None:
    sentences = [f"sentence {i}, and/or not" if i % 2 else f"sentence {i}" for i in range(100)]
    assert len(subset(sentences, fraction=0.1)) in (10, 11)


def test_a_running_trial_cuts_at_its_own_fraction() -> None:
    trial = RunningTrial.of(Trial(3, {"width": 4}, 0.1))
    cut, labels = trial.subset(np.arange(200), LABELS, stratify=LABELS)
    assert cut.tolist() == subset(np.arange(200), fraction=0.1, stratify=LABELS).tolist()
    assert len(labels) == 20


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ((), "no data to cut"),
        ((np.arange(3), np.arange(4)), "lengths 3, 4"),
        ((iter([1]),), "has no length"),
        (({1: 2},), "a dict cannot be cut"),
    ],
)
def test_what_cannot_be_cut_is_refused_in_a_sentence(data: Any, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        subset(*data, fraction=0.5)


class _Images:
    targets = np.eye(10)  # ten outputs for each, and no class

    def __len__(self) -> int:
        return 10

    def __getitem__(self, places: Any) -> Any:
        return np.arange(10)[places]


def test_targets_that_are_no_classes_are_refused_and_can_be_done_without() -> None:
    with pytest.raises(DataError, match="10x10 classes for 10 items.*stratify=None"):
        subset(_Images(), fraction=0.5)
    assert len(subset(_Images(), fraction=0.5, stratify=None)) in (5, 6)
    assert len(RunningTrial.of(Trial(0, {}, 0.5)).subset(_Images(), stratify=None)) in (5, 6)


def test_nothing_is_cut_to_nothing() -> None:
    assert subset([], fraction=0.5) == []
    assert subset([], fraction=0.5, stratify=[]) == []


def test_a_record_is_to_be_given_field_by_field() -> None:
    class Batch(NamedTuple):
        images: Any
        labels: Any

    batch = Batch(np.arange(200), LABELS)
    with pytest.raises(DataError, match=r"a Batch is one record .* subset\(\*record"):
        subset(batch, fraction=0.5)
    assert len(subset(*batch, fraction=0.5)[1]) in (100, 101)


def test_a_column_may_be_known_by_its_number() -> None:
    table = np.column_stack([np.arange(200), np.asarray(LABELS)])
    kept = subset(table, fraction=0.1, stratify=1)
    assert len(set(Counter(kept[:, 1].tolist()).values())) == 1
    pandas = pytest.importorskip("pandas")
    assert subset(pandas.DataFrame(table), fraction=0.1, stratify=1).to_numpy().tolist() == (
        kept.tolist()
    )
    with pytest.raises(DataError, match="no column 7"):
        subset(table, fraction=0.1, stratify=7)


def test_labels_that_require_a_gradient_are_labels() -> None:
    torch = pytest.importorskip("torch")
    labels = torch.tensor([0.0, 1.0] * 10, requires_grad=True)
    assert len(subset(np.arange(20), fraction=0.5, stratify=labels)) == 10
