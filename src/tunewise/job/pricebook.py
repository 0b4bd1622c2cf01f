"""Where prices come from: what ships with Tunewise, and a person's own file."""

import os
from pathlib import Path

from tunewise.errors import SpaceError
from tunewise.job.bounded import TooLong, bounded_text
from tunewise.space import Catalogue
from tunewise.space.cloud.pricelist import read_rows
from tunewise.space.cloud.skypilot import sold_apart
from tunewise.study.folders import within

_LARGEST_FILE = 50_000_000
"""Bytes of a catalogue: those of the large clouds have a tenth of it."""


def own_file() -> Path:
    """The person's own catalogue: `prices.csv` in $TUNEWISE_HOME or the configuration folder."""
    if home := os.environ.get("TUNEWISE_HOME"):
        return within(Path(), home) / "prices.csv"
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return within(Path(), base) / "tunewise" / "prices.csv"


def own() -> Catalogue | None:
    """The person's own prices, None before any were imported."""
    return catalogue_at(own_file()) if own_file().is_file() else None


def known() -> Catalogue:
    """All known VM types: the person's own prices count before the shipped ones."""
    mine = own()
    return Catalogue.shipped() if mine is None else Catalogue.shipped() | mine


def catalogue_at(path: Path, region: str | None = None) -> Catalogue:
    """The catalogue in a CSV file, in our format or SkyPilot's."""
    text = _text(path)
    if region is not None:
        return Catalogue.from_skypilot(text, region, str(path))
    return Catalogue.read(text, str(path))


def left_out(path: Path, imported: Catalogue) -> list[str]:
    """Accelerators that a file of SkyPilot sells apart, and no imported VM type has."""
    had = {vm.accelerator for vm in imported}
    return [name for name in sold_apart(*read_rows(_text(path), str(path))) if name not in had]


def keep(catalogue: Catalogue) -> Path:
    """Make these the person's own prices, whole or not at all."""
    path = own_file()
    passing = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        passing.write_text(catalogue.csv(), encoding="utf-8")
        passing.replace(path)
    except OSError as error:
        raise SpaceError(f"prices cannot be kept in {path}: {error.strerror or error}") from error
    return path


def _text(path: Path) -> str:
    try:
        return bounded_text(within(Path(), path), _LARGEST_FILE)
    except OSError as error:
        raise SpaceError(
            f"the catalogue {str(path)!r} cannot be read: {error.strerror or error}"
        ) from error
    except UnicodeDecodeError as error:
        raise SpaceError(f"the catalogue {str(path)!r} is not a text file") from error
    except TooLong as error:
        raise SpaceError(
            f"the catalogue {str(path)!r} {error}; expected a CSV of prices"
        ) from error
