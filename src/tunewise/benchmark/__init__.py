"""Measured tables, their replay in virtual time, races on them and the measures of a race."""

__all__: list[str] = []
