"""The pages in a real browser, from the invitation to the first prediction; `make browse`."""

import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.service.pages.studies import filled
from tests.service.server import Server, started
from tunewise.service.context import Context

pytestmark = pytest.mark.long

AXE = Path(sys.prefix, "axe", "axe.min.js")
PATIENCE = 120_000
"""Milliseconds until a browser gives up: the machine may be busy."""

_FAULTS = """async () => {
  document.querySelectorAll("details").forEach((part) => (part.open = true));
  const levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  const found = await axe.run(document, { runOnly: levels });
  return found.violations.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 120)}`);
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as started_one:
        opened = started_one.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with accounts that trains by itself, and two studies that are there already."""
    folder = tmp_path_factory.mktemp("service")
    context = Context.open(f"sqlite:///{folder}/service.db")
    filled(context.store, "first", 40, 1)
    filled(context.store, "second", 60, 2)
    context.close()
    with started(folder) as running:
        yield running


@pytest.fixture(scope="module")
def anna(chromium: Any, server: Server) -> Iterator[Any]:
    """Somebody who came in by the link that the service printed; what the console said is kept."""
    context = chromium.new_context(viewport={"width": 1360, "height": 900}, accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    assert server.link is not None
    page.goto(server.link)
    page.get_by_label("Name").fill("anna")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Come in").click()
    page.wait_for_url(f"{server.url}/")
    yield page
    context.close()


def photos(folder: Path, count: int) -> Path:
    """Small pictures of digits, a folder for each class; every fortieth is in a wrong one."""
    from PIL import Image
    from sklearn.datasets import load_digits

    digits = load_digits()
    for number in range(count):
        label = int(digits.target[number])
        label = (label + 3) % 10 if number % 40 == 7 else label
        place = folder / "photos" / f"digit {label}"
        place.mkdir(parents=True, exist_ok=True)
        pixels = (digits.images[number] * 15).astype("uint8")
        Image.fromarray(pixels).save(place / f"{number}.png")
    return folder / "photos"


def test_from_a_folder_of_pictures_to_a_prediction(
    anna: Any, server: Server, tmp_path: Path
) -> None:
    folder = photos(tmp_path, 200)
    for loose in (".DS_Store", "readme.txt"):  # as folders of pictures have them
        (folder / loose).write_text("not a picture")
    (folder / "digit 0" / "broken.png").write_text("not a picture either")
    anna.goto(f"{server.url}/tasks/new")
    anna.get_by_label("A folder to propose a program from").set_input_files(folder)
    anna.locator("#proposed", has_text="10 folders are the classes").wait_for()
    anna.locator("#checked", has_text="models fit").wait_for()
    assert anna.get_by_label("Name", exact=True).input_value() == "photos"
    anna.get_by_label("Name", exact=True).fill("digits")
    anna.get_by_role("button", name="Declare it").click()
    anna.wait_for_url(f"{server.url}/tasks/digits")
    anna.locator("#counts b", has_text="200").wait_for()
    anna.locator("[data-uploaded]", has_text="200 new examples, 2 refused: ").wait_for()
    said = anna.locator("[data-uploaded]").inner_text()
    assert "\nreadme.txt: " in said and "\ndigit 0/broken.png: " in said
    # The first model appears without a reload.
    anna.locator("#standing .state.good", has_text="serves").wait_for()
    anna.get_by_label("A picture to ask about").set_input_files(folder / "digit 0" / "0.png")
    anna.get_by_role("button", name="Ask", exact=True).click()
    anna.locator("[data-answer] b").wait_for()
    assert "digit" in anna.locator("[data-answer] b").inner_text()


def test_a_task_whose_files_are_refused_is_taken_back_and_can_be_declared_again(
    anna: Any, server: Server, tmp_path: Path
) -> None:
    rows = [f"{n % 2},{n},{'ab'[n % 2]}" for n in range(40)]
    (tmp_path / "plants.csv").write_text("\n".join(["wet,leaves,kind", *rows]))
    anna.goto(f"{server.url}/tasks/new")
    anna.get_by_label("Files to propose a program from").set_input_files(tmp_path / "plants.csv")
    anna.locator("#checked", has_text="models fit").wait_for()
    # The column is said after the file, as the page has it.
    anna.get_by_label("Column with the answer").first.fill("leaves")
    anna.get_by_label("Column with the answer").first.press("Tab")
    anna.wait_for_function("() => document.querySelector('#declare textarea').value.endsWith('r')")
    anna.get_by_label("Column with the answer").first.fill("kind")
    anna.get_by_label("Column with the answer").first.press("Tab")
    anna.wait_for_function("() => document.querySelector('#declare textarea').value.endsWith(']')")
    anna.get_by_text("More", exact=True).click()
    anna.get_by_label("Bytes at most").fill("100")
    anna.get_by_role("button", name="Declare it").click()
    anna.locator("#checked.bad", has_text="quota of 100 bytes").wait_for()
    anna.get_by_label("Bytes at most").fill("1000000")
    anna.get_by_role("button", name="Declare it").click()
    anna.wait_for_url(f"{server.url}/tasks/plants")
    anna.locator("[data-uploaded]", has_text="40 new examples").wait_for()


def test_a_mistake_in_a_program_is_shown_under_the_word_that_it_is_about(
    anna: Any, server: Server
) -> None:
    anna.goto(f"{server.url}/tasks/new")
    anna.locator("#declare textarea").fill("table(age numbr) -> [no, yes]")
    shown = anna.locator("#checked.bad pre")
    shown.wait_for()
    program, caret = shown.inner_text().split("\n")
    assert program[caret.index("^")] == "n" and shown.evaluate(
        "e => getComputedStyle(e).whiteSpace.startsWith('pre') && getComputedStyle(e).fontFamily"
    )


def test_what_is_wrong_with_a_password_is_said_in_the_form(chromium: Any, server: Server) -> None:
    page = chromium.new_page()
    page.goto(f"{server.url}/sign-in")
    page.get_by_label("Name").fill("nobody")
    page.get_by_label("Password").fill("a wrong password")
    page.get_by_label("Show what is typed").check()
    assert page.get_by_label("Password").get_attribute("type") == "text"
    page.get_by_role("button", name="Sign in").click()
    page.locator("form [role=alert]", has_text="no member has this name").wait_for()
    page.close()


def test_a_new_token_is_in_the_list_at_once(anna: Any, server: Server) -> None:
    anna.goto(f"{server.url}/account")
    anna.get_by_label("What for").fill("notebook")
    anna.get_by_role("button", name="Make it").click()
    anna.locator("#tokens th", has_text="notebook").wait_for()
    assert anna.locator("#made").is_visible()


def test_what_is_no_number_is_said_beside_its_field_and_never_taken_for_missing(
    anna: Any, server: Server, tmp_path: Path
) -> None:
    rows = [f"{n % 2},{n},{'ab'[n > 30]}" for n in range(60)]
    (tmp_path / "trees.csv").write_text("\n".join(["wet,height,kind", *rows]))
    anna.goto(f"{server.url}/tasks/new")
    anna.get_by_label("Files to propose a program from").set_input_files(tmp_path / "trees.csv")
    anna.locator("#checked", has_text="models fit").wait_for()
    anna.get_by_role("button", name="Declare it").click()
    anna.wait_for_url(f"{server.url}/tasks/trees")
    anna.locator("#standing .state.good", has_text="serves").wait_for()
    anna.locator("[data-try] input[name=wet]").fill("1")
    anna.locator("[data-try] input[name=height]").fill("sixty")
    anna.get_by_role("button", name="Ask", exact=True).click()
    said = anna.locator(".field", has=anna.locator("input[name=height]")).locator("[role=alert]")
    said.wait_for()
    assert said.inner_text() == "'sixty' is no number"
    assert not anna.locator("[data-answer] b").count()
    anna.locator("[data-try] input[name=height]").fill("60.0")
    anna.get_by_role("button", name="Ask", exact=True).click()
    anna.locator("[data-answer] b").wait_for()
    assert not said.count()


def test_on_a_phone_a_table_that_goes_on_fades_and_its_rows_are_one_line(
    anna: Any, server: Server
) -> None:
    anna.set_viewport_size({"width": 390, "height": 844})
    anna.goto(f"{server.url}/tasks/trees")
    anna.locator("#standing [aria-label=Models].goes-on").wait_for()
    heights = anna.locator("#standing [aria-label=Models] tbody tr:not(:has(small))").evaluate_all(
        "rows => rows.map((row) => row.getBoundingClientRect().height)"
    )
    assert heights and max(heights) < 60
    anna.locator("#standing [aria-label=Models]").evaluate(
        "box => { box.scrollLeft = box.scrollWidth; }"
    )
    anna.locator("#standing [aria-label=Models]:not(.goes-on)").wait_for()
    anna.set_viewport_size({"width": 1360, "height": 900})


def test_suspected_labels_are_decided_with_one_key_each(anna: Any, server: Server) -> None:
    anna.goto(f"{server.url}/tasks/digits/suspects")
    anna.locator("[data-place]", has_text="left, 0 of").wait_for()
    anna.keyboard.press("x")
    anna.locator("[data-place]", has_text=", 1 of").wait_for()
    right = anna.locator("[data-suspect]:visible").get_attribute("data-suspect")
    anna.keyboard.press("k")
    anna.locator("[data-place]", has_text=", 2 of").wait_for()
    other = anna.locator("[data-suspect]:visible").get_attribute("data-suspect")
    anna.get_by_label("The right label").select_option("digit 3")
    anna.keyboard.press("Escape")
    anna.get_by_role("button", name="Label it so").click()
    anna.locator("#said", has_text=f"{other} is off, and is fed again as digit 3").wait_for()
    # It is kept where everybody finds it, and suspected no more.
    anna.reload()
    anna.locator("#suspects [data-place], #suspects .empty:not([role])").first.wait_for()
    assert not anna.locator(f"[data-suspect={right}], [data-suspect={other}]").count()
    anna.goto(f"{server.url}/tasks/digits")
    assert "201 of which 199 are on" in anna.locator("#counts").inner_text()


def test_the_downloaded_client_asks_the_service(anna: Any, server: Server, tmp_path: Path) -> None:
    anna.goto(f"{server.url}/tasks/digits")
    with anna.expect_download() as kept:
        anna.get_by_role("button", name="Clients (.zip)").click()
    assert kept.value.suggested_filename == "digits-client.zip"
    zipfile.ZipFile(io.BytesIO(Path(kept.value.path()).read_bytes())).extractall(tmp_path)
    [program] = tmp_path.rglob("digits.py")
    picture = photos(tmp_path, 1) / "digit 0" / "0.png"
    call = f"import digits; print(digits.infer_file({str(picture)!r}))"
    told = subprocess.run(
        [sys.executable, "-c", call], cwd=program.parent, capture_output=True, text=True, timeout=60
    )
    assert "digit" in told.stdout, told.stderr


def test_a_live_study_grows_on_the_page_and_two_are_compared(anna: Any, server: Server) -> None:
    anna.goto(f"{server.url}/studies/first")
    anna.locator("[data-live]", has_text=re.compile("^live$")).wait_for()
    anna.locator(".plot.js-plotly-plot").first.wait_for()
    context = Context.open(server.storage)
    context.store.add("first", {"vm": "small", "rate": 0.01}, 1.0, (), None, 0.0)
    context.close()
    anna.locator("#summary", has_text="41 trials").wait_for()
    anna.goto(f"{server.url}/studies")
    anna.get_by_label("Compare first").check()
    anna.get_by_label("Compare second").check()
    anna.get_by_role("button", name="Compare the ticked").click()
    anna.get_by_role("heading", name="2 studies compared").wait_for()
    anna.locator(".plot.js-plotly-plot").first.wait_for()


def test_trials_are_filtered_and_compared_without_a_reload(anna: Any, server: Server) -> None:
    anna.goto(f"{server.url}/studies/second")
    anna.get_by_label("Filter the trials").fill("memory")
    anna.get_by_label("Filter the trials").press("Enter")
    anna.locator("#trials [role=status]", has_text="6 of 60 trials").wait_for()
    anna.get_by_label("Compare trial 50").check()
    anna.get_by_label("Compare trial 40").check()
    anna.get_by_role("button", name="Compare the two ticked").click()
    anna.locator("#compared h3", has_text="Trials 40 and 50").wait_for()
    assert anna.url == f"{server.url}/studies/second"


def _note(faults: list[str], address: str, error: object) -> None:
    faults.append(f"{address}: {error}")


ADDRESSES = (
    *("/", "/studies", "/studies/first", "/studies/second/trials", "/studies/second/trials/3"),
    *("/studies/compare?names=first,second", "/trainings", "/tasks", "/tasks/new", "/tasks/digits"),
    *("/tasks/digits/examples", "/tasks/digits/suspects", "/admin", "/account", "/sign-in"),
    "/nothing",
)


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("size", ["wide", "phone"])
def test_every_page_is_accessible_fits_and_runs_without_errors(
    anna: Any, chromium: Any, server: Server, colours: str, size: str
) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not there; `make browse` gets it")
    width = {"wide": 1360, "phone": 390}[size]
    context = chromium.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=colours,
        storage_state=anna.context.storage_state(),
        bypass_csp=True,  # for axe alone: other tests browse under the policy
    )
    context.set_default_timeout(PATIENCE)
    faults: list[str] = []
    for address in ADDRESSES:
        page = context.new_page()
        page.on("pageerror", partial(_note, faults, address))
        page.goto(server.url + address, wait_until="load")
        page.wait_for_timeout(1500)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        faults += [f"{address}: {fault}" for fault in page.evaluate(_FAULTS)]
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            faults.append(f"{address}: wider than the screen")
        page.close()
    context.close()
    assert not faults


@contextmanager
def shown(storage: str, folder: Path) -> Iterator[str]:
    """The address of `tunewise ui`."""
    command = [sys.executable, "-m", "tunewise", "ui", "--no-browser", "--storage", storage]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, text=True, cwd=folder, env=os.environ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[0]
        process.terminate()


def test_ui_shows_a_training_and_a_study_and_changes_nothing(chromium: Any, tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/t.db"
    context = Context.open(storage)
    filled(context.store, "mine", 40)
    context.close()
    job = Path(__file__).parents[3] / "examples" / "training" / "job.yaml"
    command = [sys.executable, "-m", "tunewise", "train", str(job), "--storage", storage]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path, timeout=300)
    with shown(storage, tmp_path) as address:
        page = chromium.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{address}/trainings")
        page.get_by_role("link", name="simulated-logistic").click()
        page.get_by_text("Switches, and why").wait_for()
        page.locator(".plot.js-plotly-plot").first.wait_for()
        page.goto(f"{address}/studies/mine")
        page.get_by_text("Recommended").first.wait_for()
        assert page.locator("[data-call]").count() == 0
        page.close()
