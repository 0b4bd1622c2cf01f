"""Images and other tensors, scaled by what the training part has."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def learned(inputs: Array, power: float | None) -> dict[str, Any]:
    """The range of the values, and mean and spread after it was mapped to 0 and 1."""
    low, high = float(inputs.min()), float(inputs.max())
    plain = {"kind": "tensor", "low": low, "range": (high - low) or 1.0, "power": power}
    sample = scaled(inputs[:2000], plain)
    return {**plain, "mean": float(sample.mean()), "scale": float(sample.std()) or 1.0}


def scaled(inputs: Array, encoder: Mapping[str, Any]) -> Array:
    """Values between 0 and 1, and `-x^2k + x^k` of them where a power k is given."""
    x = (inputs - np.float32(encoder["low"])) * np.float32(1.0 / encoder["range"])
    if encoder["power"] is None:
        return x
    raised = np.clip(x, 0.0, 1.0) ** np.float32(encoder["power"])
    return np.asarray(raised - raised**2)


def ready(encoder: Mapping[str, Any]) -> Callable[[Any], dict[str, Array]]:
    """Arrays (n, height, width, channels) as (n, channels, height, width) around 0."""
    mean, factor = np.float32(encoder["mean"]), np.float32(1.0 / encoder["scale"])

    def encoded(inputs: Any) -> dict[str, Array]:
        x = (scaled(np.asarray(inputs, np.float32), encoder) - mean) * factor
        return {"x": np.ascontiguousarray(np.moveaxis(x, -1, 1))}

    return encoded
