"""Pages of admins, and those by which people come in."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from tunewise.service.accounts.secret import hashed
from tunewise.service.pages.render import PageRoute, drawn, page
from tunewise.service.pages.views.admin import admin_view
from tunewise.service.problems import Problem
from tunewise.service.viewer import Admin, Here, Who, tenant_of

router = APIRouter(route_class=PageRoute)


@router.get("/admin")
def admin(
    request: Request,
    here: Here,
    who: Admin,
    before: Annotated[int | None, Query(ge=1, lt=2**31)] = None,
) -> Response:
    """Members, quotas, what waits, who did what."""
    if not here.accounts:
        raise Problem(404, "this service has no accounts, so there is nothing to administer")
    view = admin_view(here, who, before)
    return page(request, here, who, "admin.html", view=view, section="/admin")


@router.get("/account")
def account(request: Request, here: Here, who: Who) -> Response:
    """One's own tokens and password."""
    if not here.accounts:
        raise Problem(404, "this service has no accounts")
    tokens = here.keys.tokens(who.namespace, who.member, 0, 200)
    return page(request, here, who, "account.html", tokens=tokens, section="/account")


@router.get("/sign-in")
def sign_in(here: Here, changed: str = "") -> Response:
    """The way in."""
    if not here.accounts:
        return RedirectResponse("/", 303)
    return drawn("sign_in.html", changed=changed)


@router.get("/invitations/{token}")
def invitation(here: Here, token: str) -> Response:
    """The way in for somebody new."""
    found = here.members.invitation(hashed(token)) if here.accounts else None
    if found is None:
        raise Problem(404, "the invitation was used or is over; ask for another")
    namespace, role = found
    return drawn("invitation.html", token=token, tenant=tenant_of(namespace), role=role)
