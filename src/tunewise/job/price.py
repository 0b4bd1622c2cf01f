"""What an hour of a config costs, as a job file says it."""

import math
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tunewise.errors import JobFileError, ProblemError, nearest
from tunewise.format import config as one_line
from tunewise.job import pricebook
from tunewise.job.expression import Expression, inapplicable
from tunewise.job.fields import PriceFields
from tunewise.problem import Price, hourly
from tunewise.space import Catalogue, Config, Fleet
from tunewise.study.folders import within

_HOLE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class ExpressionPrice:
    """USD per hour by an expression over parameters."""

    expression: Expression

    def __call__(self, config: Config) -> float:
        """USD per hour."""
        return _amount(self.expression(config), self.expression.text, config)


@dataclass(frozen=True)
class CataloguePrice:
    """USD per hour of VMs out of a catalogue; the VM type may name parameters."""

    vm: str
    count: Expression
    helpers: tuple[str, ...]
    spot: bool
    catalogue: Catalogue
    _known: dict[tuple[str, Any], float] = field(default_factory=dict, compare=False, repr=False)

    def __call__(self, config: Config) -> float:
        """USD per hour."""
        vm, count = self._machines(config)
        if (vm, count) not in self._known:
            self._known[vm, count] = self.fleet(config).price
        return self._known[vm, count]

    def fleet(self, config: Config) -> Fleet:
        """The machines that are paid for."""
        return Fleet.of(*self._machines(config), self.helpers, self.spot, self.catalogue)

    def _machines(self, config: Config) -> tuple[str, Any]:
        try:
            vm = _HOLE.sub(lambda hole: str(config[hole[1]]), self.vm)
        except KeyError as error:
            raise inapplicable(self.vm, error.args[0], config) from error
        return vm, self.count(config)


def price(said: "float | str | PriceFields", names: Iterable[str], folder: Path) -> Price:
    """The price that a job file states, over these parameters."""
    known = tuple(names)
    if isinstance(said, PriceFields):
        return _from_catalogue(said, known, folder)
    if isinstance(said, float) and not math.isfinite(said):
        raise ProblemError(f"price is {said}; expected USD per hour, 0 or above")
    try:
        return ExpressionPrice(Expression(said if isinstance(said, str) else repr(said), known))
    except JobFileError:
        with suppress(ProblemError):  # no expression, but an amount such as 0.36 USD/h
            return ExpressionPrice(Expression(repr(hourly(said)), known))
        raise


def catalogue(path: str | None, folder: Path) -> Catalogue:
    """The catalogue that a job file names, or all known prices."""
    if path is None:
        return pricebook.known()
    return pricebook.catalogue_at(within(folder, path))


def _from_catalogue(said: PriceFields, names: tuple[str, ...], folder: Path) -> CataloguePrice:
    for hole in _HOLE.findall(said.vm):
        if hole not in names:
            raise ProblemError(f"vm names an unknown parameter {hole!r}{nearest(hole, names)}")
    return CataloguePrice(
        said.vm,
        Expression(str(said.count), names),
        tuple(said.helpers),
        said.spot,
        catalogue(said.catalogue, folder),
    )


def _amount(value: Any, text: str, config: Config) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise ProblemError(
            f"{text!r} gives no price for the config {one_line(config)}; expected USD per hour, 0"
            " or above"
        )
    return float(value)
