"""Changing a DataLoader of PyTorch in place, for loops that keep one loader all the time."""

from typing import Any

from tunewise.errors import ExecutionError


def change_loader(
    loader: Any,
    *,
    workers: int | None = None,
    prefetch: int | None = None,
    batch_size: int | None = None,
) -> None:
    """Let a `torch.utils.data.DataLoader` go on under another setting, from its next epoch on.

    ```python
    for setting in tuner:
        change_loader(loader, workers=setting["workers"])
        for batch in loader:
            ...
    ```

    Processes that it keeps for the epochs to come (`persistent_workers`) are ended; the next epoch
    starts others.

    Args:
        loader: The loader.
        workers: Its processes, 0 to load in the training's own; None leaves them as they are.
        prefetch: Batches that each of them has ready; None leaves it.
        batch_size: Rows of a batch, where the loader makes its batches itself; None leaves it.

    Raises:
        ExecutionError: The loader is none, or its batches are made by a sampler of your own.
    """
    if not hasattr(loader, "num_workers") or not hasattr(loader, "_iterator"):
        raise ExecutionError(
            f"loader is a {type(loader).__name__}; expected a torch.utils.data.DataLoader"
        )
    for name, told, least in (("workers", workers, 0), ("prefetch", prefetch, 1)):
        _check(name, told, least)
    if batch_size is not None:
        _check("batch_size", batch_size, 1)
        _batches_of(loader, batch_size)
    if loader._iterator is not None:
        loader._iterator._shutdown_workers()
        loader._iterator = None
    loader.num_workers = loader.num_workers if workers is None else workers
    kept = prefetch or loader.prefetch_factor or 2  # PyTorch's own default
    loader.prefetch_factor = kept if loader.num_workers else None


def _batches_of(loader: Any, size: int) -> None:
    if loader.batch_size is None or not hasattr(loader.batch_sampler, "batch_size"):
        raise ExecutionError(
            "batch_size cannot be changed: the loader takes its batches from a sampler of its own;"
            " expected DataLoader(…, batch_size=…)"
        )
    loader.batch_sampler.batch_size = size
    # A loader refuses this to whoever does not change its sampler too.
    object.__setattr__(loader, "batch_size", size)


def _check(name: str, told: int | None, least: int) -> None:
    if told is None:
        return
    if isinstance(told, bool) or not isinstance(told, int) or told < least:
        raise ExecutionError(f"{name} is {told!r}; expected a whole number, {least} or above")
