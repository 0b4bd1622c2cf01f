"""Watches one command, run in this process: its exit code, its words, its time."""

import re
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType

import tunewise as tw
from tests.cli.shell import invoke
from tunewise.cli.exit_codes import EXIT_CODES
from tunewise.errors import TunewiseError

LONGEST = 10.0
"""Seconds that a command may compute, and seconds that it may sleep: a busy machine is no defect.

It sleeps while it neither runs nor waits for a processor; the kernel counts both (schedstat)."""

_SCHEDSTAT = Path("/proc/self/schedstat")

MOST_MEMORY = 500
"""MB that a command may hold at its peak: the process at its first input, and what this one adds.

What the fuzzer itself gathers over thousands of inputs is not the command's."""

_UNSAID = re.compile(r"Traceback|this should not happen|internal error")


class Hang(BaseException):
    """A command took too long; nothing that catches errors catches this."""


@dataclass
class Watch:
    """What was seen: how many inputs, how they ended, and every defect once, with an input."""

    count: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    longest: float = 0.0
    first_memory: float | None = None
    most_memory: float = 0.0
    defects: dict[str, str] = field(default_factory=dict)

    def command(self, words: list[str], folder: Path, given: object) -> None:
        """Run `tunewise` in a folder; `given` is what is shown when that goes wrong."""
        with self._timed(given), chdir(folder):
            done = invoke(*words)
            self.ended[str(done.exit_code)] += 1
            if done.exception is not None and not isinstance(done.exception, SystemExit):
                self._note(_signature(done.exception), given)
            elif done.exit_code not in EXIT_CODES:
                self._note(f"exit code {done.exit_code}", given)
            elif _UNSAID.search(done.stdout + done.stderr):
                again = invoke("--debug", *words).exception
                self._note(_signature(again) if again else done.stderr[-200:], given)

    def call(self, function: Callable[[], object], given: object) -> None:
        """Call a function that answers, or raises one of our own errors."""
        with self._timed(given):
            try:
                function()
                self.ended["answered"] += 1
            except TunewiseError:
                self.ended["refused"] += 1
            except Exception as error:
                self._note(_signature(error), given)

    def refuse(self, what: str, found: bool, given: object) -> None:
        """Note a defect where it was found."""
        if found:
            self._note(what, given)

    def check(self) -> None:
        """Fail with every defect, and one input that shows it."""
        shown = "\n".join(f"- {what}\n    {given}" for what, given in self.defects.items())
        assert not self.defects, f"{len(self.defects)} defects in {self.count} inputs:\n{shown}"

    def summary(self) -> str:
        """One line for people."""
        ends = ", ".join(f"{end}: {n}" for end, n in sorted(self.ended.items()))
        return (
            f"{self.count} inputs ({ends}), {len(self.defects)} defects, longest"
            f" {self.longest:.1f} s, peak memory {self.most_memory:.0f} MB (with the fuzzer's own"
            f" {peak_memory()} MB)"
        )

    @contextmanager
    def _timed(self, given: object) -> Iterator[None]:
        self.count += 1
        if self.first_memory is None:
            self.first_memory = min(_status("VmRSS"), fresh_memory())
        clock, held = _Clock(), _Memory()

        def ring(number: int, frame: FrameType | None) -> None:
            if clock.taken() >= LONGEST:
                raise Hang

        rings = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
        before = {number: signal.signal(number, ring) for number in rings}
        for timer in rings.values():
            signal.setitimer(timer, LONGEST / 10, LONGEST / 10)
        try:
            yield
        except Hang:
            self._note(f"longer than {LONGEST:g} s", given)
        finally:
            for timer in rings.values():
                signal.setitimer(timer, 0)
            for number, handler in before.items():
                signal.signal(number, handler)
            self.longest = max(self.longest, clock.taken())
            memory = self.first_memory + held.added()
            self.most_memory = max(self.most_memory, memory)
            if memory > MOST_MEMORY:
                self._note(f"more than {MOST_MEMORY} MB", given)

    def _note(self, what: str, given: object) -> None:
        text = str(given)
        self.defects.setdefault(what, text if len(text) < 3000 else f"{text[:3000]}...")


def peak_memory() -> int:
    """MB that this process held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@cache
def fresh_memory() -> float:
    """MB of a new process that has loaded what a search needs, and nothing else.

    One that holds more at its first input has run other tests before, and what they have gathered
    is not the command's.
    """
    look = "from tests.fuzz import watch; print(watch.memory_after_a_search())"
    command = [sys.executable, "-c", look]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def memory_after_a_search() -> float:
    """MB of this process once it has searched a little."""
    problem = tw.Problem(tw.Space(tw.Real("x", 0, 1)), minimize="loss", fractions=[0.5, 1.0])
    study = tw.Study(problem, "trimtuner")
    for loss in (3.0, 2.0, 1.0, 2.5, 1.5):
        study.tell(study.ask(), {"loss": loss, "time": 1.0, "cost": 1.0})
    return _status("VmRSS")


def _signature(error: BaseException) -> str:
    """One defect has one signature: what was raised, and the last of our lines on the way."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "tunewise" in f.filename]
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
    return f"{type(error).__name__} at {where}: {str(error)[:120]}"


class _Clock:
    """Seconds that the main thread has computed or slept, whichever is more."""

    def __init__(self) -> None:
        self._began = self._now()

    def taken(self) -> float:
        wall, ran, queued = (a - b for a, b in zip(self._now(), self._began, strict=True))
        return max(ran, wall - ran - queued)

    @staticmethod
    def _now() -> tuple[float, float, float]:
        """Seconds by the clock, of the processor, and of waiting for one."""
        if not _SCHEDSTAT.exists():  # then only what computes is timed
            ran = time.process_time()
            return ran, ran, 0.0
        ran, queued, _ = map(int, _SCHEDSTAT.read_text().split())
        return time.monotonic(), ran * 1e-9, queued * 1e-9


class _Memory:
    """MB that the process held before, and what it held more since, at the most."""

    def __init__(self) -> None:
        with suppress(OSError):  # without it the peak is that of the whole life: never too low
            Path("/proc/self/clear_refs").write_text("5")
        self.before = _status("VmRSS")

    def added(self) -> float:
        return max(_status("VmHWM") - self.before, 0.0)


def _status(name: str) -> float:
    """MB by the kernel's account; 0 where it keeps none."""
    status = Path("/proc/self/status")
    found = re.search(rf"^{name}:\s+(\d+) kB", status.read_text() if status.exists() else "", re.M)
    return int(found[1]) / 1024 if found else 0.0
