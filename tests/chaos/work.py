"""Four processes of `tunewise work` on one PostgreSQL, killed at random: budgets and trials hold.

Usage: python -m tests.chaos.work [--scenarios 100] [--at-once 3] [--seed 0]

Each scenario is a study with a random budget, price and billing. Four processes join it by what
`tunewise work` calls; some are killed, and others take their places. A second costs a dollar or so,
so that fractions of a second matter. Found is what was spent above the budget, trials that nobody
accounts for, and trials that ran twice at once or after they had been told.
"""

import argparse
import json
import os
import random
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import tunewise as tw
from tests.chaos.budgets import LOOP_TICK
from tests.postgres import binaries, private_server
from tunewise.cli.tuning.run import join
from tunewise.job.jobfile import parse
from tunewise.storage import open_store
from tunewise.study.record import JobText, Notes

PROCESSES = 4

JOB = """\
name: s
python: job.py:run
space:
  kind: [1, 2, 3]
  x: {integer: [0, 50]}
maximize: accuracy
price: RATE * 3600 * kind / 3
billing: {tick: TICK, minimum: MINIMUM}
budget: BUDGET
strategy: random
seed: SEED
trials: 24
retries: RETRIES
"""

PYTHON = '''\
import os
import random
import signal
import time
from pathlib import Path

LEDGER = Path(__file__).with_name("ledger")


def note(line):
    file = os.open(LEDGER, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{line}\\n".encode())
    os.close(file)


def others(number):
    """Processes that were begun for the trial before, and still live."""
    lines = LEDGER.read_text().splitlines() if LEDGER.exists() else []
    pids = [int(line.split()[2]) for line in lines if line.startswith(f"start {number} ")]
    return [pid for pid in pids if pid != os.getpid() and alive(pid)]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def run(trial):
    until = time.monotonic() + 10
    while others(trial.number) and time.monotonic() < until:
        time.sleep(0.02)
    if others(trial.number):
        note(f"double {trial.number} {os.getpid()} {time.time()}")
    note(f"start {trial.number} {os.getpid()} {time.time()}")
    chance = random.Random(f"SEED {trial.number} {sorted(trial.lost)}")
    end = chance.choice(["complete"] * 4 + ["failed", "deaf", "endless"])
    if end == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60 if end in ("deaf", "endless") else chance.uniform(0.01, 0.5))
    if end == "failed":
        raise ValueError("as the seed wanted it")
    return {"accuracy": chance.random()}
'''


@dataclass(frozen=True)
class Scenario:
    """One study: its seed, its money, and how often a process is killed."""

    seed: int
    budget: float
    rate: float
    tick: float
    minimum: float
    kills: int

    @classmethod
    def drawn(cls, seed: int) -> "Scenario":
        """The scenario of a seed."""
        chance = random.Random(seed)
        rate = chance.uniform(0.3, 3.0)
        return cls(
            seed,
            rate * chance.uniform(1.0, 12.0),
            rate,
            chance.choice([0.0, 0.0, 0.1, 0.5]),
            chance.choice([0.0, 0.0, 0.3, 1.0]),
            chance.randint(0, 5),
        )

    def job(self) -> str:
        """Its job file."""
        words = {
            "RATE": f"{self.rate!r}",
            "TICK": f"{self.tick!r}",
            "MINIMUM": f"{self.minimum!r}",
            "BUDGET": f"{self.budget!r}",
            "SEED": str(self.seed),
            "RETRIES": str(self.seed % 2),
        }
        text = JOB
        for word, value in words.items():
            text = text.replace(word, value)
        return text


@dataclass
class Found:
    """What went wrong, and how much there was that could."""

    scenarios: int = 0
    trials: int = 0
    kills: int = 0
    most_over: float = -1e9
    over: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether nothing did."""
        return not (self.over or self.lost or self.doubled)


def play(scenario: Scenario, url: str, folder: Path, found: Found) -> None:
    """Run a scenario to its end, and look at what is left."""
    begin(scenario, url, folder)
    chance = random.Random(-1 - scenario.seed)
    pids = [forked(url, folder) for _ in range(PROCESSES)]
    told: dict[int, tw.Trial] = {}
    for _ in range(scenario.kills):
        time.sleep(chance.uniform(0.1, 1.5))
        victim = pids.pop(chance.randrange(len(pids)))
        os.kill(victim, signal.SIGKILL)  # not waited for yet, so nobody else has its pid
        os.waitpid(victim, 0)
        found.kills += 1
        check_told(scenario, url, told, found)
        pids.append(forked(url, folder))
    for pid in pids:
        os.waitpid(pid, 0)
    check_told(scenario, url, told, found)
    check_end(scenario, url, folder, found)


def begin(scenario: Scenario, url: str, folder: Path) -> None:
    """Make the study, as `tunewise tune` would, without a trial."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "job.py").write_text(PYTHON.replace("SEED", str(scenario.seed)))
    text, path = scenario.job(), folder / "job.yaml"
    file = parse(text, path)
    with tw.Study(file.problem, file.strategy, file.fields.seed, url, "s") as study:
        notes = Notes(folder=str(folder / "runs"), job=JobText(str(path), text, {}))
        (folder / "runs").mkdir()
        study.store.annotate("s", notes.changed("folder", "job"))


def forked(url: str, folder: Path) -> int:
    """A process of `tunewise work`."""
    pid = os.fork()
    if pid == 0:
        out = os.open(folder / "out.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.dup2(out, 1)
        os.dup2(out, 2)
        try:
            join(url, "s", None, {}, None, json=False, quiet=True)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(0)
    return pid


def check_told(scenario: Scenario, url: str, told: dict[int, tw.Trial], found: Found) -> None:
    """What was told before is still there, and the same."""
    now = {t.number: t for t in history(url) if not t.state.pending}
    for number, trial in told.items():
        if now.get(number) != trial:
            found.lost.append(f"{scenario.seed}: trial {number}: {trial} became {now.get(number)}")
    told.update(now)


def check_end(scenario: Scenario, url: str, folder: Path, found: Found) -> None:
    """Every trial ended or waits, was run by one process at a time, and all kept the budget."""
    every = history(url)
    found.scenarios += 1
    found.trials += len(every)
    if [t.number for t in every] != list(range(len(every))):
        found.doubled.append(f"{scenario.seed}: {[t.number for t in every]}")
    found.lost += [f"{scenario.seed}: {t}" for t in every if t.state == "running"]
    spent, tick = every.spent["cost"], scenario.rate * max(scenario.tick, LOOP_TICK)
    over = (spent - scenario.budget) / tick
    found.most_over = max(found.most_over, over)
    if over > 1.0:
        found.over.append(f"{over:.2f} ticks: {scenario}")
    ledger = folder / "ledger"
    lines = [line.split() for line in ledger.read_text().splitlines()] if ledger.exists() else []
    for kind, number, _, at in lines:
        ended = every[int(number)].told_at
        late = ended is not None and float(at) > ended + 1.0
        if kind == "double" or late:
            found.doubled.append(f"{scenario.seed}: trial {number} ({kind}, late: {late})")


def history(url: str) -> tw.History:
    """The trials as they are in the store."""
    store = open_store(url)
    try:
        return store.history("s")
    finally:
        store.close()


@contextmanager
def places() -> Iterator[Callable[[int], str]]:
    """A function that gives the URL of an empty place for each scenario."""
    import psycopg

    programs = binaries()
    assert programs is not None, "no PostgreSQL server is installed"
    with private_server(programs, ("fsync=off", "max_connections=300")) as server:

        def make(number: int) -> str:
            schema = f"work_{number}"
            with psycopg.connect(server, autocommit=True) as connection:
                connection.execute(f"CREATE SCHEMA {schema}".encode())
            return f"{server}?options=-csearch_path%3D{schema}"

        yield make


def chaos(scenarios: int, at_once: int, seed: int, folder: Path) -> Found:
    """What so many scenarios find, some at once."""
    tw.Study(parse(Scenario.drawn(0).job(), folder / "job.yaml").problem, "random", 0).ask()
    with places() as make:
        urls = [make(number) for number in range(scenarios)]
        pipes = []
        for first in range(min(at_once, scenarios)):
            ours, theirs = os.pipe()
            if os.fork() == 0:
                series = Found()
                try:
                    for number in range(first, scenarios, at_once):
                        scenario = Scenario.drawn(seed + number)
                        play(scenario, urls[number], folder / str(number), series)
                except Exception as error:
                    series.lost.append(f"a series broke off: {error!r}")
                finally:
                    os.write(theirs, json.dumps(asdict(series)).encode())
                    os._exit(0)
            os.close(theirs)
            pipes.append(ours)
        found = [_read(pipe) for pipe in pipes]
        for _ in pipes:
            os.wait()
    return _together(found)


def _read(pipe: int) -> Found:
    with os.fdopen(pipe, "rb") as said:
        text = said.read()
    return Found(**json.loads(text)) if text else Found(lost=["a series broke off"])


def _together(found: list[Found]) -> Found:
    return Found(
        sum(f.scenarios for f in found),
        sum(f.trials for f in found),
        sum(f.kills for f in found),
        max(f.most_over for f in found),
        [line for f in found for line in f.over],
        [line for f in found for line in f.lost],
        [line for f in found for line in f.doubled],
    )


def main() -> int:
    """Run it, say what was found."""
    parser = argparse.ArgumentParser(prog="make work-chaos")
    parser.add_argument("--scenarios", type=int, default=100)
    parser.add_argument("--at-once", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tunewise-chaos-") as folder:
        found = chaos(asked.scenarios, asked.at_once, asked.seed, Path(folder))
    print(
        f"{found.scenarios} scenarios of {PROCESSES} processes, {found.trials} trials,"
        f" {found.kills} kills: {len(found.over)} above the budget by more than a tick (the most by"
        f" {found.most_over:.2f} ticks), {len(found.lost)} lost, {len(found.doubled)} doubled"
        f" ({time.monotonic() - began:.0f} s)"
    )
    for line in [*found.over, *found.lost, *found.doubled][:40]:
        print(line)
    return 0 if found.scenarios == asked.scenarios and found.clean else 1


if __name__ == "__main__":
    raise SystemExit(main())
