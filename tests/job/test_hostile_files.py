"""Files that nobody means well get a sentence, quickly: no traceback, no hang, no full memory."""

from pathlib import Path

import pytest

from tunewise.errors import JobFileError
from tunewise.job.jobfile import load, parse
from tunewise.job.workload import check

SOUND = "command: sh train.sh {x}\nspace:\n  x: [1, 2]\nmaximize: accuracy\n"
DIGITS = "9" * 5000


def refused(text: str) -> str:
    with pytest.raises(JobFileError) as error:
        parse(text, Path("job.yaml"), also=[check])
    return str(error.value)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (f"seed: {DIGITS}", "999... is too large; expected a number of at most 300 digits"),
        (f"budget: -{DIGITS}", "is too large"),
        (f"seed: 0x{'f' * 5000}", "is too large"),
        (f"budget: {'9' * 400}", "is too large"),
        (f"budget: '{'9' * 400} USD'", "is not a number for 'cost'"),
        (f"budget: '{'9' * 290}{'9' * 20}'", "is not a number for 'cost'"),
        ("budget: 1e400", "budget is inf; expected an amount of USD above 0"),
        ("timeout: 1e400", "inf is no time"),
        ("trial_timeout: .nan", "nan is no time"),
        ('name: "\\ud800"', "a text has '\\ud800', which is no character"),
        ('name: "a\\0b"', "a text has '\\x00', which is no character"),
        ('name: "\\U00110000"', "an escape such as \\U00110000 that stands for no character"),
        ("name: " + "[" * 3000, "there are more than 40 values inside of each other"),
        ("name: " + "{a: " * 3000, "there are more than 40 values inside of each other"),
        ("fractions: [1e9999999, 1]", "fraction inf; expected a number above 0 and at most 1"),
        ("fractions: ['1e9999999', 1]", "fraction inf"),
        ("fractions: ['1e-9999999', 1]", "fraction 0.0"),
        ("fractions: ['1/0', 1]", "fraction '1/0'; expected a number such as 0.1 or 1/10"),
        (f"fractions: ['{DIGITS}/1', 1]", "fraction '999"),
        (f"fractions: ['{'9' * 400}/1', 1]", "fraction '999"),
        (f"price: '{'-' * 1500}1'", "has more than 100 parts inside of each other"),
        (f"price: '1{'+1' * 900}'", "has more than 100 parts inside of each other"),
        (f"price: '{'9' * 1900}'", "a number of more than 300 digits"),
        (f"price: '{' * '.join(['9' * 290] * 5)}'", "a number of more than 300 digits"),
        ("price: .inf", "expected USD per hour"),
        ("price: x / 0", "has no value for the config"),
        ("subject_to: cost <= nan", "the bound must be a finite number"),
        (f"subject_to: cost <= {' ' * 100_000}x", "is not understood"),
        (f"subject_to: [[time, '<=', {'9' * 310}]]", "is too large"),
        ("cwd: ~nouser/x", "begins with '~nouser', which is no user here"),
        ("command: echo {x:.999999999f}", "asks for more than 300 digits or letters"),
        ("memory: 1e400 GB", "memory is '1e400 GB'; expected an amount"),
        (f"memory: '{DIGITS} TB'", "expected an amount such as '2 GB'"),
        ("billing: {tick: .nan}", "billing"),
    ],
)
def test_a_hostile_field_gets_a_sentence(line: str, sentence: str) -> None:
    field = line.partition(":")[0]
    kept = "\n".join(row for row in SOUND.splitlines() if not row.startswith(field))
    assert sentence in refused(f"{kept}\n{line}\n")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("{real: [.nan, 1]}", "has the bound nan"),
        ("{real: [0, .inf]}", "has the bound inf"),
        ("{real: [0, 1e400]}", "has the bound inf"),
        ("{kind: integer, low: .inf, high: 1}", "has the bound inf"),
        ("{kind: integer, low: .nan, high: 1}", "has the bound nan"),
        (f"[1, {'9' * 301}]", "is too large"),
        ("[1, .nan]", "lists nan: expected finite numbers"),
    ],
)
def test_a_hostile_parameter_gets_a_sentence(said: str, sentence: str) -> None:
    assert sentence in refused(SOUND.replace("[1, 2]", said))


@pytest.mark.parametrize("path", ["a\0b", "~nouser/job.yaml", "/proc/self/mem", "a" * 5000])
def test_a_hostile_path_gets_a_sentence(path: str) -> None:
    with pytest.raises(JobFileError):
        load(Path(path))
