"""Fashion-MNIST as Debian ships it: 70,000 pictures of clothes in ten classes."""

import gzip
import os
import zlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tunewise.errors import DataError

FOLDER = Path("/usr/share/datasets/fashion-mnist")
VARIABLE = "FASHION_MNIST"
SIDE = 14
"""Pixels on a side: blocks of 2 by 2 pixels are one here, so that a training takes seconds."""

Array = npt.NDArray[Any]


class Fashion(NamedTuple):
    """Pictures of `SIDE` by `SIDE` pixels between -1 and 1, and their classes, 0 to 9."""

    images: Array
    labels: Array
    test_images: Array
    test_labels: Array


@cache
def load() -> Fashion:
    """60,000 pictures to train on and 10,000 to test on.

    Raises:
        DataError: Where they are not on this machine, with how to get them.
    """
    folder = Path(os.environ.get(VARIABLE, FOLDER))
    return Fashion(*_part(folder, "train"), *_part(folder, "t10k"))


def _part(folder: Path, name: str) -> tuple[Array, Array]:
    images = _read(folder / f"{name}-images-idx3-ubyte.gz", skip=16)
    labels = _read(folder / f"{name}-labels-idx1-ubyte.gz", skip=8).astype(np.int64)
    if len(images) != len(labels) * (2 * SIDE) ** 2:
        raise _damaged(folder / f"{name}-images-idx3-ubyte.gz")
    blocks = images.reshape(len(labels), SIDE, 2, SIDE, 2).mean(axis=(2, 4), dtype=np.float32)
    return blocks / 127.5 - 1.0, labels


def _read(file: Path, skip: int) -> Array:
    try:
        with gzip.open(file) as opened:
            return np.frombuffer(opened.read(), dtype=np.uint8)[skip:]
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged(file) from error
    except OSError as error:
        raise DataError(
            f"Fashion-MNIST is not in {file.parent}; install it with `apt-get install"
            f" dataset-fashion-mnist`, or set {VARIABLE} to a folder with its four files"
        ) from error


def _damaged(file: Path) -> DataError:
    return DataError(f"{file} is damaged or cut off; install or copy Fashion-MNIST again")
