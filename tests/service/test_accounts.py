"""People sign in, programs bring tokens, and nobody sees another tenant's things."""

import asyncio
import time

import pytest
from argon2 import PasswordHasher

from tests.service.conftest import PASSWORD, PROGRAM, House, pairs
from tunewise.service.accounts.limits import Buckets
from tunewise.service.accounts.passwords import Passwords
from tunewise.service.accounts.secret import Secret
from tunewise.service.problems import Problem

API = "/api/v1"
TASK = {"name": "secret plans", "program": PROGRAM}


def test_an_invitation_lets_one_person_in_once(house: House) -> None:
    anna = house.person("anna")
    link = anna.post(f"{API}/invitations", json={"role": "member"}).json()["link"]
    token = link.rpartition("/")[2]
    bob = house.browser()
    given = {"name": "bob", "password": PASSWORD}
    joined = bob.post(f"{API}/invitations/{token}/join", json=given)
    assert joined.status_code == 201 and joined.json()["role"] == "member"
    assert bob.get(f"{API}/session").json()["member"] == "bob"
    again = house.browser().post(f"{API}/invitations/{token}/join", json={**given, "name": "eve"})
    assert again.status_code == 404


def test_an_invitation_is_seen_by_its_tenants_admins_and_can_be_withdrawn(house: House) -> None:
    anna, eve = house.person("anna", "reds"), house.person("eve", "blues")
    link = anna.post(f"{API}/invitations", json={"role": "viewer"}).json()["link"]
    (seen,) = anna.get(f"{API}/invitations").json()["invitations"]
    assert (seen["role"], seen["by"]) == ("viewer", "anna")
    assert link.rpartition("/")[2] not in str(seen)
    assert eve.get(f"{API}/invitations").json()["invitations"] == []
    assert eve.delete(f"{API}/invitations/{seen['id']}").status_code == 404
    assert "Withdraw" in anna.get("/admin", headers={"accept": "text/html"}).text
    assert anna.delete(f"{API}/invitations/{seen['id']}").status_code == 204
    given = {"name": "bob", "password": PASSWORD}
    token = link.rpartition("/")[2]
    assert house.browser().post(f"{API}/invitations/{token}/join", json=given).status_code == 404
    assert anna.delete(f"{API}/invitations/{seen['id']}").status_code == 404


@pytest.mark.parametrize("name", ["a/b", "   ", "ends "])
def test_whoever_joins_is_told_what_a_name_looks_like(house: House, name: str) -> None:
    link = house.person("anna").post(f"{API}/invitations", json={"role": "member"}).json()["link"]
    given = {"name": name, "password": "correct horse battery"}
    token = link.rpartition("/")[2]
    answer = house.browser().post(f"{API}/invitations/{token}/join", json=given)
    expected = "a name without '/', which neither begins nor ends with a space"
    assert answer.json()["detail"] == f"name: {name!r}; expected {expected}"


def test_people_sign_in_and_out_with_a_cookie_that_scripts_cannot_read(house: House) -> None:
    house.person("anna", "team")
    browser = house.browser()
    signed = browser.post(f"{API}/session", json={"name": "team/anna", "password": PASSWORD})
    assert signed.status_code == 201 and signed.json()["tenant"] == "team"
    cookie = signed.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie
    assert browser.get(f"{API}/tasks").status_code == 200
    kept = dict(browser.cookies)
    assert browser.delete(f"{API}/session").status_code == 204
    assert browser.get(f"{API}/tasks").status_code == 401
    stolen = house.browser()
    stolen.cookies.update(kept)
    assert stolen.get(f"{API}/tasks").status_code == 401


def test_a_wrong_password_and_an_unknown_name_are_answered_alike(house: House) -> None:
    house.person("anna")
    browser = house.browser()
    wrong = browser.post(f"{API}/session", json={"name": "anna", "password": "x" * 12})
    nobody = browser.post(f"{API}/session", json={"name": "zoe", "password": "x" * 12})
    assert wrong.status_code == nobody.status_code == 401
    assert wrong.json()["detail"] == nobody.json()["detail"]


def test_as_much_is_hashed_for_unknown_names() -> None:
    slow = PasswordHasher(time_cost=20, memory_cost=4096, parallelism=1)
    passwords = Passwords(slow)
    kept = asyncio.run(passwords.hash(PASSWORD))

    def seconds(password: str | None) -> float:
        began = time.process_time()
        assert not asyncio.run(passwords.fits("x" * 12, password))
        return time.process_time() - began

    known, unknown = (min(seconds(one) for _ in range(5)) for one in (kept, None))
    assert 1 / 3 < known / unknown < 3
    passwords.close()


def test_passwords_cannot_be_tried_without_end(house: House) -> None:
    browser = house.browser()
    given = {"name": "anna", "password": "x" * 12}
    answers = [browser.post(f"{API}/session", json=given) for _ in range(11)]
    assert answers[-1].status_code == 429 and int(answers[-1].headers["retry-after"]) > 0


def test_a_session_is_new_after_signing_in(house: House) -> None:
    house.person("anna")
    browser = house.browser()
    browser.cookies.set("tunewise_session", "chosen by somebody else")
    signed = browser.post(f"{API}/session", json={"name": "anna", "password": PASSWORD})
    assert "chosen" not in signed.headers["set-cookie"]


def test_a_new_password_ends_all_sessions(house: House) -> None:
    anna = house.person("anna")
    given = {"password": PASSWORD, "new": "another long password"}
    assert anna.patch(f"{API}/session", json=given).status_code == 204
    assert anna.get(f"{API}/session").status_code == 401
    assert (
        anna.post(f"{API}/session", json={"name": "anna", "password": PASSWORD}).status_code == 401
    )
    fresh = {"name": "anna", "password": "another long password"}
    assert anna.post(f"{API}/session", json=fresh).status_code == 201


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://evil.test"},
        {"origin": "null"},
        {},
    ],
)
def test_another_site_cannot_use_a_persons_session(house: House, headers: dict[str, str]) -> None:
    anna = house.person("anna")
    browser = house.program()
    browser.cookies.update(dict(anna.cookies))
    answer = browser.post(f"{API}/tasks", json=TASK, headers=headers)
    assert answer.status_code == 403
    assert anna.get(f"{API}/tasks").json()["tasks"] == []


def test_our_own_pages_may_also_say_where_they_come_from_by_origin(house: House) -> None:
    anna = house.person("anna")
    browser = house.program()
    browser.cookies.update(dict(anna.cookies))
    headers = {"origin": "http://tunewise.test"}
    assert browser.post(f"{API}/tasks", json=TASK, headers=headers).status_code == 201


def test_a_token_is_shown_once_and_works_until_it_is_revoked(house: House) -> None:
    anna = house.person("anna")
    made = anna.post(f"{API}/tokens", json={"name": "laptop"}).json()
    assert made["token"].startswith("tw_") and made["used_at"] is None
    program = house.program(made["token"])
    assert program.get(f"{API}/tasks").status_code == 200
    (listed,) = anna.get(f"{API}/tokens").json()["tokens"]
    assert "token" not in listed and made["token"].startswith(listed["prefix"])
    assert listed["used_at"] is not None
    assert anna.delete(f"{API}/tokens/{made['number']}").status_code == 204
    assert program.get(f"{API}/tasks").status_code == 401


def test_nothing_in_the_store_lets_anybody_in(house: House) -> None:
    anna = house.person("anna")
    token = house.token(anna)
    kept = house.context.store.database.read(
        lambda c: " ".join(
            str(row)
            for table in ("members", "tokens", "sessions", "invitations")
            for row in c.exec_driver_sql(f"SELECT * FROM tunewise_{table}")
        )
    )
    assert token not in kept and PASSWORD not in kept
    assert str(anna.cookies["tunewise_session"]) not in kept


def test_an_expired_token_is_no_token(house: House) -> None:
    anna = house.person("anna")
    member = house.context.members.find("", "anna")
    assert member is not None
    secret = Secret.new("tw_")
    house.context.keys.add_token(secret.hash, member, "old", secret.shown, None, -1.0)
    assert house.program(secret.text).get(f"{API}/tasks").status_code == 401
    assert anna.get(f"{API}/tokens").json()["tokens"][0]["name"] == "old"


def test_a_token_that_a_token_made_ends_and_is_revoked_with_it(house: House) -> None:
    anna = house.person("anna")
    first = house.token(anna, days=1)
    made = house.program(first).post(f"{API}/tokens", json={"name": "child", "days": 3000}).json()
    again = house.program(made["token"]).post(f"{API}/tokens", json={"name": "c", "days": None})
    for child in (made, again.json()):
        assert child["until"] - child["created_at"] <= 86400
    other = house.token(anna)
    number = anna.get(f"{API}/tokens").json()["tokens"][0]["number"]
    assert anna.delete(f"{API}/tokens/{number}").status_code == 204
    house.context.bearers.forget()
    tokens = (first, made["token"], again.json()["token"], other)
    answers = [house.program(token).get(f"{API}/tasks").status_code for token in tokens]
    assert answers == [401, 401, 401, 200]


def test_a_narrow_token_is_good_for_its_task_alone(house: House) -> None:
    anna = house.person("anna")
    for name in ("one", "two"):
        anna.post(f"{API}/tasks", json={"name": name, "program": PROGRAM})
    program = house.program(house.token(anna, scope="task:one"))
    assert program.post(f"{API}/tasks/one/examples", json={"pairs": pairs(3)}).status_code == 200
    assert program.get(f"{API}/tasks/one").status_code == 200
    refused = [
        program.get(f"{API}/tasks/two"),
        program.get(f"{API}/tasks"),
        program.get(f"{API}/tokens"),
        program.delete(f"{API}/tasks/one"),
        program.post(f"{API}/tokens", json={"name": "more"}),
        program.get("/events?topics=task:one"),
    ]
    assert [answer.status_code for answer in refused] == [403] * len(refused)
    unknown = anna.post(f"{API}/tokens", json={"name": "x", "scope": "task:three"})
    assert unknown.status_code == 404


def test_a_viewer_looks_and_asks_but_changes_nothing(house: House) -> None:
    anna, vera = house.person("anna"), house.person("vera", role="viewer")
    anna.post(f"{API}/tasks", json=TASK)
    place = f"{API}/tasks/{TASK['name']}"
    assert vera.get(place).status_code == 200
    assert vera.post(f"{API}/programs/check", json={"program": PROGRAM}).status_code == 200
    assert vera.post(f"{place}/infer", json={"input": [1, 2, 3, 4]}).status_code == 409
    assert vera.delete(place).status_code == 403
    assert vera.post(f"{API}/tasks", json={**TASK, "name": "x"}).status_code == 403
    assert vera.get(f"{API}/members").status_code == 403


def test_another_tenants_things_are_as_if_they_were_not_there(house: House) -> None:
    anna, eve = house.person("anna", "reds"), house.person("eve", "blues")
    anna.post(f"{API}/tasks", json=TASK)
    for path in (TASK["name"], "no such thing"):
        answers = [
            eve.get(f"{API}/tasks/{path}"),
            eve.delete(f"{API}/tasks/{path}"),
            eve.post(f"{API}/tasks/{path}/infer", json={"input": 1}),
            eve.post(f"{API}/tasks/{path}/examples", json={"pairs": pairs(1)}),
        ]
        said = {answer.json()["detail"].replace(path, "*") for answer in answers}
        assert {answer.status_code for answer in answers} == {404}
        assert said == {"there is no task '*'; the store has none"}
    assert eve.get(f"{API}/tasks").json()["tasks"] == []
    assert eve.post(f"{API}/tasks", json=TASK).status_code == 201
    assert [m["name"] for m in eve.get(f"{API}/members").json()["members"]] == ["eve"]


def test_numbers_that_one_tenant_sees_do_not_count_anothers(house: House) -> None:
    anna, eve = house.person("anna", "reds"), house.person("eve", "blues")
    for _ in range(3):
        house.token(anna)
    made = eve.post(f"{API}/tokens", json={"name": "t"}).json()
    assert made["number"] == 1
    entries = eve.get(f"{API}/admin/audit").json()["entries"]
    assert [entry["number"] for entry in entries] == [2, 1]
    assert {entry["member"] for entry in entries} == {"eve"}


def test_only_the_operator_knows_of_tenants(house: House) -> None:
    root, anna = house.person("root"), house.person("anna", "reds")
    given = {"name": "greens", "seconds": 60.0}
    assert root.post(f"{API}/tenants", json=given).status_code == 201
    assert root.post(f"{API}/tenants", json=given).status_code == 409
    changed = root.patch(f"{API}/tenants/greens", json={"usd": 5.0}).json()
    assert (changed["usd"], changed["seconds"]) == (5.0, 60.0)
    link = root.post(f"{API}/tenants/greens/invitations", json={"role": "admin"})
    assert link.status_code == 201
    assert {
        a.status_code
        for a in (anna.get(f"{API}/tenants"), house.person("m", "", "member").get(f"{API}/tenants"))
    } == {404}
    assert anna.get(f"{API}/admin/usage").json()["name"] == "reds"


def test_a_tenant_keeps_an_admin(house: House) -> None:
    anna = house.person("anna", "reds")
    assert anna.patch(f"{API}/members/anna", json={"role": "viewer"}).status_code == 409
    assert anna.delete(f"{API}/members/anna").status_code >= 400
    house.person("ben", "reds", "member")
    assert anna.patch(f"{API}/members/ben", json={"role": "admin"}).status_code == 200
    assert anna.delete(f"{API}/members/anna").status_code == 204
    assert anna.get(f"{API}/session").status_code == 401


def test_what_was_changed_is_in_the_audit_log(house: House) -> None:
    anna = house.person("anna")
    anna.post(f"{API}/tasks", json=TASK)
    anna.delete(f"{API}/tasks/{TASK['name']}")
    entries = anna.get(f"{API}/admin/audit").json()["entries"]
    assert [entry["action"] for entry in entries] == [
        "task deleted",
        "task created",
        "member joined",
    ]


def test_files_of_a_tenant_take_no_more_than_its_bytes(house: House) -> None:
    root = house.person("root")
    root.patch(f"{API}/tenants/local", json={"bytes": 20_000})
    root.post(f"{API}/tasks", json={"name": "t", "program": PROGRAM})
    root.post(f"{API}/tasks", json={"name": "other", "program": PROGRAM})
    assert root.post(f"{API}/tasks/other/examples", json={"pairs": pairs(9)}).status_code == 200
    answer = root.post(f"{API}/tasks/t/examples", json={"pairs": pairs(2000)})
    assert answer.status_code == 409 and "bytes" in answer.json()["detail"]
    rows = "\n".join(["a,b,c,d,e", *(f"{n},{n},{n},{n},low" for n in range(2000))]).encode()
    sent = root.post(f"{API}/tasks/t/uploads", files={"files": ("rows.csv", rows)})
    assert sent.status_code == 409 and "bytes" in sent.json()["detail"]
    assert sum(file.stat().st_size for file in house.context.files.rglob("*")) < 40_000
    assert root.post(f"{API}/tasks/t/examples", json={"pairs": pairs(9)}).status_code == 200


def test_the_page_of_a_task_says_what_is_full_until_there_is_room(house: House) -> None:
    root = house.person("root")
    root.post(f"{API}/tasks", json={"name": "t", "program": PROGRAM})
    root.post(f"{API}/tasks/t/examples", json={"pairs": pairs(9)})
    assert "all that they may" not in root.get("/tasks/t/standing").text
    root.patch(f"{API}/tenants/local", json={"bytes": 10.0})
    for place in ("/tasks/t/standing", f"{API}/tasks/t"):
        said = root.get(place).text
        assert "it waits" in said and "delete a task, or let the operator" in said
    root.patch(f"{API}/tenants/local", json={"bytes": None})
    assert "all that they may" not in root.get("/tasks/t/standing").text


def test_a_bucket_fills_with_time() -> None:
    now = [0.0]
    buckets = Buckets(rate=2.0, burst=3.0, clock=lambda: now[0])
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(Problem, match="come again in 1 s"):
        buckets.take("a")
    buckets.take("b")
    now[0] = 0.5
    buckets.take("a")
    with pytest.raises(Problem):
        buckets.take("a")
