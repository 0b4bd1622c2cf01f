"""What people look at of a race: its figures, its table of measures, its page."""

__all__ = ["cno", "curves", "measures", "page", "savings"]
