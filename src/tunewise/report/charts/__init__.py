"""Charts of a study: each is computed as plain data first, and drawn from that."""

__all__ = ["curves", "feasibility", "importance", "parallel", "slices", "trials"]
