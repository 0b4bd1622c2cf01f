"""How pages look, whatever is on them: their frame, parts and colours, and safe HTML."""

__all__ = ["document", "markup", "parts", "theme"]
