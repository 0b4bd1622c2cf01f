"""The page in a real browser, where one is installed."""

import html
import json
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from tests.report.studies import CONFIG, maximising, measured, mixed, recommended, record, told
from tunewise.history import Failure, History
from tunewise.report.layout.document import document
from tunewise.report.layout.markup import joined
from tunewise.report.page import content, render

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--window-size=1400,6000", "--virtual-time-budget=20000", "--enable-logging=stderr"),
)


def opened(page: str, folder: Path) -> tuple[str, list[str]]:
    """What the browser made of the page, and what its console said."""
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    return opened_file(file, folder)


def opened_file(file: Path, folder: Path) -> tuple[str, list[str]]:
    """The same of a page that is a file; the browser keeps its own things in the folder."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("no Chromium is installed")
    profile = f"--user-data-dir={folder / 'profile'}"
    command = [browser, *FLAGS, profile, "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if ":CONSOLE" in line]


def test_every_chart_outside_of_closed_tabs_is_drawn_and_the_console_is_silent(
    tmp_path: Path,
) -> None:
    page = render(record(), maximising(), mixed(), recommended())
    seen, console = opened(page, tmp_path)
    assert console == []
    places = re.findall(r'<div data-plot="([\w-]+)" class="plot', page)
    drawn = re.findall(r'<div data-plot="([\w-]+)" class="plot[^"]*js-plotly-plot', seen)
    assert set(places) - set(drawn) == {"best-time", "best-trials", "trials-time"}


def test_scripts_in_configs_and_reasons_do_not_run(tmp_path: Path) -> None:
    evil = "</script><script>document.title='taken'</script><img src=x onerror=document.title='t'>"
    history = History([measured(0, 0.9, 0.01, vm=evil), told(1, Failure(evil, {"cost": 0.1}))])
    given = recommended(config=CONFIG | {"vm": evil})
    seen, console = opened(render(record(), maximising(), history, given), tmp_path)
    assert console == []
    assert "digits" in re.findall(r"<title>(.*?)</title>", seen)[0]
    assert "<img" not in seen


def test_a_page_without_trials_opens(tmp_path: Path) -> None:
    seen, console = opened(render(record(), maximising(), History()), tmp_path)
    assert console == []
    assert "Nothing to recommend yet." in seen


TWO = """
const [one, two] = document.querySelectorAll(".fragment");
const filter = two.querySelector("[type=search]");
filter.value = "nothing has this";
filter.dispatchEvent(new Event("input"));
one.querySelectorAll("[role=tab]")[1].click();
const count = (root, selector) => root.querySelectorAll(selector).length;
const of = (root) =>
  [count(root, "tbody tr[hidden]"), count(root, "[role=tabpanel][hidden]:first-of-type"),
   root.querySelectorAll("[role=tab]")[1].getAttribute("aria-selected")];
document.title = JSON.stringify([of(one), of(two)]);
"""


def test_a_page_may_hold_two_studies_and_each_minds_its_own(tmp_path: Path) -> None:
    study = content(record(), maximising(), mixed(), recommended())
    page = document("two", joined([study, study]))
    assert " id=" not in study
    digest = b64encode(sha256(TWO.encode()).digest()).decode()
    page = page.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
    seen, console = opened(page.replace("</body>", f"<script>{TWO}</script></body>"), tmp_path)
    assert console == []
    one, two = json.loads(html.unescape(re.findall(r"<title>(.*?)</title>", seen)[0]))
    assert one[0] == 0 and two[0] == len(mixed())
    assert (one[2], two[2]) == ("true", "false")
