"""Who asks: a member of a tenant, with a role; and what is refused before a route is reached."""

from dataclasses import dataclass
from typing import Annotated, Literal, cast
from urllib.parse import urlsplit

from fastapi import Depends, Request

from tunewise.service.accounts.origin import SAFE, check_origin
from tunewise.service.accounts.secret import hashed
from tunewise.service.context import Context
from tunewise.service.problems import NotSignedIn, Problem
from tunewise.storage.accounts.keys import Bearer

Role = Literal["admin", "member", "viewer"]
LOCAL = "local"
"""The tenant of everything that commands and programs made without naming one."""

COOKIE = "tunewise_session"
API = "/api/v1"
READING = frozenset(("infer", "check_program", "propose_program"))
"""Functions of routes that change nothing although they are posted to."""

SLASH = "\ufdd0"
"""Stands for a slash within a name while a route is looked for: no text has this character."""

_PLACES = {"task": f"{API}/tasks", "study": f"{API}/studies"}


@dataclass(frozen=True)
class Viewer:
    """Who looks or changes something.

    Attributes:
        member: The person's name; empty for the one viewer of a service without accounts.
        tenant: Whose things are seen.
        role: "viewer" looks, "member" changes, "admin" says who may.
        scope: Of a narrow token, such as "task:clothes"; None: all that the role may.
        token: The number of the token that a program brought.
    """

    member: str
    tenant: str
    role: Role
    scope: str | None = None
    token: int | None = None

    @property
    def namespace(self) -> str:
        """Under which the tenant's things lie in the store."""
        return "" if self.tenant == LOCAL else self.tenant

    @property
    def may_change(self) -> bool:
        """Whether the role changes anything."""
        return self.role != "viewer"

    @property
    def operates(self) -> bool:
        """Whether it is an admin of the whole service."""
        return self.role == "admin" and self.tenant == LOCAL and self.scope is None


def tenant_of(namespace: str) -> str:
    """What people call the tenant of a namespace."""
    return namespace or LOCAL


def context(request: Request) -> Context:
    """The context of the process."""
    return cast(Context, request.app.state.context)


async def viewer(request: Request) -> Viewer:
    """Who asks, as a dependency of a route; whoever may not is refused here.

    Raises:
        NotSignedIn: Nobody that is known.
        Problem: Another site's request, or one that the role or the token is too narrow for.
    """
    here = context(request)
    # Routes are found by paths in which a name has no slash; from here on it has.
    for key, value in request.path_params.items():
        request.scope["path_params"][key] = value.replace(SLASH, "/")
    refuse_strange_host(request, here)
    found = request.state.viewer = await _found(request, here)
    here.requests.take(f"{found.tenant}/{found.member}")
    asked = getattr(request.scope.get("endpoint"), "__name__", "")
    changes = request.method not in SAFE and asked not in READING
    if changes and not found.may_change:
        raise Problem(403, "you may look but not change anything; ask an admin for more")
    if found.scope is not None:
        _check_scope(request, found.scope)
    return found


async def _found(request: Request, here: Context) -> Viewer:
    if not here.accounts:
        if request.method not in SAFE:
            check_origin(request, by_cookie=False)
        return Viewer("", LOCAL, "viewer" if here.read_only else "admin")
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme:
        bearer = await here.bearers.of_token(hashed(token)) if scheme.lower() == "bearer" else None
        return _viewer(bearer, "the token is unknown, expired or revoked")
    cookie = request.cookies.get(COOKIE)
    if cookie is None:
        raise NotSignedIn("sign in first, or bring a token: Authorization: Bearer tw_…")
    if request.method not in SAFE:
        check_origin(request, by_cookie=True)
    return _viewer(await here.bearers.of_session(hashed(cookie)), "the session is over")


def _viewer(bearer: Bearer | None, otherwise: str) -> Viewer:
    if bearer is None:
        raise NotSignedIn(otherwise)
    role = cast(Role, bearer.role)
    return Viewer(bearer.member, tenant_of(bearer.namespace), role, bearer.scope, bearer.token)


def _check_scope(request: Request, scope: str) -> None:
    """Refuse what a narrow token was not made for; nor does it delete what it is for."""
    kind, _, name = scope.partition(":")
    path, place = request.scope["path"], f"{_PLACES[kind]}/{name}"
    inside = path == place or path.startswith(f"{place}/")
    if not inside or request.path_params.get("name") != name or request.method == "DELETE":
        raise Problem(403, f"this token is for the {kind} {name!r} alone, and deletes nothing")


def refuse_strange_host(request: Request, here: Context) -> None:
    """Refuse a name that is not ours: another site's name may point to this address."""
    hosts = here.settings.hosts
    if hosts and urlsplit(f"//{request.headers.get('host', '')}").hostname not in hosts:
        raise Problem(421, f"this service is called {' or '.join(hosts)}")


async def admin(who: Annotated[Viewer, Depends(viewer)]) -> Viewer:
    """Who asks, if it is an admin of the tenant."""
    if who.role != "admin":
        raise Problem(403, "only an admin may do that")
    return who


async def operator(who: Annotated[Viewer, Depends(viewer)]) -> Viewer:
    """Who asks, if it is an admin of the whole service; for others there is no such route."""
    if not who.operates:
        raise Problem(404, "Not Found")
    return who


async def _here(request: Request) -> Context:
    return context(request)  # a plain function would take a thread for each request


Here = Annotated[Context, Depends(_here)]
Who = Annotated[Viewer, Depends(viewer)]
Admin = Annotated[Viewer, Depends(admin)]
Operator = Annotated[Viewer, Depends(operator)]
