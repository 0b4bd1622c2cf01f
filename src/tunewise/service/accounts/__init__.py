"""Who may do what: passwords, keys, roles, scopes, requests of other sites, and how many a second.

Secrets are 256 random bits and kept as their SHA-256; only passwords, which people choose, need a
slow hash. Whatever a person may not see is as if it were not there.
"""

from tunewise.service.accounts.bearers import Bearers
from tunewise.service.accounts.passwords import Passwords
from tunewise.service.accounts.secret import Secret, hashed

__all__ = ["Bearers", "Passwords", "Secret", "hashed"]
