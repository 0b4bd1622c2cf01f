"""Self-tuned trainings of one job, by several managers, and what they are measured by."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from benchmarks.self_tuning.estimators import KINDS, error
from benchmarks.self_tuning.jobs import DEFAULT, SPACE, Job
from benchmarks.self_tuning.throughput import Throughput
from benchmarks.self_tuning.truth import MOST_UPDATES
from tunewise.online import Tuner, Until, follow
from tunewise.online.managers.named import thesis_manager
from tunewise.online.managers.selftf import SelfTf
from tunewise.paramserver import Setting
from tunewise.paramserver.setting import Scheme
from tunewise.report.training.course import outcomes
from tunewise.space import Config

SHARES = (0.25, 0.5, 0.75)
"""Of the way, at which the time left is asked for."""

MANAGERS = ("pace", "selftf", "selftf_since_switch", "selftf_stateless", "throughput")


@dataclass(frozen=True)
class Told:
    """A stated range of the seconds that are left, and what came true.

    Attributes:
        at: Seconds since the training began.
        low: The range's lower end.
        high: Its upper end.
        true: Seconds that were left.
    """

    at: float
    low: float
    high: float
    true: float


@dataclass(frozen=True)
class Tuned:
    """One self-tuned training.

    Attributes:
        seconds: Until the target, switches included.
        iterations: Until the target.
        switches: How many.
        reconfiguration: Seconds of them.
        final: The setting at the end.
        told: What was believed at each decision, and what came true.
        thesis: Errors of the time left by the thesis' estimators, at 25, 50 and 75 %.
        reached: Whether the target was; otherwise seconds and iterations are what was spent.
    """

    seconds: float
    iterations: int
    switches: int
    reconfiguration: float
    final: Config
    told: Sequence[Told]
    thesis: Mapping[str, Sequence[float]]
    reached: bool = True

    def errors(self, share: float) -> float:
        """Relative error of the estimate nearest to a share of the way."""
        if not self.told:
            return float("inf")
        nearest = min(self.told, key=lambda each: abs(each.at - share * self.seconds))
        return abs(float(np.sqrt(nearest.low * nearest.high)) / max(nearest.true, 1e-9) - 1)

    @property
    def held(self) -> float:
        """The share of stated ranges, from a tenth of the way on, that held the truth."""
        late = [e for e in self.told if 0.1 * self.seconds <= e.at <= 0.95 * self.seconds]
        held = [each.low <= each.true <= each.high for each in late]
        return float(np.mean(held)) if held else float("nan")


def together(config: Config) -> int:
    """Iterations that come together: one of each worker, where there is no barrier."""
    return 1 if config["consistency"] == "bsp" else int(config["workers"])


def each(config: Config) -> int:
    """Iterations of a try."""
    return max(2 * together(config), 4)


def kinds(old: Config, new: Config) -> frozenset[str]:
    """What kind of change leads from one setting to another."""
    return Setting.of(old).changes_to(Setting.of(new))


def tuned(
    job: Job, name: str, seed: int, scheme: Scheme = "background", optimum: float = 0.0
) -> Tuned:
    """Let a manager tune a job."""
    until = Until(loss=job.target)
    manager: str | SelfTf | Throughput = name
    if name.startswith("selftf"):
        manager = thesis_manager(name, SPACE, until, None, 0, least=optimum)
    elif name == "throughput":
        manager = Throughput(SPACE, until, each, seed=seed)
    simulation = job.begin(DEFAULT, seed, scheme)
    tuner = Tuner(
        SPACE,
        until,
        default=DEFAULT,
        each=each,
        together=together,
        classify=kinds,
        manager=manager,
        seed=seed,
    )
    with suppress(_EnoughError):
        follow(simulation, tuner, Setting.of, look=_limit)
    ran = tuner.switches
    moved = sum(stretch.reconfiguration for stretch in ran)
    # What was believed of a training that never ended has not come true.
    ended = outcomes(tuner) if tuner.done else []
    told = [Told(e.believed.at, e.low, e.high, e.true or 0.0) for e in ended]
    thesis = {
        kind: [
            error(tuner.course.segments, kind, at, job.target, optimum) if tuner.done else np.inf
            for at in SHARES
        ]
        for kind in KINDS
    }
    final = dict(tuner.setting)
    return Tuned(
        tuner.seconds, tuner.iterations, len(ran) - 1, moved, final, told, thesis, tuner.done
    )


class _EnoughError(Exception):
    """A training does not reach its target."""


def _limit(tuner: Tuner) -> None:
    """End a training where a setting alone would have been ended, too."""
    updates = sum(
        len(each.iterations) * (each.setting["workers"] if each.round == 1 else 1)
        for each in tuner.course.segments
    )
    if updates > MOST_UPDATES:
        raise _EnoughError
