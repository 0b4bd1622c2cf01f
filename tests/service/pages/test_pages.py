import json
import re
import tempfile
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from tests.service.conftest import House
from tests.service.pages.studies import filled
from tunewise.declarative.task import Task
from tunewise.service.accounts.secret import Secret
from tunewise.service.app import create_app
from tunewise.service.context import Context
from tunewise.service.pages.render import environment

HOSTILE = "<img src=x onerror=alert(1)>'\""


def browser(here: Context) -> TestClient:
    headers = {"accept": "text/html"}
    return TestClient(create_app(here), base_url="http://127.0.0.1:8700", headers=headers)


def addresses(name: str) -> list[str]:
    at = quote(name, safe="")
    return [
        *("/", "/studies", "/trainings", "/tasks", "/tasks/new", "/changes?since=1"),
        *(f"/studies/{at}", f"/studies/{at}/trials", f"/studies/{at}/trials/1"),
        *(f"/studies/{at}/trials/compare?trial=1&trial=2", f"/studies/{at}/summary"),
        *(f"/studies/compare?name={at}&name=b", f"/studies?contains={at}"),
        *(
            f"/tasks/{at}",
            f"/tasks/{at}/examples",
            f"/tasks/{at}/standing",
            f"/tasks/{at}/suspects",
        ),
    ]


class Elements(HTMLParser):
    """What a browser would make elements of: those that could run something, or style it."""

    def __init__(self) -> None:
        super().__init__()
        self.forbidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        inline = tag == "script" and not given.get("src") and given.get("type") is None
        if inline or tag == "style" or given.get("src") == "x":
            self.forbidden.append(tag)
        self.forbidden += [name for name in given if name == "style" or name.startswith("on")]


@pytest.fixture
def hostile(here: Context) -> TestClient:
    """Names and texts that would run as scripts where a page did not escape them."""
    filled(here.store, HOSTILE, 12)
    filled(here.store, "b", 12)
    here.store.annotate(HOSTILE, {"remark": HOSTILE})
    task = Task.declare(here.tasks, here.url, name=HOSTILE, program="text -> [good, bad]")
    task.feed([HOSTILE, "fine"], ["bad", "good"])
    return browser(here)


def test_no_page_runs_what_people_wrote_nor_holds_a_script_or_style(hostile: TestClient) -> None:
    for address in addresses(HOSTILE):
        answer = hostile.get(address)
        assert answer.status_code == 200, address
        found = Elements()
        found.feed(answer.text)
        assert found.forbidden == [], address
        assert "unsafe" not in answer.headers["content-security-policy"]


def test_pages_that_only_look_have_no_button_that_changes_anything(url: str) -> None:
    looking = Context.open(url, read_only=True)
    filled(looking.store, "a", 12)
    Task.declare(looking.tasks, looking.url, name="a", program="text -> [good, bad]")
    filled(looking.store, "b", 12)
    looks = browser(looking)
    pages = [looks.get(address).text for address in addresses("a")[:-1]]
    assert not any("data-call=" in page or "data-upload=" in page for page in pages)
    looking.close()


def test_what_is_not_there_is_a_page_with_its_reason(here: Context) -> None:
    looks = browser(here)
    for address in ("/studies/none", "/tasks/none", "/trainings/none", "/nothing", "/studies/a/b"):
        answer = looks.get(address)
        assert answer.status_code == 404 and "There is nothing here" in answer.text, address


def test_a_program_that_asks_for_json_gets_a_problem_and_no_page(here: Context) -> None:
    answer = browser(here).get("/nothing", headers={"accept": "application/json"})
    assert answer.headers["content-type"] == "application/problem+json"


def test_whoever_has_not_signed_in_is_led_there_and_back_to_pages_of_ours_alone(
    house: House,
) -> None:
    answer = house.browser().get("/studies", follow_redirects=False)
    assert answer.headers["location"] == "/sign-in?next=/studies"
    assert house.browser().get("/sign-in").status_code == 200


def test_members_see_their_own_and_admins_see_the_admin_page(house: House) -> None:
    anna, ben = house.person("anna"), house.person("ben", role="viewer")
    assert "anna" in anna.get("/admin").text
    assert ben.get("/admin").status_code == 403
    assert "/admin" not in ben.get("/").text
    other = house.person("carl", tenant="team")
    filled(house.context.store, "secret-study", 2)
    assert "secret-study" in anna.get("/studies").text
    assert "secret-study" not in other.get("/studies").text + other.get("/").text
    assert other.get("/studies/secret-study").status_code == 404


def test_only_whoever_may_change_a_task_is_offered_a_client_with_a_token(house: House) -> None:
    anna, ben = house.person("anna"), house.person("ben", role="viewer")
    anna.post("/api/v1/tasks", json={"name": "points", "program": "table(2) -> [a, b]"})
    assert "Clients (.zip)" in anna.get("/tasks/points").text
    looks = ben.get("/tasks/points").text
    assert "Clients (.zip)" not in looks and "tunewise task client" not in looks
    assert "ask a member for one" in looks
    assert ben.post("/api/v1/tasks/points/client").status_code == 403


def test_the_operator_invites_the_first_admin_of_another_tenant_on_the_page(house: House) -> None:
    root = house.person("root")
    root.post("/api/v1/tenants", json={"name": "greens"})
    said = root.get("/admin").text
    assert "POST /api/v1/tenants/greens/invitations" in said
    assert "POST /api/v1/tenants/local/invitations" not in said


def test_what_can_be_done_with_a_study_says_its_command_and_its_python_line(house: House) -> None:
    filled(house.context.store, "it's one", 2)
    said = unescape(house.person("anna").get("/studies/it's one?now").text)
    assert 'tunewise stop "it\'s one" --server' in said or "tunewise stop 'it'\"'\"'s one'" in said
    assert 'client.stop("it\'s one")' in said and 'client.note("it\'s one"' in said
    looks = house.person("ben", role="viewer").get("/studies/it's one?now").text
    assert "client.stop" not in looks


def test_a_study_is_taken_away_by_the_links_of_its_page(house: House) -> None:
    filled(house.context.store, "it's one", 12)
    ben = house.person("ben", role="viewer")
    links = re.findall('href="(/api/v1/[^"]*)" download', ben.get("/studies/it's one?now").text)
    report, table, whole = (ben.get(unescape(link)) for link in links)
    assert report.text.startswith("<!doctype html>") and "it's one" in unescape(report.text)
    header, *rows = table.text.splitlines()
    assert header.startswith("number,") and len(rows) == 12
    assert len(whole.json()["trials"]) == 12 and whole.json()["study"] == "it's one"
    for each in (report, table, whole):
        assert each.headers["content-disposition"].startswith("attachment;")


def test_a_trial_is_tried_again_from_its_page(house: House) -> None:
    filled(house.context.store, "one", 12)
    anna, ben = house.person("anna"), house.person("ben", role="viewer")
    said = anna.get("/studies/one/trials/3").text
    [body] = re.findall('data-call="POST [^"]*/enqueue" data-body="([^"]*)"', said)
    given = json.loads(unescape(body))
    told = anna.post("/api/v1/studies/one/enqueue", json=given)
    assert told.status_code == 201, told.text
    trials = anna.get("/api/v1/studies/one/trials").json()["trials"]
    assert trials[12]["config"]["vm"] == trials[3]["config"]["vm"]
    assert trials[12]["config"]["rate"] == pytest.approx(trials[3]["config"]["rate"])
    assert trials[12]["fraction"] == trials[3]["fraction"] == 0.5
    assert "--fraction 0.5" in unescape(said)
    assert "/enqueue" not in ben.get("/studies/one/trials/3").text


def test_a_study_whose_name_has_a_slash_has_its_pages_and_its_routes(
    here: Context, local: TestClient
) -> None:
    filled(here.store, "cells/résnet 1%", 3)
    [link] = re.findall('href="(/studies/cells[^"]*)"', local.get("/studies").text)
    for end in ("", "/trials/1", "/charts/best?which=cost"):
        assert local.get(f"{link}{end}").status_code == 200
    assert local.get(f"/api/v1{link}").status_code == 200
    assert local.post(f"/api/v1{link}/notes", json={"text": "x"}).status_code == 200
    assert local.get("/studies/cells/résnet 1%").status_code == 404


def test_whoever_has_changed_the_password_is_told_to_sign_in_with_it(house: House) -> None:
    [leads] = re.findall(
        'data-to="(/sign-in[^"]*[?][^"]*)"', house.person("anna").get("/account").text
    )
    assert "Your password is changed" in house.browser().get(leads).text
    assert "Your password is changed" not in house.browser().get("/sign-in").text


def test_only_what_was_submitted_can_be_resumed_on_its_page(house: House) -> None:
    anna = house.person("anna")
    for name in ("here", "sent"):
        filled(house.context.store, name, 3)
        house.context.store.annotate(name, {"job": {"text": "name: here", "folder": "/"}})
    house.context.jobs.submit("", "sent", "name: sent", {}, "anna")
    house.context.jobs.stop("", "sent")
    shown = {name: anna.get(f"/studies/{name}").text for name in ("here", "sent")}
    assert "Resume</button>" in shown["sent"] and "Resume</button>" not in shown["here"]


def test_only_the_operator_sees_the_machine_and_how_to_back_it_up(house: House) -> None:
    said = {name: house.person("a", name).get("/admin").text for name in ("", "team")}
    assert "tunewise backup" in said[""] and "Processors" in said[""]
    assert "tunewise backup" not in said["team"] and "Processors" not in said["team"]


def test_an_invitation_says_where_it_leads_and_one_that_is_over_says_so(house: House) -> None:
    anna = house.person("anna")
    link = anna.post("/api/v1/invitations", json={"role": "viewer"}).json()["link"]
    assert "as viewer" in house.browser().get(link).text
    assert house.browser().get("/invitations/" + "x" * 40).status_code == 404


def test_files_are_found_by_their_content_and_no_other_file_is(here: Context) -> None:
    looks = browser(here)
    filled(here.store, "a", 1)
    page = looks.get("/").text + looks.get("/studies/a").text + looks.get("/tasks/new").text
    for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', page):
        answer = looks.get(address)
        assert answer.status_code == 200 and "immutable" in answer.headers["cache-control"]
    for name in ("../../context.py", "..%2f..%2fcontext.py", "nothing.js", "htmx-LICENSE.txt"):
        assert looks.get(f"/static/{name}").status_code == 404


def test_charts_are_packed_for_browsers_that_can_unpack_them(here: Context) -> None:
    filled(here.store, "a", 300)
    looks, path = browser(here), "/studies/a/charts/plane-cost"
    plain = looks.get(path, headers={"accept-encoding": "identity"})
    packed = looks.get(path, headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip" and packed.json() == plain.json()
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2


def test_revisions_are_told_to_browsers_that_cannot_listen(here: Context) -> None:
    filled(here.store, "a", 1)
    told = browser(here).get("/revisions?topics=study:a,studies,nonsense:x").json()
    assert told["study:a"] == 10 and set(told) == {"study:a", "studies"}


def test_a_study_that_takes_a_moment_to_be_read_says_so_first(here: Context) -> None:
    filled(here.store, "large", 5100)
    looks = browser(here)
    first = looks.get("/studies/large").text
    assert "Reading its trials" in first and len(first) < 10_000
    whole = looks.get("/studies/large", headers={"hx-request": "true"}).text
    assert "5,100 trials" in whole
    assert looks.get("/studies/large").text.count("Reading its trials") == 0


def test_a_study_without_trials_is_shown_anew_when_it_has_some(local: TestClient) -> None:
    here = local.app.state.context  # type: ignore[attr-defined] # it is our application
    filled(here.store, "young", 0)
    filled(here.store, "old", 40)
    anew = 'data-topic="study:{}" hidden hx-get="/studies/{}"'
    assert anew.format("young", "young") in local.get("/studies/young").text
    assert anew.format("old", "old") not in local.get("/studies/old").text


def test_a_name_with_a_comma_is_one_topic(local: TestClient) -> None:
    local.post("/api/v1/tasks", json={"name": "a,b", "program": "table(2) -> [no, yes]"})
    told = local.get("/revisions", params={"topics": "task%3Aa%2Cb,tasks"}).json()
    assert set(told) == {"task:a,b", "tasks"}


@pytest.mark.parametrize("name", ["new", ".", ".."])
def test_a_task_is_not_called_as_another_page_is(local: TestClient, name: str) -> None:
    given = {"name": name, "program": "table(2) -> [no, yes]"}
    assert local.post("/api/v1/tasks", json=given).status_code == 422


@pytest.mark.parametrize("name", ["a/../b", "..", "compare"])
def test_a_job_file_names_a_study_that_a_page_can_show(local: TestClient, name: str) -> None:
    text = f"name: {name}\nspace: {{x: [1, 2]}}\nmaximize: m\ncommand: [echo, '{{x}}']\n"
    refused = local.post("/api/v1/jobs", json={"text": text})
    assert refused.status_code == 422 and "expected a name without '/'" in refused.json()["detail"]


def test_templates_that_no_folder_can_keep_are_drawn_all_the_same(
    here: Context, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "full").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "full"))
    environment.cache_clear()
    try:
        assert "Nothing here yet" in browser(here).get("/").text
    finally:
        environment.cache_clear()


def test_a_new_token_or_invitation_is_listed_without_a_reload(house: House) -> None:
    anna = house.person("anna")
    for page, part in (("/account", "tokens"), ("/admin", "invited")):
        said = anna.get(page).text
        assert f'data-renews="#{part}"' in said
        [again] = re.findall(f'<div id="{part}" hx-get="([^"]*)" hx-trigger="changed"', said)
        assert again == page
    assert "task:NAME or study:NAME" in anna.get("/account").text


def test_forms_for_passwords_say_what_is_wrong_where_it_is_typed_and_show_it_on_demand(
    house: House,
) -> None:
    secret = Secret.new()
    house.context.tenants.ensure("")
    house.context.members.invite(secret.hash, "", "member", "nobody", 60.0)
    pages = (house.browser().get("/sign-in"), house.browser().get(f"/invitations/{secret.text}"))
    for page in (*pages, house.person("anna").get("/account")):
        form = re.search("<form[^>]*>(?:(?!</form>).)*password.*?</form>", page.text, re.S)
        assert form and "data-error" in form[0] and "data-shows-typed" in form[0]


def test_an_admin_reads_what_to_do_when_a_password_was_forgotten(house: House) -> None:
    assert "forgot the password" in house.person("anna").get("/admin").text
