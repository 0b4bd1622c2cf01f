"""A loader that is kept goes on under another setting."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'tunewise[torch]'")

from torch.utils.data import DataLoader, TensorDataset  # noqa: E402 - PyTorch may be absent

from tunewise.errors import ExecutionError  # noqa: E402
from tunewise.online.loader import change_loader  # noqa: E402


def rows(loader: DataLoader) -> list[list[int]]:
    return [batch[0].tolist() for batch in loader]


def test_a_loader_that_keeps_its_processes_goes_on_with_others_and_the_same_rows() -> None:
    data = TensorDataset(torch.arange(12))
    loader = DataLoader(data, batch_size=3, num_workers=1, persistent_workers=True)
    before = rows(loader)
    old = list(loader._iterator._workers)
    change_loader(loader, workers=2, prefetch=3)
    assert not any(each.is_alive() for each in old)
    assert rows(loader) == before
    assert len(loader._iterator._workers) == 2
    change_loader(loader, workers=0)
    assert rows(loader) == before


def test_the_rows_of_a_batch_are_changed_too() -> None:
    loader = DataLoader(TensorDataset(torch.arange(6)), batch_size=3)
    change_loader(loader, batch_size=2)
    assert rows(loader) == [[0, 1], [2, 3], [4, 5]]
    assert loader.batch_size == 2


def test_what_is_no_loader_and_what_is_no_number_is_refused() -> None:
    with pytest.raises(ExecutionError, match="expected a torch.utils.data.DataLoader"):
        change_loader([1, 2], workers=1)
    loader = DataLoader(TensorDataset(torch.arange(6)), batch_size=None)
    with pytest.raises(ExecutionError, match="workers is -1"):
        change_loader(loader, workers=-1)
    with pytest.raises(ExecutionError, match="sampler of its own"):
        change_loader(loader, batch_size=2)
