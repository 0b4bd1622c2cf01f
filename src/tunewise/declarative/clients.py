"""Writes the three small programs of a task (feed, refine, infer) and a module of its types."""

import re
from collections.abc import Mapping
from pathlib import Path

from tunewise.declarative.schema import Program
from tunewise.declarative.schema.types import python_types
from tunewise.errors import TaskError

_MODULE = '''"""The task {title}: {program}

Made by `tunewise task client`. It needs Python's standard library, and the command `tunewise` where
the task is kept.
"""

import json
import subprocess
from dataclasses import dataclass

TASK = {name!r}
STORAGE = {storage!r}
NAMESPACE = {namespace!r}
COMMAND = {command!r}


{types}

def feed(pairs):
    """Feed pairs of Input and Output: how many are new, known and refused."""
    lines = [json.dumps({{"input": _plain(i), "output": _plain(o)}}) for i, o in pairs]
    return _call("feed", TASK, "-", text="\\n".join(lines))


def refine(off=(), on=()):
    """Turn examples off and on by their ids."""
    options = [f"--off={{id}}" for id in off] + [f"--on={{id}}" for id in on]
    return _call("refine", TASK, *options)


def infer(*inputs):
    """The best model's answers to inputs, in their order."""
    lines = [json.dumps(_plain(each)) for each in inputs]
    return _call("infer", TASK, "-", text="\\n".join(lines))


def command(operation, arguments):
    """Run one of the three operations for a person."""
    return subprocess.call(_command(operation, TASK, *arguments))


def _plain(value):
    return value.plain() if hasattr(value, "plain") else value


def _command(operation, *arguments):
    where = [f"--storage={{STORAGE}}", f"--namespace={{NAMESPACE}}"]
    return [*COMMAND, "task", operation, *where, *arguments]


def _call(operation, *arguments, text=""):
    command = [*_command(operation, *arguments), "--json"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    if operation == "infer":
        return [json.loads(line) for line in done.stdout.splitlines()]
    return json.loads(done.stdout)
'''

_PROGRAM = '''#!/usr/bin/env python3
"""{operation} of the task {title}: {operation} --help says how."""

import sys

import {module}

sys.exit({module}.command({operation!r}, sys.argv[1:]))
'''


_SERVED = '''"""The task {title}: {program}

Downloaded from the service that keeps the task. It needs Python's standard library alone. The token
below is good for this task only: keep it to yourself.
"""

import json
import os
import pathlib
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass

TASK = {name!r}
TEXT = {text!r}  # whether it takes texts
SERVER = os.environ.get("TUNEWISE_SERVER", {server!r})
TOKEN = os.environ.get("TUNEWISE_TOKEN", {token!r})


{types}

def feed(pairs):
    """Feed pairs of Input and Output: how many are new, known and refused."""
    told = [{{"input": _plain(i), "output": _plain(o)}} for i, o in pairs]
    return _call("POST", "examples", {{"pairs": told}})


def feed_files(*paths):
    """Feed files, or folders with one folder for each class."""
    told = []
    for some in _batches([file for each in paths for file in _files(each)]):
        told.append(_send("uploads", [("files", name, path.read_bytes()) for name, path in some]))
    return told


def refine(off=(), on=()):
    """Turn examples off and on by their ids."""
    return _call("PATCH", "examples", {{"off": list(off), "on": list(on)}})


def infer(*inputs):
    """The best model's answers to inputs, in their order."""
    return _call("POST", "infer", {{"inputs": [_plain(each) for each in inputs]}})["answers"]


def infer_file(path):
    """The best model's answers to what a file holds."""
    file = pathlib.Path(path)
    return _send("infer", [("file", file.name, file.read_bytes())])["answers"]


def command(operation, arguments):
    """Run one of the three operations for a person."""
    if not arguments or arguments[0] in ("-h", "--help"):
        says = {{"feed": "PATH...", "refine": "[+-]ID...", "infer": "PATH|JSON"}}
        print(operation, says[operation])
        return 0
    try:
        print(json.dumps(_run(operation, arguments), indent=1, ensure_ascii=False), flush=True)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever reads has seen enough, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _run(operation, arguments):
    if operation == "feed":
        return feed_files(*arguments)
    if operation == "refine":
        on = [each[1:] for each in arguments if each.startswith("+")]
        return refine([each.lstrip("-") for each in arguments if not each.startswith("+")], on)
    if pathlib.Path(arguments[0]).exists():
        found = [file for each in arguments for file in _files(each)]
        if len(found) == 1:
            return infer_file(found[0][1])
        return [{{"file": name, **answer}} for name, file in found for answer in infer_file(file)]
    if re.fullmatch(r"[^\\s:]*/[^\\s:]*|\\S+\\.[A-Za-z]\\w{{1,4}}", arguments[0]):
        raise RuntimeError(f"there is no file {{arguments[0]!r}}")
    try:
        return infer(*map(json.loads, arguments))
    except ValueError:
        if not TEXT:
            said = f"there is no file {{arguments[0]!r}}, and it is no JSON"
            raise RuntimeError(said) from None
        return infer(*arguments)


def _plain(value):
    return value.plain() if hasattr(value, "plain") else value


def _files(path):
    root = pathlib.Path(path)
    if root.is_file():
        return [(root.name, root)]
    if not root.exists():
        raise RuntimeError(f"there is no file {{str(path)!r}}")
    found = [(each.relative_to(root), each) for each in sorted(root.rglob("*")) if each.is_file()]
    return [(p.as_posix(), each) for p, each in found if not any(q[0] == "." for q in p.parts)]


def _batches(files):
    """Files of a request: at most 200, and 24 MB where it is more than one."""
    some, size = [], 0
    for name, path in files:
        more = path.stat().st_size
        if some and (len(some) == 200 or size + more > 24e6):
            yield some
            some, size = [], 0
        some.append((name, path))
        size += more
    if some:
        yield some


def _send(place, files):
    mark = uuid.uuid4().hex
    body = bytearray()
    for field, name, content in files:
        head = f'Content-Disposition: form-data; name="{{field}}"; filename="{{_quoted(name)}}"'
        kind = "Content-Type: application/octet-stream"
        body += f"--{{mark}}\\r\\n{{head}}\\r\\n{{kind}}\\r\\n\\r\\n".encode() + content + b"\\r\\n"
    body += f"--{{mark}}--\\r\\n".encode()
    return _ask("POST", place, bytes(body), f"multipart/form-data; boundary={{mark}}")


def _quoted(name):
    return name.replace("\\\\", "/").replace('"', "%22")


def _call(method, place, data):
    return _ask(method, place, json.dumps(data).encode(), "application/json")


def _ask(method, place, body, kind):
    url = f"{{SERVER}}/api/v1/tasks/{{urllib.parse.quote(TASK, safe='')}}/{{place}}"
    request = urllib.request.Request(url, body, {{"Content-Type": kind}}, method=method)
    if TOKEN:
        request.add_header("Authorization", f"Bearer {{TOKEN}}")
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        try:
            said = json.load(error).get("detail")
        except ValueError:
            said = None
        raise RuntimeError(said or f"{{SERVER}} answered {{error.code}}") from None
    except urllib.error.URLError as error:
        raise RuntimeError(f"{{SERVER}} cannot be reached ({{error.reason}})") from None
'''


_README = """# {name}: {program}

Programs for this task, at {server}. They need Python's standard library
alone, and hold a token that is good for this task only: keep them to yourself.

    python feed PATH...        add examples: files, or folders with one folder for each class
    python infer PATH|JSON     ask the best model so far
    python refine [+-]ID...    turn examples off (-) and on (+)

In Python: `import {module}`, then `{module}.feed`, `{module}.infer` and `{module}.refine`. The
variables TUNEWISE_SERVER and TUNEWISE_TOKEN take the place of what the programs hold.
"""


def write_server_client(
    folder: Path, program: Program, name: str, server: str, token: str
) -> list[Path]:
    """Write the client of a task that a service keeps: its files."""
    single = program.input.single
    text = single is not None and single.text
    where = {"server": server, "token": token, "text": text}
    written = _write(folder, program, name, _SERVED, where)
    readme = folder / "README.md"
    told = {"name": name, "program": program, "module": written[0].stem, "server": server}
    readme.write_text(_README.format(**told), encoding="utf-8")
    return [*written, readme]


def write_client(
    folder: Path,
    program: Program,
    name: str,
    storage: str,
    namespace: str,
    command: tuple[str, ...],
) -> list[Path]:
    """Write the client of a task into a folder: its files."""
    where: dict[str, object] = {
        "storage": storage,
        "namespace": namespace,
        "command": list(command),
    }
    return _write(folder, program, name, _MODULE, where)


def _write(
    folder: Path, program: Program, name: str, form: str, where: Mapping[str, object]
) -> list[Path]:
    if folder.exists() and not folder.is_dir():
        raise TaskError(f"{str(folder)!r} is a file; expected a folder")
    folder.mkdir(parents=True, exist_ok=True)
    module = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_").lower() or "task"
    module = f"task_{module}" if module[0].isdigit() or module in _TAKEN else module
    shown = str(program).replace("\\", "\\\\").replace('"', "'")
    # A name is a stranger's: it must not end the text that it stands in.
    title = repr(name).replace("\\", "/").replace('"', "'")
    told = {"name": name, "title": title, "program": shown}
    source = form.format(**told, types=python_types(program), **where)
    written = [folder / f"{module}.py"]
    written[0].write_text(source, encoding="utf-8")
    for operation in ("feed", "refine", "infer"):
        file = folder / operation
        text = _PROGRAM.format(operation=operation, title=title, module=module)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)
        written.append(file)
    return written


_TAKEN = (
    *("feed", "refine", "infer", "json", "subprocess", "dataclasses", "sys", "class", "def"),
    *("os", "pathlib", "re", "urllib", "uuid"),
)
"""Names that the module cannot have."""
