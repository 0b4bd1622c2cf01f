"""An owner tells whether its process is still alive."""

import subprocess
import sys
import time
from dataclasses import replace

from tunewise.study import Owner


def test_an_owner_in_this_process_is_alive() -> None:
    assert not Owner.here().known_dead


def test_owners_of_one_process_are_told_apart() -> None:
    assert Owner.here() != Owner.here()


def test_an_owner_comes_back_from_its_text() -> None:
    owner = replace(Owner.here(), host="a|b/c")
    assert Owner.parse(str(owner)) == owner


def test_an_owner_whose_process_ended_is_dead_before_and_after_it_was_waited_for() -> None:
    code = "from tunewise.study import Owner; print(Owner.here(), flush=True); input()"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    owner = Owner.parse(process.stdout.readline().strip())
    assert owner.pid == process.pid
    assert not owner.known_dead
    process.kill()
    process.stdout.read()  # ends when the process has
    deadline = time.monotonic() + 120
    while not owner.known_dead and time.monotonic() < deadline:
        time.sleep(0.01)
    assert owner.known_dead
    process.communicate()
    assert owner.known_dead


def test_another_process_with_the_same_pid_is_not_the_owner() -> None:
    assert replace(Owner.here(), born=1).known_dead


def test_nobody_knows_whether_an_owner_elsewhere_is_dead() -> None:
    gone = replace(Owner.here(), pid=2**22 + 1)
    assert gone.known_dead
    assert not replace(gone, host="another machine, boot or container").known_dead
