"""Numbers as trainings tell them: Python's own, or scalars of numpy, torch and the like."""

from typing import Any

from tunewise.errors import MeasurementError


def scalar(name: str, value: Any) -> float:
    """The number that a value is; no library that it may come from is imported.

    >>> scalar("loss", 1)
    1.0
    """
    wrong = MeasurementError(f"{name} is {value!r}; expected a number")
    if isinstance(value, bool | str | bytes | bytearray) or getattr(value, "shape", ()) != ():
        raise wrong
    try:
        # A tensor that gradients flow through warns when it is converted, not when it is asked.
        plain = value.item() if hasattr(value, "item") else value
        if isinstance(plain, bool):
            raise wrong
        return float(plain)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise wrong from error
