"""Whether an error says that a setting takes more than the machine has, whoever raised it."""

import errno
import os

_SCARCE = (errno.ENOMEM, errno.ENOSPC, errno.EAGAIN, errno.EMFILE, errno.ENFILE)
"""What the system says where there is no more memory, shared memory, process or open file."""

_SAID = (
    *(os.strerror(code).lower() for code in _SCARCE),
    "out of memory",  # CUDA, and torch.OutOfMemoryError
    "can't allocate memory",  # PyTorch on the processor
    "status_alloc_failed",  # cuBLAS and cuDNN
    "can't start new thread",
    "memoryerror",  # raised in another process, and told of here
    # What the kernel does to a process where memory, or shared memory, is used up.
    "by signal: killed",
    "by signal: bus error",
)

_WHY = ("by signal:", "exit code")
"""How PyTorch says what a worker of a loader died of, where it knows."""


def out_of_memory(error: BaseException) -> bool:
    """Whether an error, or what caused it, says that memory or the like is used up.

    >>> out_of_memory(RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"))
    True
    >>> out_of_memory(RuntimeError("shapes cannot be multiplied"))
    False
    """
    chain: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in chain:
        chain.append(cause)
        cause = cause.__cause__
    if any(_scarce(each) for each in chain):
        return True
    said = "\n".join(map(str, chain)).lower()
    vanished = "dataloader worker" in said and not any(sign in said for sign in _WHY)
    return any(sign in said for sign in _SAID) or vanished and "exited unexpectedly" in said


def _scarce(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or isinstance(error, OSError) and error.errno in _SCARCE
