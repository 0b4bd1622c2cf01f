"""A command `sky` that needs no cloud, and misbehaves as it is told: `python fake.py launch ...`.

`$FAKE_SKY` is the folder where its clusters are "up" as files, and where `calls` lists what it was
asked. `$FAKE_SKY_WAYS` says how it behaves, with commas between: see `WAYS`.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

WAYS = {
    "no machines": "launching fails before anything is up",
    "launch hangs": "the cluster is up, and the command never ends, whatever it is asked",
    "dies": "the cluster is up, and the command is gone without a word",
    "taken away": "the machines vanish while the job runs",
    "down fails once": "the first teardown fails",
    "down fails": "every teardown fails",
    "down lies": "teardown says that there is no such cluster, which is true",
    "noise": "it prints what is not for it to print",
    "quiet": "the output of the job is lost",
}


def main() -> int:
    place, ways = Path(os.environ["FAKE_SKY"]), os.environ.get("FAKE_SKY_WAYS", "").split(",")
    place.mkdir(parents=True, exist_ok=True)
    command, *words = sys.argv[1:]
    with (place / "calls").open("a") as calls:
        calls.write(json.dumps([command, *words]) + "\n")
    if command == "launch":
        return launch(place, ways, words)
    cluster = place / f"{words[-1]}.up"
    if command == "status":
        print(f"{words[-1]}  UP" if cluster.exists() else "no existing clusters")
        return 0
    return down(place, ways, cluster)


def launch(place: Path, ways: list[str], words: list[str]) -> int:
    import yaml

    name, task = words[words.index("-c") + 1], yaml.safe_load(Path(words[-1]).read_text())
    (place / f"{name}.yaml").write_text(Path(words[-1]).read_text())
    if "no machines" in ways:
        print("sky.exceptions.ResourcesUnavailableError: nothing to be had in all zones")
        return 1
    (place / f"{name}.up").touch()
    if "launch hangs" in ways:
        import signal

        signal.signal(signal.SIGINT, signal.SIG_IGN)
        time.sleep(600)
    if "dies" in ways:
        os.kill(os.getpid(), 9)
    if "noise" in ways:
        sys.stdout.buffer.write(b"\xff\xfe\x1b[2mI 01-01 {not json}\x1b[0m\n{\n" + b"x" * 100_000)
        print("\n(setup pid=7) {}")
    env = {**os.environ, **{k: str(v) for k, v in task["envs"].items()}}
    for mounted, bucket in task.get("file_mounts", {}).items():  # here it is a folder
        folder = str(place / bucket["source"].partition("://")[2])
        env = {k: v.replace(f"{mounted}/", f"{folder}/", 1) for k, v in env.items()}
    done = subprocess.run(
        ["bash", "-c", task["run"]],
        env=env,
        cwd=task.get("workdir"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if "taken away" in ways:
        (place / f"{name}.up").unlink()
        return 1
    for line in [] if "quiet" in ways else done.stdout.splitlines():
        print(f"\x1b[36m({name}, pid=4321)\x1b[0m {line}", flush=True)
    return 100 if done.returncode else 0


def down(place: Path, ways: list[str], cluster: Path) -> int:
    tried = place / f"{cluster.stem}.tried"
    if "down fails" in ways or ("down fails once" in ways and not tried.exists()):
        tried.touch()
        print("Failed to terminate: the cloud does not answer")
        return 1
    existed = cluster.exists()
    cluster.unlink(missing_ok=True)
    if "down lies" in ways or not existed:
        print(f"Cluster {cluster.stem!r} not found")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
