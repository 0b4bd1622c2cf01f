"""A made-up training that reads its setting from a file and reports its iterations."""

import json
import os
import time
from pathlib import Path

file = Path(os.environ["TUNEWISE_SETTING"])
kept = Path(os.environ["TUNEWISE_SETTING"]).with_name("checkpoint.json")


def read() -> tuple[int, dict[str, int]]:
    """The number of the setting, and the setting."""
    told = json.loads(file.read_text(encoding="utf-8"))
    return told["number"], told["setting"]


def say(**told: object) -> None:
    """A line of JSON, at once."""
    print(json.dumps(told), flush=True)


loss = json.loads(kept.read_text())["loss"] if kept.exists() else 1.0
number, setting = read()
done = 0
while loss > 0.02:
    workers, batch = setting["loader_workers"], setting["batch_size"]
    loading, computing = 0.0002 * batch / max(workers, 0.5), 0.002 + 0.00002 * batch
    time.sleep(max(loading, computing) + 0.001 * workers)
    loss -= 0.004 * loss**1.5 * (batch / 32) ** 0.6
    say(loss=loss, samples=batch)
    done += 1
    if done % 100 == 0:
        kept.write_text(json.dumps({"loss": loss}))
        say(checkpoint=True)
    if read()[0] != number:  # another setting: a real training would make its loader anew
        number, setting = read()
        say(setting=number)
