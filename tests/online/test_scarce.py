"""Which errors say that a setting takes more than the machine has."""

import errno
import os
import signal
from typing import Any

import pytest

from tunewise.online import Tuner
from tunewise.online.scarce import out_of_memory
from tunewise.space import Ordinal, Space

WORKERS = Space(Ordinal("workers", [0, 2]))


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Speicher kann nicht belegt werden"),
        OSError(errno.EMFILE, "Too many open files"),
        OSError(errno.ENOSPC, "No space left on device"),
        BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"),
        RuntimeError("can't start new thread"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"),
        RuntimeError("unable to write to file </torch_1_2_3>: No space left on device (28)"),
        RuntimeError("Caught MemoryError in DataLoader worker process 0."),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        RuntimeError("DataLoader worker (pid(s) 31, 32) exited unexpectedly"),
    ],
)
def test_what_a_system_or_library_says_of_too_little_is_understood(error: Exception) -> None:
    wrapped = ValueError("the epoch failed")
    wrapped.__cause__ = error
    assert out_of_memory(error) and out_of_memory(wrapped)


def test_other_errors_are_not_taken_for_too_little_memory() -> None:
    code = RuntimeError("DataLoader worker (pid 3) exited unexpectedly with exit code 1.")
    itself = ValueError("its own cause")
    itself.__cause__ = itself
    for error in (FileNotFoundError(errno.ENOENT, "none"), code, itself, KeyError("memory")):
        assert not out_of_memory(error)


def in_a_loader(sign: signal.Signals) -> Tuner:
    """A guarded loop whose loader has workers that a signal ends, as the kernel ends them."""
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'tunewise[torch]'")
    from torch.utils.data import DataLoader, Dataset, get_worker_info

    class Pictures(Dataset[Any]):  # type: ignore[misc] # PyTorch may be absent
        def __len__(self) -> int:
            return 640

        def __getitem__(self, number: int) -> Any:
            if get_worker_info():
                os.kill(os.getpid(), sign)
            return torch.zeros(1)

    tuner = Tuner(WORKERS, "samples >= 6400", tries=1.0)
    for setting in tuner:
        with tuner.guard():
            for x in DataLoader(Pictures(), batch_size=16, num_workers=setting["workers"]):
                tuner.report(samples=len(x), seconds=0.1)
                if tuner.changed:
                    break
    return tuner


@pytest.mark.long
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGBUS])
def test_a_loader_whose_workers_the_kernel_ends_is_ruled_out(sign: signal.Signals) -> None:
    tuner = in_a_loader(sign)
    assert tuner.done and tuner.setting == {"workers": 0}
    assert "workers=2 failed: DataLoader worker" in " ".join(each.why for each in tuner.believed)


@pytest.mark.long
def test_a_loader_whose_workers_have_a_mistake_of_their_own_is_raised() -> None:
    with pytest.raises(RuntimeError, match="DataLoader worker"):
        in_a_loader(signal.SIGSEGV)
