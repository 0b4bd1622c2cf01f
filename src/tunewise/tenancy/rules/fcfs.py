"""First come, first served: the first user until everything is tried, then the second."""

from tunewise.tenancy.rules.rule import Rule


class Fcfs(Rule):
    """The rule that section 5.1 of ease.ml warns of."""

    def pick(self) -> int | None:
        """The user who joined first of those who wait."""
        return self.board.first(self.board.waiting)

    def why(self, number: int) -> str:
        """The order of joining."""
        return "the user joined first of those who wait"
