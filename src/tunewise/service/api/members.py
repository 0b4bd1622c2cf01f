"""Members of the tenant, and invitations for more; for admins."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path, Request

from tunewise.service.accounts.secret import Secret
from tunewise.service.api.account_models import (
    Invitation,
    Invite,
    InvitedOf,
    InvitedPage,
    MemberOf,
    MemberPage,
    NewRole,
)
from tunewise.service.api.models import After, Limit, Name
from tunewise.service.api.paging import last
from tunewise.service.context import Context
from tunewise.service.links import address
from tunewise.service.problems import Problem
from tunewise.service.viewer import Admin, Here, Viewer
from tunewise.storage.accounts import Member

router = APIRouter(tags=["members"])

InvitationId = Annotated[str, Path(max_length=100)]


@router.get("/members")
def list_members(here: Here, who: Admin, after: After = None, limit: Limit = 100) -> MemberPage:
    """The tenant's members by name."""
    found = here.members.of(who.namespace, after or "", limit)
    rows = [MemberOf(name=m.name, role=m.role, created_at=m.created_at) for m in found]
    return MemberPage(members=rows, next=last([row.name for row in rows], limit))


@router.patch("/members/{name}")
def change_role(here: Here, who: Admin, name: Name, given: NewRole) -> MemberOf:
    """Give a member another role."""
    member = _member(here, who, name)
    here.members.change(member, role=given.role)
    here.bearers.forget()
    here.note(who, f"role changed to {given.role}", name)
    return MemberOf(name=name, role=given.role, created_at=member.created_at)


@router.delete("/members/{name}", status_code=204)
def remove_member(here: Here, who: Admin, name: Name) -> None:
    """Let a member go, with all that lets the member in."""
    here.members.remove(_member(here, who, name))
    here.bearers.forget()
    here.note(who, "member removed", name)


@router.post("/invitations", status_code=201)
def invite(here: Here, who: Admin, given: Invite, request: Request) -> Invitation:
    """A link that lets one person in; it is shown once."""
    if not here.accounts:
        raise Problem(409, "this service has no accounts; start it with --accounts")
    secret = Secret.new()
    here.members.invite(secret.hash, who.namespace, given.role, who.member, given.days * 86400)
    here.note(who, "invitation made", given.role)
    link = f"{address(request, here)}/invitations/{secret.text}"
    return Invitation(link=link, role=given.role)


@router.get("/invitations")
def list_invitations(here: Here, who: Admin) -> InvitedPage:
    """Invitations into the tenant that nobody has used yet."""
    found = here.members.invited(who.namespace)
    return InvitedPage(invitations=[InvitedOf(**asdict(one)) for one in found])


@router.delete("/invitations/{id}", status_code=204)
def withdraw_invitation(here: Here, who: Admin, id: InvitationId) -> None:
    """End an invitation: its link lets nobody in any more."""
    if not here.members.withdraw(who.namespace, id):
        raise Problem(404, f"there is no invitation {id!r}; it was used, or is over")
    here.note(who, "invitation withdrawn", id)


def _member(here: Context, who: Viewer, name: str) -> Member:
    found = here.members.find(who.namespace, name)
    if found is None:
        raise Problem(404, f"there is no member {name!r}")
    return found
