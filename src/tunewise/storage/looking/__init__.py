"""Light questions of lists and pages, which read no more than they show."""

__all__: list[str] = []
