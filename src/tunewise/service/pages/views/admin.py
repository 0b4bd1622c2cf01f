"""The pages of admins: members, tokens, what may be used, what waits, who did what."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from tunewise.format import duration, money
from tunewise.service.context import Context
from tunewise.service.pages.render import size
from tunewise.service.pages.views.home import LATELY, Device, machines
from tunewise.service.pages.views.tasks import task_size
from tunewise.service.viewer import Viewer, tenant_of
from tunewise.storage.accounts import Entry, Invited, Member, Tenant, TokenRow
from tunewise.storage.looking.today import Job, failed_jobs, open_jobs

ENTRIES = 50
_MOST = 200


@dataclass(frozen=True)
class Use:
    """Something that a tenant may use: how much it has used, of how much."""

    name: str
    used: str
    of: str
    share: float


@dataclass(frozen=True)
class TenantLine:
    """A tenant with its quotas, for the operator."""

    name: str
    tenant: Tenant
    uses: Sequence[Use]


@dataclass(frozen=True)
class AdminView:
    """All that an admin sees.

    Attributes:
        members: Of the tenant.
        invited: Invitations that nobody has used yet.
        tokens: Of all its members.
        uses: What the tenant may use, and has.
        jobs: What waits or runs, and what failed lately.
        entries: Who did what, the newest first.
        before: What to ask before for older entries.
        tenants: All of them, for the operator.
        devices: How much of the machine is in use, for the operator.
    """

    tenant: str
    members: Sequence[Member]
    invited: Sequence[Invited]
    tokens: Sequence[TokenRow]
    uses: Sequence[Use]
    jobs: Sequence[Job]
    entries: Sequence[Entry]
    before: int | None
    tenants: Sequence[TenantLine]
    devices: Sequence[Device]
    now: float


def admin_view(here: Context, who: Viewer, before: int | None = None) -> AdminView:
    """What an admin sees of the tenant, and the operator of all tenants."""
    found = here.tenants.find(who.namespace)
    entries = here.audit.entries(who.namespace, before, ENTRIES)
    names = here.tenants.names(None, _MOST) if who.operates else []
    every = [each for each in (here.tenants.find(name) for name in names) if each is not None]
    return AdminView(
        tenant=who.tenant,
        members=here.members.of(who.namespace, "", _MOST),
        invited=here.members.invited(who.namespace),
        tokens=here.keys.tokens(who.namespace, None, 0, _MOST),
        uses=[] if found is None else uses(here, found),
        jobs=[
            *open_jobs(here.store.database, who.namespace),
            *failed_jobs(here.store.database, who.namespace, time.time() - LATELY),
        ],
        entries=entries,
        before=entries[-1].number if len(entries) == ENTRIES else None,
        tenants=[TenantLine(tenant_of(t.namespace), t, uses(here, t)) for t in every],
        devices=machines() if who.operates else [],
        now=time.time(),
    )


def uses(here: Context, tenant: Tenant) -> list[Use]:
    """What a tenant may use, and has."""
    rows = here.tasks.within(tenant.namespace).tasks()
    stored = sum(task_size(here, row) for row in rows[:_MOST])
    return [
        _use("USD of studies", tenant.usd_spent, tenant.usd, money),
        _use("training of tasks", tenant.seconds_spent, tenant.seconds, duration),
        _use("files of tasks", float(stored), tenant.bytes, size),
    ]


def _use(name: str, used: float, of: float | None, told: object) -> Use:
    said = told if callable(told) else str
    limit = "no limit" if of is None else f"of {said(of)}"
    share = 0.0 if of is None else min(used / of, 1.0) if of else 1.0
    return Use(name, str(said(used)), limit, share)
