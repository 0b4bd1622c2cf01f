"""PNG, JPEG, TIFF and BMP as tensors of the declared size."""

import warnings
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunewise.declarative.examples.raw import Notes
from tunewise.errors import TaskError, optional

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")

MOST_PIXELS = 40_000_000
"""Of one image, by its header: a photograph of 40 megapixels; a bomb claims more."""

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}


def image(content: bytes, shape: tuple[int, ...], notes: Notes) -> NDArray[np.float32]:
    """The image with values from 0 to 1, resized to the shape (height, width, channels).

    Raises:
        TaskError: Where it is none, or too large.
    """
    if len(shape) != 3 or shape[2] not in _MODES:
        raise TaskError(f"an image where the program expects a tensor of {list(shape)}")
    found = _opened(content)
    size = (found.height, found.width)
    notes.stacks += getattr(found, "n_frames", 1) > 1
    array = _array(found, shape)
    if size != shape[:2]:
        notes.resized[size] = notes.resized.get(size, 0) + 1
    return array


def size_of(content: bytes) -> tuple[int, int, int]:
    """Height, width and channels of an image."""
    found = _opened(content)
    grey = found.mode in ("1", "L", "I", "F") or found.mode.startswith("I;")
    return found.height, found.width, 1 if grey else 3


def _opened(content: bytes) -> Any:
    pillow = optional("PIL.Image", "tasks")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a bomb is only warned of
        try:
            found = pillow.open(BytesIO(content), formats=["PNG", "JPEG", "TIFF", "BMP"])
        except Exception as error:  # noqa: BLE001 - whatever a hostile file makes of the reader
            raise TaskError(f"it cannot be read as an image ({_brief(error)})") from error
    if found.width * found.height > MOST_PIXELS:
        raise TaskError(f"an image of {found.width} x {found.height}; at most {MOST_PIXELS} pixels")
    return found


def _array(found: Any, shape: tuple[int, ...]) -> NDArray[np.float32]:
    pillow = optional("PIL.Image", "tasks")
    height, width, channels = shape
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            deep = found.mode.startswith("I;16") or found.mode in ("I", "F")
            found.draft(_MODES[channels], (width, height))  # a JPEG is decoded near its size
            plain = found.convert("F" if deep else _MODES[channels])
            if plain.size != (width, height):
                plain = plain.resize((width, height), pillow.Resampling.BILINEAR)
            array = np.asarray(plain, np.float32)
    except Exception as error:  # noqa: BLE001 - whatever a hostile file makes of the reader
        raise TaskError(f"the image is broken ({_brief(error)})") from error
    if deep:
        white = 1 if found.mode == "F" and array.max() <= 1 else 65535
        array = np.repeat((array / np.float32(white)).clip(0, 1)[:, :, None], channels, axis=2)
    else:
        array = array.reshape(shape) / np.float32(255)
    return array.astype(np.float32)


def _brief(error: Exception) -> str:
    text = str(error).split("<")[0].strip()
    return (text or type(error).__name__)[:80]
