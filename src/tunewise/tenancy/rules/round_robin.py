"""Everyone in turn (section 5.2 of ease.ml)."""

from tunewise.tenancy.rules.rule import Rule, Setting
from tunewise.tenancy.tenant import Tenant


class RoundRobin(Rule):
    """Serves users in the order of joining, again and again."""

    def __init__(self, setting: Setting, **options: object) -> None:
        """Start before the first user."""
        super().__init__(setting, **options)  # type: ignore[arg-type]  # checked by Rule
        self._last = -1

    def pick(self) -> int | None:
        """The next who waits after the last who was served."""
        return self.board.next_after(self._last)

    def picked(self, tenant: Tenant, arm: int) -> None:
        """Go on from here."""
        self._last = tenant.number
