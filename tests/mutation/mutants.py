"""Mutants of the rooms that decide: made by mutmut on a copy, drawn by a rule fixed beforehand."""

import difflib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOMS = ("acquisition", "belief", "strategy", "surrogate")


@dataclass(frozen=True)
class Mutant:
    """One change of one function.

    Attributes:
        name: How mutmut calls it: module, function, number.
        room: The folder of `src/tunewise` that it changes.
        function: What mutmut calls the function, to look up the tests that reach it.
        change: The lines taken away and put in.
    """

    name: str
    room: str
    function: str
    change: str


def mutated(copy: Path) -> list[Mutant]:
    """Rewrite the rooms of the copy so that mutants can be switched on; all of them, by name."""
    from mutmut.mutation.file_mutation import mutate_file_contents

    found: list[Mutant] = []
    for room in ROOMS:
        for path in sorted((copy / "src/tunewise" / room).rglob("*.py")):
            file = mutate_file_contents(str(path), path.read_text())
            if not file.mutant_names:
                continue
            path.write_text(file.code)
            module = ".".join(path.relative_to(copy / "src").with_suffix("").parts)
            module = module.removesuffix(".__init__")
            lines = file.code.splitlines()

            def source(function: str) -> list[str]:
                span = file.line_span_by_function_name[function]  # noqa: B023 # used at once
                body = lines[span.start - 1 : span.end]  # noqa: B023 # used at once
                return [line for line in body if not line.lstrip().startswith("def ")]

            for mutant in file.mutant_names:
                mangled = mutant.partition("__mutmut_")[0]
                pair = source(f"{mangled}__mutmut_orig"), source(mutant)
                changed = list(difflib.unified_diff(*pair, n=0, lineterm=""))[2:]
                text = "\n".join(line for line in changed if not line.startswith("@@"))
                found.append(Mutant(f"{module}.{mutant}", room, f"{module}.{mangled}", text))
    return sorted(found, key=lambda mutant: mutant.name)


def drawn(mutants: list[Mutant], count: int, seed: int = 0) -> list[Mutant]:
    """The first `count` of each room in a seeded order, the rooms in turn."""
    rooms = []
    for room in ROOMS:
        of_room = [mutant for mutant in mutants if mutant.room == room]
        order = np.random.default_rng(seed).permutation(len(of_room))[:count]
        rooms.append([of_room[place] for place in order])
    turns = max(map(len, rooms))
    return [room[turn] for turn in range(turns) for room in rooms if turn < len(room)]
