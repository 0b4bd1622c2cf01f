"""What a service consists of, as a person asked for it."""

import ipaddress
import os
from dataclasses import asdict, dataclass

import orjson

from tunewise.errors import TunewiseError

VARIABLE = "TUNEWISE_SERVE"
"""The variable by which a process learns of the plan: others may read arguments, but not this."""


@dataclass(frozen=True)
class Plan:
    """A service.

    Attributes:
        url: Of the store.
        host: To listen at.
        port: To listen at; 0: any that is free.
        processes: That answer requests.
        workers: Trainings of tasks at once; 0: others train.
        accounts: Whether people sign in.
        jobs: Whether submitted job files are run here.
        address: Under which others reach it, where a proxy is in between.
        ray: The address of a Ray cluster that trains; None: this machine does.
        keep_days: For which the audit log is kept.
        invite: Whether to let in one more admin.
    """

    url: str
    host: str = "127.0.0.1"
    port: int = 8700
    processes: int = 1
    workers: int = 1
    accounts: bool = True
    jobs: bool = False
    address: str | None = None
    ray: str | None = None
    keep_days: float = 365.0
    invite: bool = False

    def check(self) -> None:
        """Refuse what would let strangers in."""
        if not self.accounts and not is_loopback(self.host):
            raise TunewiseError(
                f"{self.host} can be reached by others, so people must sign in:"
                " leave --no-accounts out, or serve at 127.0.0.1"
            )
        if self.invite and not self.accounts:
            raise TunewiseError("nobody has to sign in with --no-accounts; leave --invite out")

    def packed(self) -> str:
        """For a process that is started."""
        return orjson.dumps(asdict(self)).decode()

    @classmethod
    def unpacked(cls, text: str) -> "Plan":
        """As it was packed."""
        return cls(**orjson.loads(text))


def own_environment() -> dict[str, str]:
    """For a process that is started here: it ends with this one, and asks no other service."""
    ours = {"TUNEWISE_SERVER", "TUNEWISE_TOKEN", "TUNEWISE_NAMESPACE", VARIABLE}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {**kept, "TUNEWISE_PARENT": str(os.getpid())}


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
