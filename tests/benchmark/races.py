"""Races with known ends, for tests of what is shown of them."""

from tunewise.benchmark.race import Run, Step


def run(
    *shares: float,
    seed: int = 0,
    cost: float = 1.0,
    strategy: str = "a",
    bootstrap: int = 0,
    optimum: float | None = None,
) -> Run:
    """A run whose trials cost the same and take ten seconds a USD.

    With an optimum the incumbent is that over the share; a share of nothing has none.
    """
    steps = [
        Step((i + 1) * cost, (i + 1) * 10.0 * cost, s, s == 1.0, i < bootstrap,
             optimum / s if optimum and s else None, i + 1, 0.5 if i % 2 else 1.0, i + 1.0)
        for i, s in enumerate(shares)
    ]  # fmt: skip
    return Run(strategy, seed, tuple(steps), 0.5)
