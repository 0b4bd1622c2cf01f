"""What a part of the data saves under other limits: the answer as data, and its page."""

__all__ = ["answer", "page", "round_limits"]
