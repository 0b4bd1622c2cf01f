"""BoTorch: constrained expected improvement, and entropy search over the slices by cost."""

# mypy: disable-error-code="import-not-found"
# The tools live in an environment of their own.

import numpy as np
import torch
from botorch.acquisition.analytic import LogConstrainedExpectedImprovement, LogExpectedImprovement
from botorch.models import ModelListGP, SingleTaskGP
from botorch.optim import optimize_acqf

from benchmarks.peers import with_botorch
from benchmarks.peers.arena import Arena
from benchmarks.peers.with_botorch import fitted, tensor
from benchmarks.quick.ground import Ground

INITIAL, POOL = 4, 500


def ei(ground: Ground, seed: int) -> None:
    """Every trial at the full data; the limit has a model of its own."""
    torch.manual_seed(seed)
    space, rng = ground.world.problem.space, np.random.default_rng(seed)
    trials = [(config, ground.train(config)) for config in space.latin(INITIAL, rng)]
    while True:
        x, seen = tensor(space.encode([c for c, _ in trials])), [one for _, one in trials]
        best = max((v.accuracy for v in seen if (v.over or 0.0) <= 0), default=0.0)
        models = [fitted(SingleTaskGP(x, tensor([[v.accuracy] for v in seen])))]
        score = LogExpectedImprovement(models[0], best)
        if ground.limited:
            models.append(fitted(SingleTaskGP(x, tensor([[v.over or 0.0] for v in seen]))))
            score = LogConstrainedExpectedImprovement(ModelListGP(*models), best, 0, {1: (None, 0)})
        if space.smooth:
            cube = tensor([[0.0], [1.0]]).expand(2, x.shape[1])
            config = space.decode(optimize_acqf(score, cube, 1, 4, 128)[0].numpy())[0]
        else:
            top, tried = max(trials, key=lambda t: t[1].penalised), [c for c, _ in trials]
            pool = [c for c in space.pool(POOL, rng, [top[0]]) if c not in tried] or tried
            with torch.no_grad():
                config = pool[int(score(tensor(space.encode(pool)).unsqueeze(1)).argmax())]
        trials.append((config, ground.train(config)))


def entropy(ground: Ground, seed: int) -> None:
    """What a trial on a slice tells of the best deployable accuracy, by its expected cost."""
    assert ground.contest is not None, "slices are tables here"
    table = ground.contest.table
    for told in with_botorch.entropy(Arena.of(ground.contest), seed):
        ground.answer = None if told.best is None else table.configs[told.best]
        ground.train(table.configs[told.config], table.fractions[told.fraction])
