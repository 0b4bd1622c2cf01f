"""Reads random and mutated programs: each is read or refused with a place, and prints the same."""

import argparse
import random
import resource
import time

from tunewise.declarative.schema import parse
from tunewise.errors import ProgramError

PARTS = (
    *("image(28, 28)", "table(20)", "series(6)", "tree(8)", "text", "->", "10 classes", "number"),
    *("3 numbers", "[cat, dog]", '["a b", c]', "{", "}", "[", "]", "input:", "output:", ",", "::"),
    *("Tensor[2, 3]", "Tensor[]", "Tensor[4] classes [a, b, c, d]", "columns [a number]", "next"),
    *(
        "table(a number, b date)",
        "0",
        "99999999999999",
        "é",
        "\n",
        "\0",
        '"',
        "\\",
        "🦊",
        "x" * 300,
    ),
)
SEEDS = (
    "image(28, 28) -> 10 classes",
    "table(age number, city category) -> [no, yes]",
    "{input: {[Tensor[256, 256, 3]], []}, output: {[Tensor[1000]], []}}",
    "{input: {[a :: Tensor[10], Tensor[2]], [next]}, output: {[Tensor[2] classes [a, b]], []}}",
    "tree(8) -> 3 numbers",
)


def main() -> None:
    """Print how many were read and refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100_000)
    count = parser.parse_args().programs
    rng = random.Random(0)
    read = refused = 0
    began = time.process_time()
    for number in range(count):
        text = _drawn(rng) if number % 2 else _mutated(rng)
        try:
            program = parse(text)
        except ProgramError as error:
            assert str(error).startswith("character ") or "characters" in str(error), error
            refused += 1
            continue
        assert parse(str(program)) == program == parse(program.long()), text
        read += 1
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    took = time.process_time() - began
    print(f"{read:,} read and printed the same, {refused:,} refused with a place; {took:.0f} s of")
    print(f"processor, {memory:.0f} MB")


def _drawn(rng: random.Random) -> str:
    return rng.choice((" ", "")).join(rng.choice(PARTS) for _ in range(rng.randint(1, 12)))


def _mutated(rng: random.Random) -> str:
    text = rng.choice(SEEDS)
    for _ in range(rng.randint(0, 3)):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice((*PARTS, "", "")) + text[at + rng.randint(0, 3) :]
    return text


if __name__ == "__main__":
    main()
