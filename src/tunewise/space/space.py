"""The set of configs that may be chosen."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import product
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tunewise.errors import SpaceError, TunewiseError, answering, nearest
from tunewise.format import card
from tunewise.space import sampling
from tunewise.space.activity import Activity, Rows, inapplicable, key_of, said
from tunewise.space.cluster import Cluster
from tunewise.space.description import Among, counted, parameter_of, runs
from tunewise.space.inference import inferred
from tunewise.space.numeric import Numeric, Real
from tunewise.space.parameter import ABSENT, Array, Config, Parameter, Value, distinct

ENUMERABLE = 2_000_000
"""Up to so many combinations a space lists its configs; beyond, it gives pools of them."""

NEAR = 1e-3
"""Configs whose numbers differ by less, as parts of their ranges, are the same to three digits."""

Where = Callable[[Config], bool]


class Space:
    """Parameters, and which of their combinations are valid. Configs it gives are not to be edited.

    Attributes:
        parameters: The dimensions, in order.
        names: Their names.
        columns: Which columns of the encoding belong to each parameter.
        activity: Which parameters apply to a config.
    """

    @answering("tunewise.Space", SpaceError, {"*": "tunewise.Space(tunewise.Real('{name}', 0, 1))"})
    def __init__(self, *parameters: Parameter, where: Where | None = None) -> None:
        """Take parameters and, in `where`, a pure function that says whether a config is valid."""
        self.parameters = distinct(parameters)
        self.names = tuple(p.name for p in parameters)
        if where is not None and not callable(where):
            raise SpaceError(f"where is {where!r}: expected a function of a config, or nothing")
        self._where = where
        self._listed: Rows | None = None
        self.activity = Activity(self.parameters)
        ends = np.cumsum([p.width for p in parameters]).tolist()
        self.columns = {
            p.name: slice(e - p.width, e) for p, e in zip(parameters, ends, strict=True)
        }
        self.width = int(ends[-1])
        self._refuse_emptiness()

    @classmethod
    def of(cls, configs: Iterable[Mapping[str, Value]]) -> Self:
        """The space of exactly these configs, in this order; the first of equal ones counts.

        Numbers become an Ordinal, everything else a Choice.
        """
        parameters, rows = inferred(configs)
        space = cls(*parameters)
        space._listed = rows
        return space

    @classmethod
    def unknown(cls) -> Self:
        """The space of nothing, until trainings say what may be chosen."""
        space = cls.__new__(cls)
        space.parameters, space.names = (), ()
        space._where, space._listed = None, None
        space.activity = Activity(())
        space.columns, space.width = {}, 0
        return space

    @classmethod
    def from_description(cls, described: Mapping[str, Any]) -> Self:
        """The space that described itself so.

        Only `where` over a continuum, or over very many scattered configs, is lost.
        """
        parameters = [parameter_of(data) for data in described["parameters"]]
        if not parameters:
            return cls.unknown()
        valid = described.get("valid", {})
        if "runs" in valid:
            return cls(*parameters, where=_among(cls(*parameters), counted(valid["runs"])))
        space = cls(*parameters)
        if "rows" in valid:
            space._listed = np.array(valid["rows"], np.int32).reshape(-1, len(parameters))
        return space

    @property
    def explicit(self) -> bool:
        """Whether the configs were listed one by one."""
        return self._listed is not None

    @cached_property
    def _combinations(self) -> int | None:
        if self.activity.conditional:
            return None if self._free is None else len(self._free)
        sizes = [p.size for p in self.parameters]
        return None if None in sizes else math.prod(s for s in sizes if s is not None)

    @cached_property
    def _free(self) -> Rows | None:
        """All combinations of a space with conditions, `where` apart; None for too many."""
        return self.activity.combinations(ENUMERABLE) if self.activity.conditional else None

    @property
    def finite(self) -> bool:
        """Whether the space lists its configs: it has a size."""
        return self.explicit or (
            self._combinations is not None and self._combinations <= ENUMERABLE
        )

    @cached_property
    def smooth(self) -> bool:
        """Whether every place of the encoding is a valid config: all are reals, and free."""
        free = self._where is None and not self.explicit and not self.activity.conditional
        return free and all(isinstance(p, Real) and p.step is None for p in self.parameters)

    @cached_property
    def size(self) -> int | None:
        """How many configs are valid; None where there are too many to list."""
        if not self.finite:
            return None
        if self._where is None and not self.explicit:
            return self._combinations
        return len(self._rows)

    @cached_property
    def _rows(self) -> Rows:
        """Valid configs as `(size, parameters)` positions in the parameters' values.

        An inactive parameter has the position -1.
        """
        if self._listed is not None:
            return self._listed
        flat = self._valid
        if self._free is not None:
            return self._free[flat]
        sizes = [p.size or 0 for p in self.parameters]
        return np.stack(np.unravel_index(flat, sizes), axis=1).astype(np.int32)

    @cached_property
    def _valid(self) -> npt.NDArray[np.intp]:
        """The places of the valid configs among all combinations."""
        if self._combinations is None or not self.finite:
            raise SpaceError(
                "the space has too many configs to list them: ask for a pool or a sample"
            )
        flat: npt.NDArray[np.intp] = np.arange(self._combinations)
        if self._where is not None:
            flat = flat[np.fromiter(map(self.allows, self._product()), bool, len(flat))]
        return flat

    @cached_property
    def configs(self) -> list[Config]:
        """All valid configs, listed at first use."""
        return self.at(slice(None))

    @cached_property
    def grid(self) -> Array:
        """The encoding of `configs`, read only."""
        # The last row is the neutral place: -1 is the position of an inactive parameter.
        tables = [np.vstack([p.encode(p.values()), p.neutral]) for p in self.parameters]
        grid = np.hstack([t[self._rows[:, j]] for j, t in enumerate(tables)])
        grid.setflags(write=False)
        return grid

    def at(self, positions: slice | npt.NDArray[np.integer[Any]]) -> list[Config]:
        """The configs at positions of the list, without building all of it."""
        return self._configs_of(self._rows[positions])

    def _configs_of(self, rows: Rows) -> list[Config]:
        columns = [
            map([*p.values(), ABSENT].__getitem__, rows[:, j].tolist())
            for j, p in enumerate(self.parameters)
        ]
        return self._named(zip(*columns, strict=True))

    def _named(self, rows: Iterable[Sequence[Value]]) -> list[Config]:
        """Configs of values in the order of the parameters, without inactive ones."""
        configs = [dict(zip(self.names, values, strict=True)) for values in rows]
        return list(map(self.activity.pruned, configs)) if self.activity.conditional else configs

    def _product(self) -> Iterable[Config]:
        if self._free is not None:
            yield from self._configs_of(self._free)
            return
        names = self.names
        for values in product(*(p.values() for p in self.parameters)):
            yield dict(zip(names, values, strict=True))

    def _refuse_emptiness(self) -> None:
        if self._where is None or not self.finite:
            return
        if not any(map(self.allows, self._product())):
            raise SpaceError(
                f"where refuses all {self._combinations} configs of the space: expected at least"
                " one valid config"
            )

    def allows(self, config: Config) -> bool:
        """Whether a config of canonical values is a valid combination of them."""
        if self.explicit:
            return self.key(config) in self._positions
        if self._where is None:
            return True
        try:
            return bool(self._where(config))
        except TunewiseError as error:
            raise SpaceError(str(error)) from error
        except Exception as error:
            asked = str(error.args[0]) if isinstance(error, KeyError) and error.args else ""
            hint = nearest(asked, self.names) if asked else ""
            if asked in self.names:
                hint = f"; {asked!r} does not apply to it: ask for config.get({asked!r})"
            raise SpaceError(f"where failed on the config {config}: {error!r}{hint}") from error

    @cached_property
    def _positions(self) -> dict[tuple[Value, ...], int]:
        return {self.key(config): i for i, config in enumerate(self.configs)}

    def check(self, config: Mapping[str, Value]) -> Config:
        """The config in canonical form, or a SpaceError that says what is wrong with it."""
        if not isinstance(config, Mapping):
            raise SpaceError(f"config {config!r}: expected a dict of parameter names and values")
        if unknown := [name for name in config if name not in self.names]:
            raise SpaceError(f"unknown parameter {unknown[0]!r}{nearest(unknown[0], self.names)}")
        checked = self._checked(config)
        if not self.allows(checked):
            raise SpaceError(self._refusal(checked))
        return checked

    def _checked(self, config: Mapping[str, Value]) -> Config:
        """Canonical values of the parameters that apply; the others must be absent, or None."""
        checked: Config = {}
        for p in self.activity.order:
            active, given = self.activity.active(p, checked), p.name in config
            if active and not given:
                which = f"which applies when {said(p.when)}" if p.when else ""
                expected = which or f"expected {', '.join(self.names)}"
                sign = "," if which else ":"
                raise SpaceError(f"config {dict(config)} has no {p.name!r}{sign} {expected}")
            if active:
                checked[p.name] = p.check(config[p.name])
            elif given and config[p.name] is not None:
                raise inapplicable(config, p)
        return {name: checked[name] for name in self.names if name in checked}

    def _refusal(self, config: Config) -> str:
        if not self.explicit:
            return f"config {config} is not valid: where refuses this combination"
        distances = ((self.grid - self.encode([config])) ** 2).sum(axis=1)
        return (
            f"config {config} is not one of the {self.size} listed;"
            f" the nearest is {self.configs[int(distances.argmin())]}"
        )

    def __contains__(self, config: object) -> bool:
        """Whether `check` would accept the config."""
        try:
            self.check(config)  # type: ignore[arg-type] # check refuses what is not a mapping
        except SpaceError:
            return False
        return True

    def key(self, config: Mapping[str, Value]) -> tuple[Value, ...]:
        """The values of a canonical config, to tell configs apart in sets and dicts."""
        if self.activity.conditional:
            return key_of(config, self.names)
        return tuple([config[name] for name in self.names])

    def encode(self, configs: Sequence[Mapping[str, Value]]) -> Array:
        """Configs as an `(n, width)` array in [0, 1]."""
        if configs is self.__dict__.get("configs"):
            return self.grid
        if not len(configs):
            return np.empty((0, self.width))
        return np.hstack(
            [
                p.encode_present([c.get(p.name, ABSENT) for c in configs])
                if p.when
                else p.encode([c[p.name] for c in configs])
                for p in self.parameters
            ]
        )

    def near(
        self, configs: Sequence[Mapping[str, Value]], others: Sequence[Mapping[str, Value]]
    ) -> npt.NDArray[np.bool_]:
        """For each config whether it is one of the others to three digits, `(n,)`.

        Numbers between bounds may differ by a thousandth of their range; listed values, and all
        values of a space that lists its configs, must be the same.
        """
        known = {self.key(other) for other in others}
        same = np.fromiter((self.key(config) in known for config in configs), bool, len(configs))
        if self.finite or not len(others):
            return same
        reach = np.full(self.width, 1e-12)
        for p in self.parameters:
            if isinstance(p, Numeric):
                reach[self.columns[p.name]] = NEAR
        x = self.encode(configs)
        for place in self.encode(others):
            same |= (np.abs(x - place) <= reach).all(axis=1)
        return same

    def decode(self, encoded: Array) -> list[Config]:
        """The configs nearest to the rows of an `(n, width)` array, one parameter at a time.

        Exact for rows that encode a valid config; others may decode to what `where` refuses.
        """
        columns = [p.decode(encoded[:, self.columns[p.name]]) for p in self.parameters]
        return self._named(zip(*columns, strict=True))

    def draw(self, uniform: Array) -> list[Config]:
        """Configs for an `(n, parameters)` array in [0, 1), whether `where` allows them or not."""
        columns = [p.draw(uniform[:, j]) for j, p in enumerate(self.parameters)]
        return self._named(zip(*columns, strict=True))

    def sample(self, count: int, rng: np.random.Generator) -> list[Config]:
        """Up to `count` distinct valid configs, drawn uniformly."""
        return sampling.sample(self, count, rng)

    def latin(self, count: int, rng: np.random.Generator) -> list[Config]:
        """Up to `count` distinct valid configs, spread as a latin hypercube."""
        return sampling.latin(self, count, rng)

    def pool(
        self, count: int, rng: np.random.Generator, around: Sequence[Config] = ()
    ) -> list[Config]:
        """Up to `count` distinct valid candidates: all configs, where there are no more.

        Else the configs of `around`, some of their neighbours, and a Sobol sequence.
        """
        return sampling.pool(self, count, rng, around)

    @property
    def price(self) -> Callable[[Config], float] | None:
        """USD per hour of a config, None where no parameter has a price."""
        clusters = [p for p in self.parameters if isinstance(p, Cluster)]
        if not clusters:
            return None
        return lambda config: sum(p.hourly(config[p.name]) for p in clusters if p.name in config)

    def describe(self) -> dict[str, Any]:
        """The space as plain data: other valid configs, other data.

        `from_description` makes it again.
        """
        described: dict[str, Any] = {"parameters": [p.describe() for p in self.parameters]}
        if self.explicit or (self._where is not None and self.finite):
            described["valid"] = self._described_rows()
        elif self._where is not None:
            described["valid"] = {"digest": _digest(self._probe())}
        return described

    def _described_rows(self) -> dict[str, Any]:
        rows = self._rows
        described = {"count": len(rows), "digest": _digest(rows.astype("<i4"))}
        if self.explicit:
            return {**described, "rows": rows.reshape(-1).tolist()}
        found = runs(self._valid)
        return described if found is None else {**described, "runs": found}

    def _probe(self) -> npt.NDArray[np.uint8]:
        """What `where` says to fixed points: there is no other way to know it again."""
        points = sampling.fixed_points(256, len(self.parameters))
        return np.array([self.allows(c) for c in self.draw(points)], np.uint8)

    def __repr__(self) -> str:
        """Names and number of configs."""
        return f"Space({', '.join(self.names)}: {self._counted()} configs)"

    def _repr_html_(self) -> str:
        """For notebooks."""
        rows = [(p.name, type(p).__name__, p.range) for p in self.parameters]
        return card("Space", {"configs": self._counted()}, ("parameter", "kind", "values"), rows)

    def _counted(self) -> str:
        known = self._combinations is not None or self.explicit
        return f"{self.size:,}" if known and self.size else "many"


def _among(free: Space, places: set[int]) -> Where:
    """A condition that holds for the combinations of a space at these places."""
    if not free.activity.conditional:
        return Among(free.parameters, places)
    valid = {free.key(c) for i, c in enumerate(free.configs) if i in places}
    return lambda config: free.key(config) in valid


def _digest(array: npt.NDArray[Any]) -> str:
    return sha256(array.tobytes()).hexdigest()[:16]
