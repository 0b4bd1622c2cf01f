"""Values that people and programs get wrong, as they stand in a YAML file."""

import json
from dataclasses import dataclass

from hypothesis import strategies as st


@dataclass(frozen=True)
class Raw:
    """Text that goes into the file as it is."""

    text: str


NUMBERS = [
    *("0", "-1", "1", "2", "0.5", "1e-300", "1e300", "1e308", "-1e308", "1e400", "-0.0", "5e-324"),
    *(".nan", ".inf", "-.inf", "1e-400", "1_0", "0x10", "0o7", "1e9999999", "4294967297"),
    *(
        "9" * 400,
        "9" * 5000,
        "-" + "9" * 5000,
        "0x" + "f" * 5000,
        "0." + "9" * 5000,
        "1" + "0" * 30,
    ),
    *("18446744073709551616", "9223372036854775808", "1e-9999999", "0.1e1", "1000000", "3.0"),
]
TEXTS = [
    *(
        "",
        " ",
        "x",
        "-",
        "nan",
        "inf",
        "1/0",
        "1/60",
        "1e9999999",
        "1/1e999",
        "9" * 400 + "/1",
        "%",
    ),
    *("5 min", "5 parsecs", "1h30m", "-5 min", "$5", "5 USD", "1e400 USD", "9" * 400 + " USD"),
    *("2 GB", "1e99 GB", "0 GB", "10 %", "-10 %", "cost <= 0.1", "cost >= nan", "cost <= 1e400"),
    *(
        "accuracy >= 2",
        "x <= 1",
        "time <= " + "9" * 400,
        "a <= b",
        "<=",
        "cost = cost",
        "cost <= -inf",
    ),
    *("~nouser/x", "~", "a\0b", "/", ".", "..", "/dev/null", "/proc/self/mem", "a/b/c", "a" * 300),
    *("/" + "a/" * 3000, "sqlite:///x.db", "mysql://h/d", "postgresql://h:x/d", "://", "sqlite://"),
    *("{x}", "{x:.999999999f}", "{x:999999999}", "{x:d}", "{x!r}", "{", "}", "{}", "{0}", "{x.y}"),
    *(
        "{fraction}",
        "{nope}",
        "echo {x}",
        "sh -c 'echo {x}'",
        "'",
        '"',
        "\\",
        "a 'b",
        "$(x)",
        "; rm",
    ),
    *(
        "x ** x ** x",
        "9 ** 9 ** 9",
        "x / 0",
        "-" * 1500 + "1",
        "(" * 900 + "1" + ")" * 900,
        "not x",
    ),
    *("1" + "+1" * 990, "x" + " if x else x" * 150, "[" * 300 + "]" * 300, "x.y", "f(x)", "max()"),
    *(
        "lambda: 0",
        "x[0]",
        "'a' * 10",
        "10 ** 400",
        "x == " * 300 + "x",
        "min(x)",
        "x in x",
        "abs('a')",
    ),
    *("log(0)", "sqrt(-1)", "floor(1e308 * 10)", "1e308 * 10 - 1e308 * 10", "'" + "a" * 1990 + "'"),
    *(
        "9" * 1990,
        "0x" + "f" * 1900,
        "x < " + "9" * 1900,
        "max(" + "1," * 900 + "1)",
        "None",
        "True",
    ),
    *(
        "random",
        "cherrypick",
        "trimtuner",
        "lynceus",
        "nephele",
        "hyperband",
        "rndom",
        "bohb",
        "eic",
    ),
    *(
        "train.py:train",
        "train:train",
        "os:system",
        ":",
        "a:b:c",
        "no.py:x",
        "job.yaml:x",
        "\u2028",
    ),
    *(
        "ünï☃",
        "\ud800",
        "\udfff\ud800",
        "\U0010ffff",
        "\x07\x1b[31m",
        "\ufeff",
        "a\nb",
        "\t",
        "true",
    ),
    *(
        "time",
        "cost",
        "accuracy",
        "loss",
        "share",
        "positive",
        "real",
        "any",
        "full",
        "same",
        "choice",
    ),
    *("t2.small", "t2.{size}", "{vm}", "t2.nope", "x" * 100_000),
]
RAW = [
    *("{}", "[]", "null", "true", "false", "~", "[[]]", "[{}]", "{a: 1}", "[1, 2]", "[a, b]"),
    *(
        "[1, a, null, 2.5]",
        "[.nan, 1]",
        "[1, .inf]",
        "[2, 1]",
        "[1, 1]",
        "[0, 1e400]",
        "[1e-320, 1]",
    ),
    *("&a [*a]", "&a {b: *a}", "*nope", "!!python/object:os.system x", "!!binary aGk=", "!x y"),
    *('"\\ud800"', '"\\U00110000"', '"\\0"', '"\\x00"', '"\\q"', "'unclosed", '"unclosed', "- x"),
    *("[" * 200 + "]" * 200, "[" * 3000 + "]" * 3000, "[" * 3000, "{a: " * 500 + "1" + "}" * 500),
    *(
        "{a: " * 3000,
        "? [a, b]\n: c",
        "2024-01-01",
        "12:30:45",
        "1:30",
        "on",
        "no",
        "<<",
        "=",
        "@x",
    ),
    *("`x`", "%x", "|\n  a\n  b", ">\n  a", "{real: [0, 1]}", "{real: [0, 1], log: true}", "\x00"),
    *("{integer: [1, 1e12]}", "{integer: [1, 1000000000000]}", "{real: [1, 1.0000000000001]}"),
    *(
        "{choice: [1, 1]}",
        "{ordinal: [3, 1, 2]}",
        "{kind: real, low: .nan, high: 1}",
        "{cluster: {}}",
    ),
    *(
        "{kind: integer, low: .inf, high: 1}",
        "{kind: integer, low: 0.5, high: 1}",
        "{kind: choice}",
    ),
    *("{cluster: {types: [t2.small], counts: [0]}}", "{cluster: {types: [], counts: []}}"),
    *(
        "{cluster: {types: [t2.small], counts: [1], max_price: .nan}}",
        "{vm: x}",
        "{vm: '{y}', count: x}",
    ),
    *(
        "{cluster: {catalogue: /dev/null}}",
        "{cluster: {min_memory: .inf}}",
        "{name: random, share: 2}",
    ),
    *(
        "{tick: -1}",
        "{tick: .nan}",
        "{tick: 1e400, minimum: 1 h}",
        "{tick: 0, minimum: " + "9" * 400 + "}",
    ),
    "[" + ", ".join(map(str, range(3000))) + "]",
    "&a [x, x, x, x, x, x, x, x, x]",
    "{" + ", ".join(f"p{i}: [1, 2]" for i in range(60)) + "}",
]

values = st.one_of(
    st.sampled_from(NUMBERS).map(Raw),
    st.sampled_from(TEXTS),
    st.sampled_from(RAW).map(Raw),
    st.integers(),
    st.floats().map(lambda x: Raw(repr(x).replace("nan", ".nan").replace("inf", ".inf"))),
    st.text(st.characters(), max_size=12),
)
"""One value that may stand anywhere in a file."""


def written(node: object) -> str:
    """Data as YAML in flow style, with raw text as it is."""
    if isinstance(node, Raw):
        return node.text
    if isinstance(node, dict):
        inside = ", ".join(f"{written(key)}: {written(value)}" for key, value in node.items())
        return f"{{{inside}}}"
    if isinstance(node, list):
        return f"[{', '.join(map(written, node))}]"
    return json.dumps(node, ensure_ascii=False)
