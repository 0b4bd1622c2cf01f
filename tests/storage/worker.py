"""One of several processes that work on a study: `python -m tests.storage.worker URL ...`."""

import sys
import time

from tunewise.history import Measurement, Trial
from tunewise.storage import open_store
from tunewise.study import Owner, Store, StudyRecord

STUDY = "shared"
LEASE = 600.0  # so long that nothing is given out again but what a dead process left


def main(url: str, mode: str, count: int) -> None:
    """Wait for a line on stdin, so that all processes begin at once; then work."""
    import tunewise.storage.sql  # noqa: F401 - the import takes longer than opening

    say("ready")
    sys.stdin.readline()
    store = open_store(url)
    store.create(StudyRecord(STUDY, {}, {}, 0))
    owner = Owner.here()
    if mode == "hang while asking":
        with store.asking(STUDY, owner, LEASE):
            hang("asking")
    while (trial := next_trial(store, owner, count)) is not None:
        if mode == "hang while running" and trial.number >= count // 40:
            hang(f"running {trial.number}")
        if trial.number >= 0:
            store.tell(STUDY, trial.number, Measurement({"pid": owner.pid}), owner)
            say(f"told {trial.number}")
    store.close()


def next_trial(store: Store, owner: Owner, count: int) -> Trial | None:
    """As a study asks: what nobody works on first, then a new one; None when all have ended."""
    while True:
        claimed = store.claim(STUDY, owner, LEASE)
        if claimed is not None:
            return claimed
        with store.asking(STUDY, owner, LEASE):
            history = store.history(STUDY)
            if len(history) < count:
                return store.add(STUDY, {"seen": len(history)}, 1.0, (), owner, LEASE)
        if not history.pending:
            return None
        time.sleep(0.02)


def hang(where: str) -> None:
    say(where)
    time.sleep(600)


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
