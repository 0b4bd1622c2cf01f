"""The same search as job.yaml, from Python."""

from pathlib import Path

from train import train

import tunewise as tw

HERE = Path(__file__).parent


def problem(slices: bool = True) -> tw.Problem:
    """What may be chosen, what is wanted, and what it may cost."""
    catalogue = tw.Catalogue.read((HERE / "prices.csv").read_text(), "prices.csv")
    return tw.Problem(
        tw.Space(
            tw.Real("learning_rate", 1e-4, 1e-1, log=True),
            tw.Ordinal("width", [16, 32, 64, 128, 256]),
            tw.Ordinal("batch_size", [16, 32, 64, 128, 256]),
            tw.Ordinal("threads", [1, 2]),
        ),
        maximize="accuracy",
        subject_to="cost <= 0.001 USD",
        price=lambda config: catalogue[f"desk-{config['threads']}"].price,
        fractions=(1 / 16, 1 / 4, 1) if slices else (1,),
        budget="0.03 USD" if slices else None,
    )


def main(trials: int = 16) -> None:
    """Tune, and print the answer."""
    with tw.Study(problem(), seed=1) as study:
        best = study.optimize(train, trials=trials, parallel=2, trial_timeout="30 s")
        print(f"{len(study.history)} trials, {study.spent['cost']:.4f} USD; ended: {study.stopped}")
        if best is None:
            print("no trial was measured:", study.history[0].outcome)
            return
        print(f"deploy {best.config}")
        for metric, belief in best.predicted.items():
            print(f"  {metric}: {belief.mean:.4g} ± {belief.std:.2g}")
        print(f"  it keeps the limit with probability {best.feasible:.0%}")


if __name__ == "__main__":
    main()
