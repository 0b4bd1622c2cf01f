"""Pages of a large store: `python -m benchmarks.service.scale`, on PostgreSQL or --storage.

1,000 tenants, 10,000 studies, one of them with 100,000 trials, and a task with a model. Each page
is asked as by a browser, the first time and again after a change; with --chromium until it is
drawn: seconds, and those of them that the browser's main thread has worked.
The service reads large studies when it starts; how long that takes is told too.
"""

import argparse
import gzip
import json
import re
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from benchmarks.service.load import api_process, cpu, declare, place
from tests.service.pages.studies import PROBLEM, _trial, filled
from tests.service.server import Server, started
from tunewise.storage.opening import open_store
from tunewise.storage.schema import studies, tenants, trials
from tunewise.storage.sql import SqlStore

PAGES = {"home": "/", "studies": "/studies", "study": "/studies/large", "task": "/tasks/asked"}


def main() -> None:
    """Print one line of JSON a page, and one of the memory."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--storage", help="default: a PostgreSQL server of its own")
    parser.add_argument("--tenants", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--chromium", metavar="PROGRAM", help="also say when pages are drawn")
    asked = parser.parse_args()
    with place(asked.storage) as storage, tempfile.TemporaryDirectory() as folder:
        store = open_store(storage)
        assert isinstance(store, SqlStore)
        fill(store, asked.tenants, asked.trials)
        store.close()
        options = ("--no-accounts", "--workers", "0", "--no-jobs")
        with started(Path(folder), *options, storage=storage) as server:
            declare(server)
            print(json.dumps({"reading_ahead_s": read(server)}), flush=True)
            for name, path in PAGES.items():
                print(json.dumps({"page": name, **measure(server, path)}), flush=True)
            print(json.dumps({"memory_mb": round(memory(server))}), flush=True)
            if asked.chromium:
                print(json.dumps({"drawn_s": drawn(server, asked.chromium)}), flush=True)


def fill(store: SqlStore, count: int, large: int) -> None:
    """Tenants with nine studies each, a thousand studies of our own, and a large one."""
    import numpy as np

    problem, rng = PROBLEM.describe(), np.random.default_rng(0)
    whose = [f"tenant{n}" for n in range(count) for _ in range(9)] + [""] * count
    now = time.time()
    rows = [
        {
            **{"namespace": owner, "name": f"study{n}", "problem": problem, "seed": n},
            **{"strategy": {"name": "random"}, "notes": {}, "revision": 10},
            **{"created_at": now - n, "changed_at": now - n},
        }
        for n, owner in enumerate(whose)
    ]
    owners = [{"namespace": f"tenant{n}", "created_at": now} for n in range(count)]

    def work(connection: Any) -> None:
        connection.execute(insert(tenants), owners)
        connection.execute(insert(studies), rows)
        ids = list(connection.scalars(studies.select().with_only_columns(studies.c.id)))
        few = [_trial(number, id, rng) for id in ids for number in range(5)]
        connection.execute(insert(trials), few)

    store.database.write(work)
    filled(store, "large", large)


def read(server: Server) -> float:
    """Seconds of this process until the large study was read."""
    began = time.perf_counter()
    while "Reading its trials" in got(f"{server.url}/studies/large")[1]:
        time.sleep(0.05)
    return round(time.perf_counter() - began, 1)


def measure(server: Server, path: str) -> dict[str, object]:
    """A page and the data of its charts: seconds at the server, and bytes as they are sent."""
    process, told = api_process(server), dict[str, object]()
    for when in ("first", "again"):
        before = cpu(process)
        touch(server)
        seconds, page, size = got(server.url + path)
        told[f"{when}_ms"] = round(1000 * seconds)
        told[f"{when}_cpu_ms"] = round(1000 * (cpu(process) - before))
    charts = [got(server.url + src) for src in re.findall(r'data-src="([^"]+)"', page)]
    told["page_kb"], told["charts"] = round(size / 1000, 1), len(charts)
    told["data_kb"] = round((size + sum(chart[2] for chart in charts)) / 1000, 1)
    told["slowest_chart_ms"] = round(1000 * max((chart[0] for chart in charts), default=0))
    return told


def touch(server: Server) -> None:
    """Another process tells of a trial, so that nothing of what was shown is still right."""
    store = open_store(server.storage)
    assert isinstance(store, SqlStore)
    large = (studies.c.name == "large") & (studies.c.namespace == "")
    now = {"revision": studies.c.revision + 1, "changed_at": store.database.now()}

    def work(connection: Any) -> None:
        connection.execute(studies.update().where(large).values(now))
        row = connection.execute(studies.select().where(large)).one()
        changed = trials.update().where(trials.c.study_id == row.id, trials.c.number == 7)
        connection.execute(changed.values(revision=row.revision))

    store.database.write(work)
    store.close()


def got(url: str) -> tuple[float, str, int]:
    """Seconds until the answer, its text, and the bytes that were sent."""
    asked = {"Accept": "text/html", "Accept-Encoding": "gzip"}
    began = time.perf_counter()
    with urllib.request.urlopen(urllib.request.Request(url, headers=asked)) as answer:
        body = answer.read()
        seconds = time.perf_counter() - began
        packed = answer.headers.get("content-encoding") == "gzip"
    return seconds, (gzip.decompress(body) if packed else body).decode(), len(body)


def memory(server: Server) -> float:
    """MB that the API process has in memory."""
    status = Path(f"/proc/{api_process(server)}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1000


def drawn(server: Server, program: str) -> dict[str, list[float]]:
    """By page: seconds until all charts that are in view have their marks, in a real browser."""
    from playwright.sync_api import sync_playwright

    found = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        context = browser.new_context()
        for name, path in PAGES.items():
            times = [one_drawn(context, server.url + path) for _ in range(4)]
            # The first has brought the files that never change.
            found[name] = sorted(times[1:])[1]
        browser.close()
    return found


def one_drawn(context: Any, url: str) -> list[float]:
    """Seconds until a page is drawn, and seconds of work of the page's main thread until then."""
    page = context.new_page()
    asking = context.new_cdp_session(page)
    asking.send("Performance.enable", {"timeDomain": "threadTicks"})
    began = time.perf_counter()
    page.goto(url)
    page.wait_for_function(DRAWN)
    seconds = time.perf_counter() - began
    metrics = asking.send("Performance.getMetrics")["metrics"]
    worked = next(each["value"] for each in metrics if each["name"] == "TaskDuration")
    page.close()
    return [round(seconds, 2), round(worked, 2)]


DRAWN = """() => !document.body.textContent.includes("Reading its trials")
  && [...document.querySelectorAll(".plot")].every((box) => !box.offsetParent
    || box.getBoundingClientRect().top > innerHeight + 300
    || box.querySelector(".main-svg, canvas"))"""

if __name__ == "__main__":
    main()
