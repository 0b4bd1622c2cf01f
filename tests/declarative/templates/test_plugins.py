"""A package of somebody else adds a template and a model by entry point, and both are used."""

from pathlib import Path

import numpy as np
import pytest

import tunewise as tw
from tests.cli.shell import tunewise
from tests.extras import needs
from tunewise.declarative.schema import parse
from tunewise.declarative.templates import candidates, match
from tunewise.declarative.templates.candidates import MODELS, TEMPLATES

needs("onnxruntime", "tasks")
needs("sklearn", "tasks")

MODULE = '''
import os
from pathlib import Path

import numpy as np

from tunewise.declarative import encoders
from tunewise.declarative.models import Fitted, Graph, Model
from tunewise.declarative.models.threads import threads
from tunewise.declarative.templates import Template

pairs = Template("pairs", 5.5, "{[Tensor[A], Tensor[B]], []}", "{[Tensor[C]], []}", "pairs")


class Shares(Model):
    """How often each class is, whatever goes in."""

    name = "shares"
    templates = ("pairs", "tables")
    outputs = ("classes",)

    def fit(self, data, *, fraction=1.0, seed=0, start=None):
        Path(os.environ["SEEN"]).write_text(str(threads()))
        part = data.slice(fraction, seed)
        encoder = encoders.learned(part)
        columns = encoders.encode(encoder, part.inputs)["x"].shape[1]
        shares = np.bincount(part.outputs, minlength=part.width()) / len(part)
        graph = Graph(x=(columns,))
        result = graph.affine("x", np.zeros((columns, part.width())), shares)
        return Fitted(graph.bytes(result, part.width()), encoder)

    def seconds(self, size):
        return 1e-4
'''


@pytest.fixture
def _plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that looks as if a package had been installed into it."""
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    (tmp_path / "somebodys_tasks.py").write_text(MODULE)
    about = tmp_path / "somebodys-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: somebodys\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[tunewise.models]\nshares = somebodys_tasks:Shares\n"
        "[tunewise.templates]\npairs = somebodys_tasks:pairs\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    for registry in (MODELS, TEMPLATES):
        monkeypatch.setattr(registry, "_known", {})


PAIRS = "{input: {[left :: Tensor[2], right :: Tensor[3]], []}, output: {[Tensor[2]], []}}"


@pytest.mark.usefixtures("_plugin")
def test_a_template_of_a_plugin_stands_where_it_says() -> None:
    assert match(parse(PAIRS)).name == "pairs"
    assert match(parse("table(2) -> 2 classes")).name == "tables"


def test_without_the_plugin_the_general_template_takes_its_programs() -> None:
    assert match(parse(PAIRS)).name == "general"


@pytest.mark.usefixtures("_plugin")
def test_a_model_of_a_plugin_is_trained_and_answers() -> None:
    task = tw.Task("table(3) -> [no, yes]", name="plugged")
    assert candidates(task.program)[0].name == "shares", "it says that it is the quickest"
    x = np.random.default_rng(0).normal(size=(60, 3))
    task.feed(x, ["yes" if number % 4 else "no" for number in range(60)])
    task.train(None, models=1, rule="fixed_order")
    assert [model.name for model in task.models()] == ["shares"]
    answer = task.infer([0.0, 0.0, 0.0])
    assert answer.value == "yes" and answer.scores["yes"] == pytest.approx(0.75)


@pytest.mark.usefixtures("_plugin")
@pytest.mark.parametrize("option", ["--workers=1", "--one-device"])
def test_a_training_has_one_thread_or_those_of_the_whole_machine(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tunewise.declarative.training.work.cores", lambda: 3)
    task = tw.Task("table(3) -> [no, yes]", name="plugged", storage=tmp_path / "store.db")
    x = np.random.default_rng(0).normal(size=(60, 3))
    task.feed(x, ["yes" if number % 4 else "no" for number in range(60)])
    words = ("--seconds", "2", "--rule", "fixed_order", "--storage", "store.db")
    done = tunewise("task", "work", option, *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "seen").read_text() == ("3" if option == "--one-device" else "1")
