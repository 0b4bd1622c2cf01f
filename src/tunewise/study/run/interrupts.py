"""Steps that an interrupt must not cut in two: Ctrl-C in the midst of one is heard behind it."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_HEARD = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """What stands inside is done as a whole; a signal that comes meanwhile is handled after it.

    Only signals with a handler in Python wait, and only in the main thread, where such handlers
    run. Keep it short: a person is waiting.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], Any]] = {}
    waiting: list[tuple[signal.Signals, FrameType | None]] = []

    def keep(number: int, frame: FrameType | None) -> None:
        waiting.append((signal.Signals(number), frame))

    try:
        for number in _HEARD:
            handler = signal.getsignal(number)
            if callable(handler):
                handlers[number] = handler
                signal.signal(number, keep)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for heard, frame in waiting:
        handlers[heard](heard, frame)
