"""What admins see of their tenant, and the operator of all tenants."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from tunewise.service.accounts.secret import Secret
from tunewise.service.api.account_models import (
    EntryOf,
    EntryPage,
    Invitation,
    Invite,
    NewTenant,
    Quotas,
    TenantOf,
    TenantPage,
)
from tunewise.service.api.models import After, Limit, Name
from tunewise.service.api.paging import last
from tunewise.service.context import Context
from tunewise.service.links import address
from tunewise.service.problems import Problem
from tunewise.service.viewer import LOCAL, Admin, Here, Operator, tenant_of

router = APIRouter(tags=["admin"])


@router.get("/admin/audit")
def list_audit(
    here: Here,
    who: Admin,
    before: Annotated[int | None, Query(ge=1, lt=2**31)] = None,
    limit: Limit = 100,
) -> EntryPage:
    """Who did what in the tenant, the newest first."""
    found = here.audit.entries(who.namespace, before, limit)
    rows = [EntryOf(**asdict(one)) for one in found]
    return EntryPage(entries=rows, next=last([row.number for row in rows], limit))


@router.get("/admin/usage")
def show_usage(here: Here, who: Admin) -> TenantOf:
    """What the tenant may use, and has used."""
    here.tenants.ensure(who.namespace)
    return _tenant(here, who.namespace)


@router.get("/tenants")
def list_tenants(here: Here, who: Operator, after: After = None, limit: Limit = 100) -> TenantPage:
    """All tenants by name."""
    names = here.tenants.names(None if after is None else _namespace(after), limit)
    rows = [_tenant(here, name) for name in names]
    return TenantPage(tenants=rows, next=last([row.name for row in rows], limit))


@router.post("/tenants", status_code=201)
def create_tenant(here: Here, who: Operator, given: NewTenant) -> TenantOf:
    """Add a tenant."""
    if given.name == LOCAL or here.tenants.find(given.name) is not None:
        raise Problem(409, f"there is a tenant {given.name!r} already")
    quotas = {"usd": given.usd, "seconds": given.seconds, "bytes": given.bytes}
    here.tenants.create(given.name, **quotas)
    here.note(who, "tenant created", given.name)
    return _tenant(here, given.name)


@router.patch("/tenants/{name}")
def change_tenant(here: Here, who: Operator, name: Name, given: Quotas) -> TenantOf:
    """Set what a tenant may use; what is not said stays."""
    said: dict[str, Any] = given.model_dump(exclude_unset=True)
    if name == LOCAL:
        here.tenants.ensure("")
    _tenant(here, _namespace(name))
    here.tenants.change(_namespace(name), said)
    here.note(who, "quotas changed", f"{name}: {said}")
    return _tenant(here, _namespace(name))


@router.post("/tenants/{name}/invitations", status_code=201)
def invite_to_tenant(
    here: Here, who: Operator, name: Name, given: Invite, request: Request
) -> Invitation:
    """A link that lets one person into a tenant; it is shown once."""
    tenant = _tenant(here, _namespace(name))
    secret = Secret.new()
    until = given.days * 86400
    here.members.invite(secret.hash, _namespace(name), given.role, who.member, until)
    here.note(who, "invitation made", f"{tenant.name}: {given.role}")
    return Invitation(link=f"{address(request, here)}/invitations/{secret.text}", role=given.role)


def _namespace(name: str) -> str:
    return "" if name == LOCAL else name


def _tenant(here: Context, namespace: str) -> TenantOf:
    found = here.tenants.find(namespace)
    if found is None:
        raise Problem(404, f"there is no tenant {namespace!r}")
    told = asdict(found)
    told["name"] = tenant_of(told.pop("namespace"))
    return TenantOf(**told)
