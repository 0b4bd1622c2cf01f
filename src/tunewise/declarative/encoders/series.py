"""Series: scaled steps of one length, and numbers that describe a whole series."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

LONGEST = 200
"""Steps that models see: of longer series the means of blocks of steps."""

QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
LAGS = (1, 2, 3, 5, 8, 13)
"""Steps back that a series is compared with itself at."""

BANDS = 12
"""Of frequencies, the lowest first."""


def learned(inputs: Sequence[Any], end: bool = True) -> dict[str, Any]:
    """The longest series, and mean and spread of each number; aligned at their ends, or not."""
    arrays = [steps(value) for value in inputs]
    longest = max(len(each) for each in arrays)
    together = np.concatenate(arrays).astype(np.float64)
    spread = together.std(axis=0)
    block = ceil(longest / LONGEST)
    return {
        "kind": "series",
        "block": block,
        "length": ceil(longest / block),
        "end": end,
        "mean": together.mean(axis=0).tolist(),
        "scale": np.where(spread > 1e-12, spread, 1.0).tolist(),
    }


def steps(value: Any) -> Array:
    """A chain as (steps, numbers); the numbers of several fields stand side by side."""
    if isinstance(value, np.ndarray):
        return value.reshape(len(value), -1)
    rows = [
        np.concatenate([np.ravel(np.asarray(each, np.float32)) for each in _numeric(step)])
        for step in value
    ]
    return np.stack(rows).astype(np.float32)


def _numeric(step: Any) -> list[Any]:
    parts = list(step.values()) if isinstance(step, Mapping) else [step]
    return [len(part) if isinstance(part, str) else part for part in parts]


def scaled(encoder: Mapping[str, Any]) -> Callable[[Any], Array]:
    """A function from one series to its scaled steps, blocks of them averaged."""
    mean, factor = np.array(encoder["mean"]), 1.0 / np.array(encoder["scale"])
    block = int(encoder["block"])

    def one(value: Any) -> Array:
        x = (steps(value) - mean) * factor
        if block > 1:
            places = np.arange(0, len(x), block)
            x = np.add.reduceat(x, places) / np.diff([*places, len(x)])[:, None]
        return np.asarray(x, np.float32)

    return one


def ready(encoder: Mapping[str, Any]) -> Callable[[Any], dict[str, Array]]:
    """(n, length, numbers + 1): what of each series fits; the last number says that it is there."""
    one, length, width = scaled(encoder), int(encoder["length"]), len(encoder["mean"])
    end = encoder.get("end", True)

    def encoded(inputs: Any) -> dict[str, Array]:
        found = np.zeros((len(inputs), length, width + 1), np.float32)
        for row, value in enumerate(inputs):
            x = one(value)
            x = x[-length:] if end else x[:length]
            places = slice(length - len(x), length) if end else slice(0, len(x))
            found[row, places, :width], found[row, places, width] = x, 1.0
        return {"x": found}

    return encoded


def ready_features(encoder: Mapping[str, Any]) -> Callable[[Any], dict[str, Array]]:
    """Rows of numbers that describe each series."""
    one, length = scaled(encoder), int(encoder["length"])

    def encoded(inputs: Any) -> dict[str, Array]:
        return {"x": np.stack([described(one(value), length) for value in inputs])}

    return encoded


def described(x: Array, length: int) -> Array:
    """Level, spread, shape, rhythm and trend of a series (steps, numbers)."""
    difference = np.diff(x, axis=0, append=x[-1:])
    centred = x - x.mean(axis=0)
    power = (centred**2).sum(axis=0) + 1e-9
    same = [
        (centred[lag:] * centred[:-lag]).sum(axis=0) / power if lag < len(x) else 0 * power
        for lag in LAGS
    ]
    spectrum = np.abs(np.fft.rfft(centred, n=max(length, 2 * BANDS), axis=0)) ** 2
    edges = np.unique(np.geomspace(1, len(spectrum), BANDS + 1).astype(int))
    bands = [
        np.log(spectrum[a:b].sum(axis=0) + 1e-6) for a, b in zip(edges, edges[1:], strict=False)
    ]
    time = np.linspace(-1, 1, len(x))[:, None]
    parts = [
        *np.quantile(x, QUANTILES, axis=0),
        x.mean(axis=0),
        x.std(axis=0),
        x[0],
        x[-1],
        np.abs(difference).mean(axis=0),
        difference.std(axis=0),
        *same,
        *bands,
        (time * centred).mean(axis=0),
        (centred[1:] * centred[:-1] < 0).mean(axis=0) if len(x) > 1 else 0 * power,
    ]
    return np.concatenate([*parts, [len(x) / length]]).astype(np.float32)


def outputs(sequences: Sequence[Any]) -> tuple[dict[str, Any], Array]:
    """How sequences that come out are decoded, and they as (n, length, numbers + 1) from 0 on."""
    arrays = [steps(value) for value in sequences]
    longest = min(LONGEST, max(len(each) for each in arrays))
    together = np.concatenate(arrays).astype(np.float64)
    spread = together.std(axis=0)
    mean, scale = together.mean(axis=0), np.where(spread > 1e-12, spread, 1.0)
    found = np.zeros((len(arrays), longest, arrays[0].shape[1] + 1), np.float32)
    for row, x in enumerate(arrays):
        x = x[:longest]
        found[row, : len(x), :-1], found[row, : len(x), -1] = (x - mean) / scale, 1.0
    return {"kind": "series", "mean": mean.tolist(), "scale": scale.tolist()}, found


def decode(decoder: Mapping[str, Any], found: Array) -> list[Array]:
    """Sequences of what a graph put out: each as long as it says that there are steps."""
    mean, scale = np.array(decoder["mean"]), np.array(decoder["scale"])
    return [(row[: _length(row[:, -1]), :-1] * scale + mean).astype(np.float32) for row in found]


def _length(there: Array) -> int:
    """Steps until the first that is none, one at least."""
    ends = np.flatnonzero(there < 0.5)
    return max(1, int(ends[0]) if len(ends) else len(there))
