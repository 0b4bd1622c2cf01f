"""Races with known ends, for tests of what is shown of them."""

from tunewise.execution.race import Run, Step


def run(
    *shares: float,
    seed: int = 0,
    cost: float = 1.0,
    strategy: str = "a",
    bootstrap: int = 0,
) -> Run:
    """A run whose trials cost the same and take ten seconds a USD."""
    steps = [
        Step((i + 1) * cost, (i + 1) * 10.0 * cost, s, s == 1.0, i < bootstrap)
        for i, s in enumerate(shares)
    ]
    return Run(strategy, seed, tuple(steps), 0.5)
