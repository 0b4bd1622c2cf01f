import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from tests.service.pages.studies import filled
from tunewise.declarative.schema import parse
from tunewise.declarative.task import Task
from tunewise.declarative.templates import match
from tunewise.errors import StudyError
from tunewise.history import Measurement
from tunewise.service.app import create_app
from tunewise.service.context import Context
from tunewise.service.pages.views.charts import chart, compared
from tunewise.service.pages.views.compare import compare_view
from tunewise.service.pages.views.home import LOOKED_AT, SHOWN, home_view
from tunewise.service.pages.views.looks import SLOW, Look, Looks, read_ahead
from tunewise.service.pages.views.studies import studies_view
from tunewise.service.pages.views.study import head_of, study_view
from tunewise.service.pages.views.task import class_lines, examples_view, standing_of, task_view
from tunewise.service.pages.views.tasks import EXAMPLES, tasks_view
from tunewise.service.pages.views.trials import Asked, compare_trials, trials_view
from tunewise.service.viewer import Viewer
from tunewise.storage.schema import studies, trials
from tunewise.study.owner import Owner
from tunewise.tenancy.outlook import Outlook

CHARTS = ("best-cost", "best-time", "best-trials", "plane-cost", "plane-time", "parameter-0",
          "parameter-1", "parallel", "importance", "margin-0", "share", "what-if")  # fmt: skip


def look(here: Context, name: str = "a", count: int = 40) -> Look:
    filled(here.store, name, count)
    return Looks().at(here.store, name)


def test_a_list_says_the_best_and_how_many_trials(here: Context) -> None:
    filled(here.store, "a", 30)
    filled(here.store, "empty", 0)
    rows = {row.name: row for row in studies_view(here.store).rows}
    assert (rows["a"].trials, rows["a"].counts) == (30, "3 failed")
    assert float(rows["a"].best) > 0.5
    assert rows["empty"].state == "empty"


def test_a_page_of_the_list_leads_to_the_next(here: Context) -> None:
    for number in range(53):
        filled(here.store, f"s{number:02}", 0)
    first = studies_view(here.store, "name")
    assert len(first.rows) == 50 and first.next is not None
    after = first.next.partition("after=")[2].replace("%3A", ":")
    second = studies_view(here.store, "name", after=after)
    assert [row.name for row in second.rows] == ["s50", "s51", "s52"] and second.next is None
    jumped = studies_view(here.store, "name", page=2)
    assert [row.name for row in jumped.rows] == ["s50", "s51", "s52"]
    assert jumped.here.endswith("page=2") and jumped.after and jumped.pages == 2
    assert studies_view(here.store, "name", page=99).rows == jumped.rows


def test_a_strange_page_key_shows_the_first_page(here: Context) -> None:
    filled(here.store, "a", 1)
    assert studies_view(here.store, "nonsense", after="x';--").rows[0].name == "a"


def test_a_study_is_read_again_only_when_it_has_changed(here: Context) -> None:
    filled(here.store, "a", 20)
    looks = Looks()
    first = looks.at(here.store, "a")
    assert looks.at(here.store, "a") is first
    owner = Owner.here()
    with here.store.asking("a", owner):
        trial = here.store.add("a", {"vm": "small", "rate": 0.01}, 1.0, (), owner, 60.0)
    here.store.tell("a", trial.number, Measurement({"accuracy": 1.0, "cost": 0.01}), owner)
    assert looks.at(here.store, "a").digest.best == trial.number


def test_the_study_of_another_tenant_is_not_there(here: Context) -> None:
    filled(here.store.within("other"), "a", 3)
    with pytest.raises(StudyError, match="no study 'a'"):
        Looks().at(here.store, "a")


def test_what_is_only_measured_is_not_called_a_probability(here: Context) -> None:
    seen = look(here)
    view = study_view(seen, head_of(seen), "study = tunewise.load_study(…)")
    assert view.recommended is not None and view.recommended.outdated
    assert view.recommended.advice.trial == seen.digest.best
    assert "load_study" in view.recommended.python


def test_every_chart_of_a_large_study_is_light(here: Context) -> None:
    seen, whole = look(here, count=2500), 0
    for key in CHARTS:
        told = chart(seen, key)
        # A line of parallel coordinates is one trial, though it has a corner on each axis.
        corners = 4 if key == "parallel" else 1
        points = sum(len(trace.get("x") or ()) for trace in told["data"])
        size = len(json.dumps(told))
        whole += size
        assert points <= 2000 * corners and size < 60_000, key
    assert whole < 200_000


def test_charts_of_an_empty_study_say_so(here: Context) -> None:
    seen = look(here, "empty", 0)
    assert all("empty" in chart(seen, key) for key in CHARTS)
    with pytest.raises(StudyError, match="no such chart"):
        chart(seen, "nonsense")


def test_trials_are_sorted_with_the_unknown_last_and_filtered(here: Context) -> None:
    seen = look(here)
    falling = trials_view(seen, Asked(sort="-accuracy")).rows
    assert falling[0].number == max(
        range(40), key=lambda n: seen.digest.column("accuracy")[n] if n % 10 else 0
    )
    assert {row.number for row in falling[-4:]} == {0, 10, 20, 30}
    failed = trials_view(seen, Asked(state="failed", contains="large memory"))
    assert [row.number for row in failed.rows] == [30, 20, 10, 0]


def test_a_page_of_trials_beyond_the_last_is_the_last(here: Context) -> None:
    view = trials_view(look(here, count=120), Asked(page=99))
    assert (view.page, view.pages, len(view.rows), view.after) == (3, 3, 20, None)


def test_two_trials_say_where_they_differ(here: Context) -> None:
    seen = look(here)
    found = {row.name: row for row in compare_trials(seen, [1, 2]).rows}
    assert found["vm"].cells == ["small", "large"] and found["vm"].differs
    assert not found["data"].differs
    with pytest.raises(StudyError, match="no trial 999"):
        compare_trials(seen, [1, 999])


def test_several_studies_stand_side_by_side(here: Context) -> None:
    filled(here.store, "a", 20, 1)
    filled(here.store, "b", 30, 2)
    found = [Looks().at(here.store, name) for name in ("a", "b")]
    lines = {line.name: line.cells for line in compare_view(found).lines}
    assert lines["trials"] == ["20", "30"]
    told = compared([(each.record.name, each.digest) for each in found], "cost")
    assert [trace["name"] for trace in told["data"]] == ["a", "b"]
    with pytest.raises(StudyError, match="expected 2 to"):
        compare_view(found[:1])


def test_every_program_that_is_offered_is_of_its_template() -> None:
    assert [match(parse(program)).name for _, _, program in EXAMPLES] == [t for t, _, _ in EXAMPLES]


def test_a_task_without_a_model_says_what_is_missing(here: Context) -> None:
    task = Task.declare(here.tasks, here.url, name="letters", program="text -> [good, bad]")
    task.feed(["fine", "awful", "fine too"], ["good", "bad", "good"])
    row = here.tasks.load("letters")
    view = task_view(here, "", row)
    assert view.counted.labels == (("good", 2), ("bad", 1)) and view.input == "text"
    assert standing_of(task).quality is None and "feed" in standing_of(task).next
    assert [line.examples for line in tasks_view(here, "").rows] == [3]
    thumbs = examples_view(here, task, row).thumbs
    assert [(t.label, t.text) for t in thumbs][:2] == [("good", "fine"), ("bad", "awful")]


def test_rows_are_shown_with_their_columns_and_numbers_as_people_write_them(
    here: Context,
) -> None:
    program = "table(age number, dose number, city category) -> number"
    task = Task.declare(here.tasks, here.url, name="rows", program=program)
    task.feed([[54, 135.32, "Bonn"], [61, None, "Ulm"], [1e9, 16777217, "Ulm"]], [3.3, 0.5, 1e6])
    thumbs = examples_view(here, task, here.tasks.load("rows")).thumbs
    assert [(t.text, t.label) for t in thumbs] == [
        ("age: 54\ndose: 135.32\ncity: Bonn", "3.3"),
        ("age: 61\ndose: –\ncity: Ulm", "0.5"),
        ("age: 1000000000\ndose: 16777217\ncity: Ulm", "1000000"),
    ]
    numbers = Task.declare(here.tasks, here.url, name="numbers", program="table(2) -> [a, b]")
    numbers.feed([[135.32, 7]], ["a"])
    [thumb] = examples_view(here, numbers, here.tasks.load("numbers")).thumbs
    assert (thumb.text, thumb.lines) == ("[135.32, 7]", [])


def test_a_page_says_what_a_model_never_finds_and_what_it_takes_it_for(here: Context) -> None:
    counts = {"rare": {"usual": 8}, "usual": {"usual": 90, "odd": 2}, "odd": {"odd": 3}}
    assert [(c.name, c.found, c.mistaken) for c in class_lines(counts)] == [
        ("rare", "0 of 8", "usual (8)"),
        ("usual", "90 of 92", "odd (2)"),
        ("odd", "3 of 3", ""),
    ]
    task = Task.declare(here.tasks, here.url, name="coins", program="table(2) -> [heads, tails]")
    noise = np.random.default_rng(1).normal(size=(120, 2))
    task.feed(noise.tolist(), ["heads" if n % 12 else "tails" for n in range(120)])
    task.train(models=1, seconds=None)
    local = TestClient(create_app(here), base_url="http://127.0.0.1:8700")
    page = unescape(local.get("/tasks/coins/standing").text)
    assert "No better than always saying 'heads'" in page and "What it finds" in page


def test_series_are_shown_as_lines(here: Context) -> None:
    task = Task.declare(here.tasks, here.url, name="waves", program="series(2) -> [a, b]")
    task.feed([[[0, 1], [1, 1], [2, 1]], [[3, 3]] * 500], ["a", "b"])
    short, long = examples_view(here, task, here.tasks.load("waves")).thumbs
    assert short.lines == ["0.0,60.0 50.0,30.0 100.0,0.0", "0.0,30.0 50.0,30.0 100.0,30.0"]
    assert [len(one.split()) for one in long.lines] == [100, 100]


def test_home_says_what_waits_and_why_and_what_was_spent(here: Context) -> None:
    filled(here.store, "a", 3)
    here.store.add("a", {"vm": "small", "rate": 0.01}, 1.0, (), None, 0.0)
    view = home_view(here, Viewer("", "local", "admin"))
    assert [(each.name, each.why) for each in view.waiting] == [
        ("a", "1 failed, 1 waiting: nobody runs the study now")
    ]
    assert not view.empty and not view.running


def test_home_lists_all_tasks_that_wait_or_says_how_many_more_there_are(here: Context) -> None:
    for number in range(LOOKED_AT + 2):
        Task.declare(here.tasks, here.url, name=f"t{number:02}", program="text -> [a, b]")
    view = home_view(here, Viewer("", "local", "admin"))
    assert (len(view.waiting), view.more, view.older) == (2 * SHOWN, LOOKED_AT - 2 * SHOWN, 2)
    page = TestClient(create_app(here), base_url="http://127.0.0.1:8700").get("/").text
    assert "8 more wait." in page and "2 tasks that changed longer ago are not looked at" in page


def test_tasks_that_are_done_take_no_place_of_those_that_wait_on_home(
    here: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(SHOWN + 3):
        Task.declare(here.tasks, here.url, name=f"t{number:02}", program="text -> [a, b]")
    said = "every model that suits the task was trained"
    monkeypatch.setattr(
        "tunewise.service.pages.views.home.standing",
        lambda here, namespace, row: SimpleNamespace(next=said if row.id > 3 else "feed it"),
    )
    view = home_view(here, Viewer("", "local", "admin"))
    assert sorted(each.name for each in view.waiting) == ["t00", "t01", "t02"] and not view.more


def test_a_task_with_nothing_left_to_train_does_not_wait_on_home(
    here: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = Task.declare(here.tasks, here.url, name="rows", program="table(2) -> [a, b]")
    task.feed([[1, 2]], ["a"])
    done = Outlook(0.9, None, None, 0.9, 0.0, 0.0, 0.9, 0, 0, "every model that suits the user …")
    monkeypatch.setattr("tunewise.declarative.task.looking.waits_for", lambda *given: None)
    monkeypatch.setattr(
        "tunewise.declarative.training.schedule.Schedule.outlook", lambda *given: done
    )
    view = home_view(here, Viewer("", "local", "admin"))
    assert not view.waiting and not view.running and not view.empty


def test_home_counts_what_a_large_study_spent_today_after_it_was_read(here: Context) -> None:
    filled(here.store, "large", SLOW)
    who = Viewer("", "local", "admin")
    database = here.store.database
    before = home_view(here, who), studies_view(here.store).rows
    read_ahead(here.store, lambda: True)
    told_now = update(trials).where(trials.c.number < 100)
    moment = time.time() + 60
    database.write(lambda c: c.execute(told_now.values(told_at=moment, revision=11)))
    changed = update(studies).values(revision=11, changed_at=moment)
    database.write(lambda c: c.execute(changed))
    after = home_view(here, who), studies_view(here.store).rows
    assert after[1] == before[1] and after[0].studies == before[0].studies
    assert "100 trials" in after[0].done and "0 trials" in before[0].done


def test_what_lists_say_of_a_large_study_is_what_was_read_and_what_changed(here: Context) -> None:
    filled(here.store, "large", SLOW)
    read_ahead(here.store, lambda: True)
    # Nobody said that this has changed: whoever reads all again would see it.
    database, gone = here.store.database, update(trials).where(trials.c.number > 10)
    database.write(lambda c: c.execute(gone.values(state="failed")))
    best = {"kind": "measurement", "metrics": {"accuracy": 0.99, "time": 1.0, "cost": 0.01}}
    one = {"outcome": {**best, "snapshots": {}, "deviations": {}}, "revision": 11}
    database.write(lambda c: c.execute(update(trials).where(trials.c.number == 1).values(one)))
    database.write(lambda c: c.execute(update(studies).values(revision=11)))
    assert [(row.best, row.counts) for row in studies_view(here.store).rows] == [
        ("0.99", "500 failed")
    ]


def test_home_says_which_job_files_failed_and_what_they_said_until_one_is_done(
    here: Context,
) -> None:
    who, jobs = Viewer("", "local", "admin"), here.jobs
    for name, state in (("a", "failed"), ("b", "failed"), ("b", "done")):
        jobs.submit("", name, "name: x", {}, "anna")
        claimed = jobs.claim("me", 60.0)
        assert claimed is not None
        jobs.end(claimed.id, "me", state, "no module named torch")
    view = home_view(here, who)
    told = [(each.name, each.whom, each.why) for each in view.failed]
    assert told == [("a", "anna", "no module named torch")] and not view.empty


def test_of_many_who_ask_for_home_at_once_one_works_it_out(here: Context) -> None:
    filled(here.store, "a", 3)
    who = Viewer("", "local", "admin")
    with ThreadPoolExecutor(8) as pool:
        views = list(pool.map(lambda _: home_view(here, who), range(8)))
    assert len({id(view) for view in views}) <= 2  # two where a third of a minute ends meanwhile


def test_large_libraries_are_loaded_before_the_first_visitor_comes(here: Context) -> None:
    code = (
        "import sys, threading; from tunewise.service.context import Context;"
        "from tunewise.service.pages import prepare; prepare(Context.open(sys.argv[1]));"
        "[each.join() for each in threading.enumerate() if each.daemon];"
        "print('scipy.linalg' in sys.modules)"
    )
    words = [sys.executable, "-c", code, here.url]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "True\n"
