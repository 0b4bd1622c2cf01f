"""Signing in and out, and joining by an invitation."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from tunewise.service.accounts.origin import check_origin
from tunewise.service.accounts.secret import Secret, hashed
from tunewise.service.api.account_models import Join, NewPassword, SessionOf, SignIn
from tunewise.service.context import Context
from tunewise.service.problems import NotSignedIn, Problem
from tunewise.service.viewer import COOKIE, LOCAL, Here, Who, refuse_strange_host, tenant_of
from tunewise.storage.accounts import Member

router = APIRouter(tags=["session"])

LASTS = 14 * 86400.0
"""Seconds of a session."""

_WRONG = "no member has this name and this password"
Token = Annotated[str, Path(min_length=20, max_length=100)]


@router.post("/session", status_code=201)
async def sign_in(here: Here, request: Request, response: Response, given: SignIn) -> SessionOf:
    """Sign in with a name (or TENANT/NAME) and a password: a cookie lets the browser in."""
    _check(here, request)
    tenant, slash, name = given.name.partition("/")
    tenant, name = (tenant, name) if slash else (LOCAL, tenant)
    here.attempts.take(f"{tenant}/{name}")
    here.attempts.take(f"from {request.client.host if request.client else '?'}", 0.2)
    namespace = "" if tenant == LOCAL else tenant
    member = await run_in_threadpool(here.members.find, namespace, name)
    fits = await here.passwords.fits(given.password, None if member is None else member.password)
    if member is None or not fits:
        raise NotSignedIn(_WRONG)
    await _begin(here, request, response, member)
    return SessionOf(member=member.name, tenant=tenant_of(member.namespace), role=member.role)


@router.get("/session")
def show_session(who: Who) -> SessionOf:
    """Who is signed in."""
    return SessionOf(member=who.member, tenant=who.tenant, role=who.role)


@router.delete("/session", status_code=204)
async def sign_out(here: Here, request: Request) -> Response:
    """End the browser's session."""
    _check(here, request)
    await _end(here, request)
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, path="/")
    return answer


@router.patch("/session", status_code=204)
async def change_password(here: Here, who: Who, given: NewPassword) -> None:
    """Change one's own password; all one's sessions end."""
    here.attempts.take(f"{who.tenant}/{who.member}")
    member = await run_in_threadpool(here.members.find, who.namespace, who.member)
    if member is None or who.scope is not None:
        raise Problem(409, "there is no password to change")
    if not await here.passwords.fits(given.password, member.password):
        raise Problem(403, "the password is another")
    kept = await here.passwords.hash(given.new)
    await run_in_threadpool(lambda: here.members.change(member, password=kept))
    here.bearers.forget()
    await run_in_threadpool(here.note, who, "password changed", "")


@router.post("/invitations/{token}/join", status_code=201)
async def join(
    here: Here, request: Request, response: Response, token: Token, given: Join
) -> SessionOf:
    """Become a member by an invitation, and sign in."""
    _check(here, request)
    here.attempts.take(f"join {hashed(token)}")
    if await run_in_threadpool(here.members.invitation, hashed(token)) is None:
        raise Problem(404, "the invitation was used or is over; ask for another")
    kept = await here.passwords.hash(given.password)
    member = await run_in_threadpool(here.members.join, hashed(token), given.name, kept)
    if member is None:
        raise Problem(404, "the invitation was used or is over; ask for another")
    await _begin(here, request, response, member)
    note = here.audit.note
    await run_in_threadpool(note, member.namespace, member.name, "member joined", member.role)
    return SessionOf(member=member.name, tenant=tenant_of(member.namespace), role=member.role)


def _check(here: Context, request: Request) -> None:
    if not here.accounts:
        raise Problem(404, "this service has no accounts")
    refuse_strange_host(request, here)
    check_origin(request, by_cookie=False)


async def _begin(here: Context, request: Request, response: Response, member: Member) -> None:
    """A session of its own for whoever signs in: one from before is not taken over."""
    await _end(here, request)
    secret = Secret.new()
    await run_in_threadpool(here.keys.begin_session, secret.hash, member, LASTS)
    response.set_cookie(
        COOKIE,
        secret.text,
        max_age=int(LASTS),
        path="/",
        secure=here.settings.secure,
        httponly=True,
        samesite="lax",
    )


async def _end(here: Context, request: Request) -> None:
    if (cookie := request.cookies.get(COOKIE)) is not None:
        await run_in_threadpool(here.keys.end_session, hashed(cookie))
        here.bearers.forget()
