"""Every route there is, by everybody who must not: a new route is tried without being named here.

What a route is sent so that it gets as far as it can is in `BODIES`; a route that changes something
and is not in it fails here.
"""

import asyncio
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import iter_route_contexts
from starlette.testclient import TestClient

from tests.service.conftest import PROGRAM, House, pairs
from tunewise.service import middleware
from tunewise.service.accounts.secret import Secret

API = "/api/v1"
FREE = {
    ("GET", f"{API}/openapi.json"),
    ("HEAD", f"{API}/openapi.json"),
    ("GET", "/health"),
    ("GET", "/ready"),
    ("POST", f"{API}/session"),
    ("DELETE", f"{API}/session"),
    ("POST", f"{API}/invitations/{{token}}/join"),
}
"""Routes of the API that answer whoever asks."""

FREE_PAGES = ("/sign-in", "/invitations/{token}", "/static/", "/favicon")

BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/tasks"): {"json": {"name": "new", "program": PROGRAM}},
    ("POST", "/tasks/{name}/examples"): {"json": {"pairs": pairs(1)}},
    ("PATCH", "/tasks/{name}/examples"): {"json": {"off": ["e1"]}},
    ("POST", "/tasks/{name}/uploads"): {"files": {"files": ("a.csv", b"a,b,c,d,e\n1,2,3,4,low\n")}},
    ("POST", "/tasks/{name}/infer"): {"json": {"input": [1, 2, 3, 4]}},
    ("POST", "/tasks/{name}/client"): {},
    ("DELETE", "/tasks/{name}"): {},
    ("POST", "/programs/check"): {"json": {"program": PROGRAM}},
    ("POST", "/programs/propose"): {"files": {"files": ("a.csv", b"a,b\n1,x\n2,y\n")}},
    ("DELETE", "/studies/{name}"): {},
    ("POST", "/studies/{name}/stop"): {},
    ("POST", "/studies/{name}/resume"): {},
    ("POST", "/studies/{name}/enqueue"): {"json": {"config": {"x": 1}}},
    ("POST", "/studies/{name}/notes"): {"json": {"text": "hello"}},
    ("DELETE", "/trainings/{name}"): {},
    ("POST", "/jobs"): {"json": {"text": "name: n\nspace: {a: [1]}\nmaximize: b\ncommand: echo"}},
    ("POST", "/session"): {"json": {"name": "nobody", "password": "not the password"}},
    ("PATCH", "/session"): {"json": {"password": "x" * 12, "new": "y" * 12}},
    ("DELETE", "/session"): {},
    ("POST", "/invitations/{token}/join"): {"json": {"name": "eve", "password": "x" * 12}},
    ("PATCH", "/members/{name}"): {"json": {"role": "viewer"}},
    ("DELETE", "/members/{name}"): {},
    ("POST", "/invitations"): {"json": {"role": "viewer"}},
    ("DELETE", "/invitations/{id}"): {},
    ("POST", "/tokens"): {"json": {"name": "t"}},
    ("DELETE", "/tokens/{number}"): {},
    ("POST", "/tenants"): {"json": {"name": "new"}},
    ("PATCH", "/tenants/{name}"): {"json": {"usd": 1.0}},
    ("POST", "/tenants/{name}/invitations"): {"json": {"role": "admin"}},
}
NASTY = [
    "../../../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e",
    "a' OR '1'='1",
    "x; DROP TABLE tunewise_tasks",
    "<script>alert(1)</script>",
    "\u202e\u0000\ud7ff",
    "%00",
    "n" * 3000,
    "😀",
    "²",
    "2:²",
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Anna of the reds has things; Eve of the blues has none."""
    house = House(f"sqlite:///{tmp_path_factory.mktemp('security')}/s.db")
    yield house
    house.context.close()


@pytest.fixture(scope="module")
def anna(shared: House) -> TestClient:
    anna = shared.person("anna", "reds")
    anna.post(f"{API}/tasks", json={"name": "plans", "program": PROGRAM})
    anna.post(f"{API}/tasks/plans/examples", json={"pairs": pairs(12)})
    from tunewise.problem import Problem
    from tunewise.space import Ordinal, Space
    from tunewise.study import Study

    store = shared.context.store.within("reds")
    problem = Problem(Space(Ordinal("x", [1, 2])), minimize="loss")
    study = Study(problem, strategy="random", storage=store, name="plans", seed=0)
    study.tell(study.ask(), {"loss": 1.0})
    store.runs().begin("plans", {})
    shared.context.jobs.submit("reds", "plans", "text", {}, "anna")
    return anna


@pytest.fixture(scope="module")
def eve(shared: House, anna: TestClient) -> TestClient:
    return shared.person("eve", "blues")


def routes(house: House) -> list[tuple[str, str]]:
    """All methods of all paths."""
    found = [
        (method, str(route.path))
        for route in iter_route_contexts(house.app.routes)
        for method in sorted(route.methods or ())
        if method != "HEAD"
    ]
    assert len(found) > 40
    return found


def is_free(method: str, path: str) -> bool:
    return (method, path) in FREE or path.startswith(FREE_PAGES)


def sent(method: str, path: str) -> dict[str, Any]:
    if method == "GET":
        return {}
    return BODIES[method, path.removeprefix(API)]


def filled(path: str, name: str = "plans") -> str:
    for part, value in (("{id}", "e1"), ("{number}", "1"), ("{token}", "t" * 43)):
        path = path.replace(part, value)
    return path.replace("{name}", name).replace("{name:path}", name)


def test_without_a_key_nothing_is_answered(shared: House, anna: TestClient) -> None:
    stranger = shared.program()
    for method, path in routes(shared):
        if not is_free(method, path) and path != "/metrics":
            answer = stranger.request(
                method, filled(path), **sent(method, path), follow_redirects=False
            )
            to = answer.headers.get("location", "")
            led = answer.status_code == 303 and to.startswith("/sign-in?next=/")
            assert answer.status_code == 401 or led, (method, path, answer.text[:200])
            assert path.startswith(API) <= (answer.status_code == 401)


def test_a_key_that_is_none_opens_nothing(shared: House, anna: TestClient) -> None:
    member = shared.context.members.find("reds", "anna")
    assert member is not None
    expired, revoked = Secret.new("tw_"), shared.token(anna, name="gone")
    shared.context.keys.add_token(expired.hash, member, "old", expired.shown, None, -1.0)
    (number,) = (
        token["number"]
        for token in anna.get(f"{API}/tokens").json()["tokens"]
        if token["name"] == "gone"
    )
    anna.delete(f"{API}/tokens/{number}")
    for token in (expired.text, revoked, "tw_" + "x" * 43, "'; --", ""):
        program = shared.program(token)
        for method, path in routes(shared):
            if path.startswith(API) and not is_free(method, path):
                answer = program.request(method, filled(path), **sent(method, path))
                assert answer.status_code == 401, (method, path, answer.text[:200])


def test_a_token_of_one_task_opens_nothing_else(shared: House, anna: TestClient) -> None:
    anna.post(f"{API}/tasks", json={"name": "other", "program": PROGRAM})
    program = shared.program(shared.token(anna, scope="task:other"))
    for method, path in routes(shared):
        if not is_free(method, path) and path != "/metrics":
            answer = program.request(method, filled(path), **sent(method, path))
            assert answer.status_code == 403, (method, path, answer.text[:200])


def test_another_tenants_names_are_like_names_that_nobody_has(
    shared: House, anna: TestClient, eve: TestClient
) -> None:
    for method, path in routes(shared):
        if not path.startswith(API) or "{name}" not in path:
            continue
        theirs = eve.request(method, filled(path), **sent(method, path))
        nobodys = eve.request(method, filled(path, "plant"), **sent(method, path))
        assert theirs.status_code == nobodys.status_code == 404, (method, path, theirs.text[:200])
        assert theirs.json()["detail"] == nobodys.json()["detail"].replace("plant", "plans")
    assert anna.get(f"{API}/tasks/plans").json()["examples"] == 12
    assert anna.get(f"{API}/studies/plans").status_code == 200


def test_lists_of_another_tenant_are_empty(shared: House, eve: TestClient) -> None:
    for what in ("tasks", "studies", "trainings"):
        assert eve.get(f"{API}/{what}").json()[what] == []


def test_pages_show_nothing_of_another_tenant(
    shared: House, anna: TestClient, eve: TestClient
) -> None:
    for method, path in routes(shared):
        if path.startswith(API) or is_free(method, path) or path in ("/metrics", "/events"):
            continue
        answer = eve.request(method, filled(path), follow_redirects=False)
        assert answer.status_code < 500, (path, answer.text[:300])
        if "{name}" in path:
            assert answer.status_code == 404, (path, answer.status_code)


def test_another_site_can_change_nothing(shared: House, anna: TestClient) -> None:
    before = anna.get(f"{API}/tasks").json()
    browser = shared.program()
    browser.cookies.update(dict(anna.cookies))
    for method, path in routes(shared):
        if method == "GET":
            continue
        for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "https://evil.test"}):
            answer = browser.request(method, filled(path), headers=headers, **sent(method, path))
            assert answer.status_code == 403, (method, path, headers, answer.text[:200])
    assert anna.get(f"{API}/tasks").json() == before
    assert anna.get(f"{API}/session").status_code == 200


def test_nasty_names_are_refused_politely(shared: House, eve: TestClient) -> None:
    for method, path in routes(shared):
        if "{" not in path or (method, path) in FREE:
            continue
        for name in [each if "%" in each else quote(each) for each in NASTY]:
            place = path.replace("{name}", name).replace("{id}", name)
            place = filled(place.replace("{token}", name).replace("{number}", name))
            answer = eve.request(method, place, **sent(method, path))
            assert answer.status_code < 500, (method, path, name, answer.text[:200])
            assert "root:" not in answer.text


def test_what_a_query_says_is_a_value_and_nothing_else(
    shared: House, anna: TestClient, eve: TestClient
) -> None:
    anna.post(f"{API}/tasks", json={"name": "asked", "program": PROGRAM})
    tried = 0
    for route in iter_route_contexts(shared.app.routes):
        path, told = str(route.path), getattr(route.route, "dependant", None)
        if told is None or "GET" not in (route.methods or ()) or path == "/events":
            continue
        for param in get_flat_params(told):
            if param.field_info.in_.value != "query":  # type: ignore[attr-defined]
                continue
            for value in [each for each in NASTY if "%" not in each]:
                answer = eve.get(filled(path), params={param.alias: value})
                mine = anna.get(filled(path), params={param.alias: value})
                for one in (answer, mine):
                    assert one.status_code < 500, (path, param.alias, value, one.text[:200])
                    assert "root:" not in one.text
                    html = one.headers["content-type"].startswith("text/html")
                    assert not (html and "<script>alert" in one.text), (path, param.alias)
                tried += 1
    assert tried > 200
    assert anna.get(f"{API}/tasks/asked").status_code == 200


def test_names_of_people_and_tokens_run_nothing_on_the_pages_of_admins(shared: House) -> None:
    evil = "<img src=x onerror=alert(1)>'\""
    mallory = shared.person(evil, "greens")
    mallory.post(f"{API}/tokens", json={"name": evil})
    mallory.post(f"{API}/invitations", json={"role": "viewer"})
    mallory.post(f"{API}/tasks", json={"name": evil, "program": PROGRAM})
    job = {"text": "name: n\nspace: {x: [1]}\nmaximize: m\ncommand: 'true'\n", "name": evil}
    assert mallory.post(f"{API}/jobs", json=job).status_code == 202
    for path in ("/", "/admin", "/account", "/tasks", "/changes?since=1"):
        text = mallory.get(path, headers={"accept": "text/html"}).text
        assert "<img src=x" not in text and "&lt;img src=x" in text, path


def test_a_body_that_comes_too_slowly_is_not_waited_for(
    shared: House, anna: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(middleware, "SLOWEST", 0.05)
    sent: list[dict[str, Any]] = []

    async def never() -> dict[str, Any]:
        await asyncio.sleep(60)
        raise AssertionError("it was waited for")

    async def keep(message: dict[str, Any]) -> None:
        sent.append(message)

    cookies = "; ".join(f"{name}={value}" for name, value in anna.cookies.items()).encode()
    headers = [(b"host", b"tunewise.test"), (b"cookie", cookies), (b"content-length", b"9")]
    headers += [(b"content-type", b"application/json"), (b"sec-fetch-site", b"same-origin")]
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": f"{API}/tasks",
        "headers": headers,
    }
    scope |= {"query_string": b"", "raw_path": b"", "root_path": "", "scheme": "http"}
    asyncio.run(shared.app(scope, never, keep))  # type: ignore[arg-type]
    assert sent[0]["status"] == 408


def test_an_archive_that_unpacks_to_far_more_than_it_weighs_is_refused(
    shared: House, anna: TestClient
) -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("low/bomb.csv", b"0" * 100_000_000)
    for path in ("/tasks/plans/uploads", "/programs/propose"):
        given = {"files": ("bomb.zip", packed.getvalue())}
        answer = anna.post(f"{API}{path}", files=given)
        assert answer.status_code == 422 or answer.json()["refused"], answer.text[:300]


def test_large_and_nested_bodies_are_refused(shared: House, eve: TestClient) -> None:
    deep = b'{"pairs": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    huge = b'{"name": "' + b"x" * (2 * 1024 * 1024) + b'"}'
    headers = {"content-type": "application/json"}
    for method, path in routes(shared):
        if method not in ("POST", "PATCH", "PUT"):
            continue
        answer = eve.request(method, filled(path), content=deep, headers=headers)
        assert 400 <= answer.status_code < 500, (method, path, answer.status_code)
        wide = ("uploads", "propose", "examples", "infer", "jobs")
        if not path.endswith(wide):
            answer = eve.request(method, filled(path), content=huge, headers=headers)
            assert answer.status_code == 413, (method, path, answer.status_code)


def test_every_answer_says_what_a_browser_must_not_do(shared: House, eve: TestClient) -> None:
    for path in ("/", f"{API}/tasks", f"{API}/nothing", "/sign-in"):
        headers = eve.get(path).headers
        policy = headers["content-security-policy"]
        assert "unsafe-eval" not in policy and "script-src 'self';" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


def test_files_that_a_job_brings_stay_in_its_folder(
    shared: House, anna: TestClient, tmp_path: Path
) -> None:
    job = {"text": "name: brought\nspace: {x: [1]}\nmaximize: m\ncommand: 'true'\ntrials: 1\n"}
    content = b64encode(b"x").decode()
    for name in ("../../evil.py", "..\\..\\evil.py", "a/../../b.py", "", "a\0b"):
        answer = anna.post(f"{API}/jobs", json={**job, "files": {name: content}})
        assert answer.status_code == 422, (name, answer.text)
    many = {f"{n}.py": "" for n in range(1001)}
    assert anna.post(f"{API}/jobs", json={**job, "files": many}).status_code == 422
    large = {"a.py": b64encode(bytes(11 * 1024 * 1024)).decode()}
    assert anna.post(f"{API}/jobs", json={**job, "files": large}).status_code == 413
    assert anna.post(f"{API}/jobs", json={**job, "files": {"a.py": "a"}}).status_code == 422
    brought = {"/etc/cron.d/evil": content, "job.yaml": content}
    assert anna.post(f"{API}/jobs", json={**job, "files": brought}).status_code == 202
    tenant = anna.get(f"{API}/session").json()["tenant"]
    shared.context.sent.unpack("" if tenant == "local" else tenant, "brought", tmp_path)
    assert (tmp_path / "etc/cron.d/evil").read_bytes() == b"x"


def test_names_of_files_lead_nowhere(shared: House, anna: TestClient) -> None:
    for name in ("../../evil.csv", "/etc/cron.d/evil", "..\\..\\evil.csv", "a/../../b.csv", ""):
        given = {"files": (name, b"a,b,c,d,e\n1,2,3,4,low\n")}
        answer = anna.post(f"{API}/tasks/plans/uploads", files=given)
        assert answer.status_code in (200, 422), answer.text
    assert anna.get(f"{API}/tasks/plans").status_code == 200


def test_a_sign_in_leads_to_our_own_pages_alone(shared: House) -> None:
    answer = shared.browser().get(
        "/studies", headers={"accept": "text/html"}, follow_redirects=False
    )
    assert answer.status_code == 303 and answer.headers["location"] == "/sign-in?next=/studies"
