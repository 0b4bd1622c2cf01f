"""What a person sees while a training is tuned: a living line, and a line for each switch."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from tunewise.errors import TunewiseError
from tunewise.format import config, duration, money, number
from tunewise.job.training.file import TrainFile
from tunewise.online import Tuner

if TYPE_CHECKING:
    from rich.status import Status
    from rich.text import Text

_EVERY = 0.5
"""Seconds between two drawings of the living line."""

_LOOK_AHEAD = 5.0
"""Seconds between two estimates of what is left."""


class Live:
    """Shows a training on standard error, or gives its decisions to whoever hears them."""

    def __init__(
        self,
        tuner: Tuner,
        file: TrainFile,
        *,
        quiet: bool,
        hears: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        """Nothing is drawn before the training begins."""
        from tunewise.screen import screen

        self._tuner, self._file, self._hears = tuner, file, hears
        self._console = screen(stderr=True, quiet=quiet or hears is not None)
        self._status: Status | None = None
        self._drawn = self._estimated = 0.0
        self._left = ""
        self._seen = 0

    def __enter__(self) -> Self:
        """Say what is about to happen."""
        tuner, file = self._tuner, self._file
        again = f", resumed after {tuner.iterations:,} iterations" if tuner.iterations else ""
        self._console.print(f"{file.name}: until {file.until}, least {file.fields.minimize}{again}")
        self._console.print(f"begins under {config(tuner.setting)}")
        self._seen = len(tuner.believed)
        if self._console.is_terminal and not self._console.quiet:
            self._status = self._console.status(self._line())
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the living line away."""
        if self._status is not None:
            self._status.stop()

    def look(self, tuner: Tuner) -> None:
        """Draw what is new."""
        now = time.monotonic()
        believed = tuner.believed_since(self._seen)
        for each in believed:
            self._tell(each.at, each.iteration, each.setting, each.why)
        self._seen += len(believed)
        if self._status is not None and now - self._drawn >= _EVERY:
            self._drawn = now
            self._status.update(self._line())

    def _tell(self, at: float, iteration: int, setting: dict[str, object], why: str) -> None:
        tuner = self._tuner
        if self._hears is not None:
            said = {"seconds": at, "iteration": iteration, "setting": setting, "why": why}
            self._hears({"event": "decision", **said, "loss": tuner.loss})
            return
        if not why or why == "the best so far":
            return
        loss = "" if tuner.loss != tuner.loss else f"  loss {number(tuner.loss)}"
        self._console.print(
            f"{duration(at):>9}  #{iteration:,}{loss}  → {config(setting)}  ({why})",
            soft_wrap=True,
        )

    def _line(self) -> "Text":
        """Loss, seconds an iteration, setting, what is left, and what it costs."""
        from rich.text import Text

        tuner = self._tuner
        parts = [f"{duration(tuner.seconds)}, {tuner.iterations:,} iterations"]
        if tuner.loss == tuner.loss:
            parts.append(f"loss {number(tuner.loss)}")
        if (each := tuner.per_iteration) > 0:
            parts.append(f"{duration(each)} each")
        parts.append(config(tuner.setting))
        now = time.monotonic()
        if now - self._estimated >= _LOOK_AHEAD and tuner.iterations > 3:
            self._estimated, left = now, tuner.remaining
            low, high = (max(float(left.quantile(p)), 0.0) for p in (0.1, 0.9))
            self._left = f"left {duration(low)} to {duration(high)}"
        if self._left:
            parts.append(self._left)
        with suppress(TunewiseError):  # a price that is none is told at the end
            if (spent := self._file.spent(tuner)) is not None:
                parts.append(money(spent))
        return Text(" · ".join(parts))
