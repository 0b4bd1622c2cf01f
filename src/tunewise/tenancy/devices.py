"""Where models run: devices of different speeds, in sub-pools of their own or in one."""

from collections.abc import Iterable
from dataclasses import dataclass

from tunewise.errors import TenancyError, nearest
from tunewise.tenancy.checks import number, several, text


@dataclass(frozen=True)
class Device:
    """A device, or a group of devices that trains one model at a time.

    Attributes:
        name: What picks call it.
        speed: How many expected seconds it works off in one second.
        pool: The users it serves; None serves those without a pool.
    """

    name: str
    speed: float = 1.0
    pool: str | None = None

    def __post_init__(self) -> None:
        """Refuse a device without a name, or one that stands still."""
        text(self.name, "a device")
        number(self.speed, f"device {self.name!r} has the speed {self.speed!r}", above=0)


class Devices:
    """The devices of a scheduler, and which of them are free. Without any, all fits at once."""

    def __init__(self, devices: Iterable[Device] = ()) -> None:
        """All are free."""
        listed = several(devices, "devices", "a list of `Device`s")
        for device in listed:
            if not isinstance(device, Device):
                raise TenancyError(f"{device!r} is among the devices; expected a `Device`")
        self._all = {device.name: device for device in listed}
        self._busy: set[str] = set()
        if len(self._all) != len(listed):
            raise TenancyError(f"two devices have the same name: {[d.name for d in listed]}")

    def __bool__(self) -> bool:
        """Whether there are devices to keep count of."""
        return bool(self._all)

    def free(self, name: str | None = None) -> list[Device]:
        """Free devices, the fastest first; or the named one, if it is free."""
        if name is not None and not self._all:
            raise TenancyError(f"device {name!r} is asked for, and the scheduler was told of none")
        if name is not None and name not in self._all:
            raise TenancyError(f"unknown device {name!r}{nearest(name, sorted(self._all))}")
        listed = [d for d in self._all.values() if d.name not in self._busy]
        listed = [d for d in listed if name in (None, d.name)]
        return sorted(listed, key=lambda device: (-device.speed, device.name))

    def serving(self, pool: str | None, user: str) -> None:
        """Refuse a user whom no device serves; without devices there are no pools."""
        pools = {device.pool for device in self._all.values()} or {None}
        if pool in pools:
            return
        if not self._all:
            raise TenancyError(f"user {user!r} has the pool {pool!r}, and there are no devices")
        said = f"has the pool {pool!r}, which no device serves"
        said = "has no pool, and every device serves one" if pool is None else said
        named = sorted(name for name in pools if name is not None)
        raise TenancyError(f"user {user!r} {said}{nearest(pool or '', named)}")

    def fastest(self, pool: str | None) -> float:
        """The speed of the fastest device of a pool; 1 without devices."""
        return max(self._speeds(pool), default=1.0)

    def speed(self, pool: str | None) -> float:
        """What all devices of a pool work off in a second; 1 without devices."""
        return sum(self._speeds(pool)) or 1.0

    def _speeds(self, pool: str | None) -> list[float]:
        return [device.speed for device in self._all.values() if device.pool == pool]

    def take(self, name: str | None) -> None:
        """A model starts on it."""
        if name is not None:
            self._busy.add(name)

    def release(self, name: str | None) -> None:
        """The model has ended."""
        if name is not None:
            self._busy.discard(name)
