"""Charts of a study: each is computed as plain data first, and drawn from that."""

__all__ = ["by_parameter", "curves", "feasibility", "importance", "parallel", "trials"]
