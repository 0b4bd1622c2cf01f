"""Configs out of a space: uniform samples, latin hypercubes and pools of candidates.

Every function is a pure function of the space and the generator's state.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tunewise.errors import SpaceError
from tunewise.space.activity import inapplicable
from tunewise.space.parameter import Array, Config, Value

if TYPE_CHECKING:
    from tunewise.space.space import Space

Source = Callable[[int], Array]  # rows in, (rows, parameters) uniform numbers out

LEAST_DRAWS = 2**16
"""So many combinations are tried, at least, before a tight `where` ends the search."""

PERTURBATIONS = (0.02, 0.05, 0.1, 0.2)
"""Standard deviations of the gaussian steps around a good config, in the encoding."""


def sample(space: "Space", count: int, rng: np.random.Generator) -> list[Config]:
    """Distinct valid configs, uniform."""
    _refuse_nothing(count)
    if space.size is not None:
        return _listed(space, count, rng)
    return _nonempty(_distinct(space, count, lambda n: rng.random((n, len(space.parameters)))))


def latin(space: "Space", count: int, rng: np.random.Generator) -> list[Config]:
    """Distinct valid configs, one in each interval of every parameter as far as `where` allows.

    The first has the values that somebody expects to be best.
    """
    _refuse_nothing(count)
    if space.size is not None and space.size <= count:
        return _listed(space, count, rng)
    source = _hypercube(space, rng)
    if space.explicit:
        return _nearest(space, space.encode(_expected(space, space.draw(source(count)))))
    drawn = _topped_up(space, _distinct(space, count, source), count, rng)
    first, *others = _expected(space, drawn)
    valid = space.allows(first) and first not in others
    return [first, *others] if valid else drawn


def _expected(space: "Space", drawn: list[Config]) -> list[Config]:
    """The same configs, with what is expected of each parameter in the first one."""
    priors = {p.name: p.prior for p in space.parameters if p.prior is not None}
    return [space.activity.completed({**drawn[0], **priors}), *drawn[1:]] if priors else drawn


def pool(
    space: "Space", count: int, rng: np.random.Generator, around: Sequence[Config]
) -> list[Config]:
    """All configs, or good ones with their neighbours and a Sobol sequence."""
    _refuse_nothing(count)
    if space.size is not None and space.size <= count:
        return list(space.configs)
    found = _neighbourhood(space, count, rng, around)
    if space.explicit:
        return _topped_up(space, found, count, rng)
    return _topped_up(space, _distinct(space, count, _sobol(space, rng), found), count, rng)


def fixed_points(count: int, dimension: int) -> Array:
    """A `(count, dimension)` additive recurrence in [0, 1): the same on every machine."""
    ratio = 2.0
    for _ in range(64):  # the generalised golden ratio: ratio ** (dimension + 1) = ratio + 1
        ratio = (1 + ratio) ** (1 / (dimension + 1))
    steps = np.arange(1, count + 1)[:, None] / ratio ** np.arange(1, dimension + 1)
    return np.asarray((0.5 + steps) % 1.0, float)


def _refuse_nothing(count: int) -> None:
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise SpaceError(f"{count!r} configs were asked for: expected a whole number above 0")


def _listed(space: "Space", count: int, rng: np.random.Generator) -> list[Config]:
    assert space.size is not None
    return space.at(rng.permutation(space.size)[:count])


def _distinct(
    space: "Space", count: int, source: Source, start: Iterable[Config] = ()
) -> list[Config]:
    """Draw until there are `count` distinct valid configs, or it is not worth going on.

    The first batch has `count` rows; each other one as many as all before it together.
    """
    found = {space.key(config): config for config in start}
    # What is listed can be topped up from the list: there is no need to insist.
    limit = 4 * count if space.finite else max(LEAST_DRAWS, 32 * count)
    drawn = 0
    while len(found) < count and drawn < limit:
        batch = source(max(count, drawn))
        drawn += len(batch)
        for config in space.draw(batch):
            if space.allows(config):
                found.setdefault(space.key(config), config)
    return list(found.values())[:count]


def _hypercube(space: "Space", rng: np.random.Generator) -> Source:
    def points(rows: int) -> Array:
        # Two lines here save the import of scipy.stats, which takes longer than a whole first ask.
        intervals = np.tile(np.arange(rows)[:, None], (1, len(space.parameters)))
        return (rng.permuted(intervals, axis=0) + rng.random(intervals.shape)) / rows

    return points


def _sobol(space: "Space", rng: np.random.Generator) -> Source:
    from scipy.stats import qmc

    engine = qmc.Sobol(len(space.parameters), scramble=True, seed=rng)
    # Only powers of two keep the sequence balanced.
    return lambda rows: np.asarray(engine.random_base2((rows - 1).bit_length()), float)


def _topped_up(
    space: "Space", found: list[Config], count: int, rng: np.random.Generator
) -> list[Config]:
    """Fill up to `count` from the list of a finite space."""
    if len(found) < count and space.size is not None:
        keys = {space.key(config) for config in found}
        # At most len(found) of these are known already: enough are left.
        others = _listed(space, count + len(found), rng)
        found = (found + [c for c in others if space.key(c) not in keys])[:count]
    return _nonempty(found)


def _nonempty(found: list[Config]) -> list[Config]:
    if not found:
        raise SpaceError(
            f"where refused all of {LEAST_DRAWS} configs drawn: expected a space with more valid"
            " configs; narrow the parameters' ranges instead"
        )
    return found


def _nearest(space: "Space", points: Array) -> list[Config]:
    """For each `(n, width)` point the nearest config not taken before."""
    taken = np.zeros(len(space.grid))
    chosen = []
    for point in points:
        i = int((((space.grid - point) ** 2).sum(axis=1) + taken).argmin())
        taken[i] = np.inf
        chosen.append(i)
    return space.at(np.array(chosen))


def _neighbourhood(
    space: "Space", count: int, rng: np.random.Generator, around: Sequence[Config]
) -> list[Config]:
    """Good configs, and neighbours of theirs up to half of the pool."""
    centres = [space.check(config) for config in around][:count]
    found = {space.key(config): config for config in centres}
    near = [*_along_axes(space, centres), *_perturbed(space, centres, rng)]
    room = max(0, count // 2 - len(found))
    for i in rng.permutation(len(near)).tolist():
        if room and space.key(near[i]) not in found and space.allows(near[i]):
            found[space.key(near[i])] = near[i]
            room -= 1
    return list(found.values())


def _along_axes(space: "Space", centres: Sequence[Config]) -> list[Config]:
    return [
        space.activity.completed({**centre, p.name: value})
        for centre in centres
        for p in space.parameters
        if p.name in centre
        for value in p.neighbours(centre[p.name])
    ]


def _perturbed(space: "Space", centres: Sequence[Config], rng: np.random.Generator) -> list[Config]:
    """Gaussian steps of several sizes in all directions at once."""
    if not centres or space.finite:
        return []
    repeated = np.repeat(space.encode(centres), 4 * len(PERTURBATIONS), axis=0)
    sizes = np.resize(PERTURBATIONS, len(repeated))[:, None]
    steps = rng.normal(size=repeated.shape) * sizes
    return space.decode((repeated + steps).clip(0, 1))


def completed(space: "Space", given: Mapping[str, Value], rng: np.random.Generator) -> Config:
    """A valid config with the given values; what is not given is drawn.

    Raises:
        SpaceError: A name or a value is unknown, or no valid config has these values.
    """
    missing = [name for name in space.names if name not in given]
    if not missing or not set(given) <= set(space.names):
        return space.check(given)
    known = {p.name: p.check(given[p.name]) for p in space.parameters if p.name in given}
    for parameter in space.parameters:
        decided = parameter.name in known and set(parameter.when) <= set(known)
        if decided and not space.activity.active(parameter, known):
            raise inapplicable(known, parameter)
    drawn = space.configs if space.explicit else space.sample(_TRIES, rng)
    for config in rng.permutation(np.array(drawn, object)):
        whole = space.activity.completed({**config, **known})
        if whole.items() >= known.items() and whole in space:
            return space.check(whole)
    raise SpaceError(
        f"no valid config was found with {dict(given)}: say also {', '.join(map(repr, missing))}"
    )


_TRIES = 256
"""How many configs are drawn to complete one."""
