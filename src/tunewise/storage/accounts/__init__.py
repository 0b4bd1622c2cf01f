"""Tenants, members, and what lets them in, in the tables of a database.

Secrets come here as checksums only: whoever reads the tables can sign in as nobody.
"""

from tunewise.storage.accounts.audit import Audit, Entry
from tunewise.storage.accounts.jobs import JobRow, Jobs
from tunewise.storage.accounts.keys import Keys, TokenRow
from tunewise.storage.accounts.leases import Lease, Leases
from tunewise.storage.accounts.members import Invited, Member, Members
from tunewise.storage.accounts.tenants import Tenant, Tenants

__all__ = [
    "Audit",
    "Entry",
    "Invited",
    "JobRow",
    "Jobs",
    "Keys",
    "Lease",
    "Leases",
    "Member",
    "Members",
    "Tenant",
    "Tenants",
    "TokenRow",
]
