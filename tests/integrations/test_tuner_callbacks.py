"""A tuner follows trainings of Lightning and Hugging Face, and changes their setting."""

from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tunewise.online import Tuner
from tunewise.space import Ordinal, Space
from tunewise.storage import open_store

torch = pytest.importorskip("torch", reason="needs torch")
pytestmark = pytest.mark.filterwarnings("ignore")

ROWS = 640


def tuner() -> Tuner:
    """One that soon tries its other setting: only speed counts, and each batch takes a second."""
    ticks = count()
    space = Space(Ordinal("batch_size", [4, 16]))
    return Tuner(space, f"samples >= {ROWS}", each=5, clock=lambda: float(next(ticks)))


def error(layer: Any, x: Any, y: Any) -> Any:
    return ((layer(x)[:, 0] - y) ** 2).mean()


def test_lightning_stops_at_a_change_and_ends_with_the_tuner(tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning.pytorch", reason="needs Lightning")
    from tunewise.integrations.lightning import TunerCallback

    class Line(lightning.LightningModule):  # type: ignore[name-defined,misc] # no types
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)

        def training_step(self, batch: Any, _: int) -> Any:
            return error(self.layer, *batch)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.01)

    x = torch.randn(ROWS, 2)
    data = torch.utils.data.TensorDataset(x, x.sum(dim=1))
    module, tuned, settings = Line(), tuner(), []
    for setting in tuned:
        settings.append(setting["batch_size"])
        trainer = lightning.Trainer(
            max_epochs=100,
            callbacks=[TunerCallback(tuned)],
            default_root_dir=tmp_path,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            accelerator="cpu",
        )
        trainer.fit(module, torch.utils.data.DataLoader(data, setting["batch_size"]))
    assert tuned.done
    assert settings[:2] == [4, 16]
    assert tuned.switches[0].iterations < ROWS // 4
    # Each batch was counted once, with its rows, and none ran after the end.
    seen = sum(each.iterations * each.setting["batch_size"] for each in tuned.switches)
    assert ROWS <= seen < ROWS + 16


def test_hugging_face_stops_at_a_change_and_ends_with_the_tuner(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="needs transformers")
    pytest.importorskip("accelerate", reason="needs accelerate")
    from tunewise.integrations.transformers import TunerCallback

    class Line(torch.nn.Module):  # type: ignore[name-defined,misc] # no types
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)

        def forward(self, x: Any, labels: Any) -> Any:
            return {"loss": error(self.layer, x, labels), "logits": self.layer(x)[:, 0]}

    data = [{"x": row, "labels": row.sum()} for row in torch.randn(ROWS, 2)]
    module, tuned, settings = Line(), tuner(), []
    for setting in tuned:
        settings.append(setting["batch_size"])
        arguments = transformers.TrainingArguments(
            str(tmp_path),
            num_train_epochs=100,
            per_device_train_batch_size=setting["batch_size"],
            logging_steps=1,
            save_strategy="no",
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
        )
        callbacks = [TunerCallback(tuned)]
        transformers.Trainer(module, arguments, train_dataset=data, callbacks=callbacks).train()
    assert tuned.done
    assert settings[:2] == [4, 16]
    seen = sum(each.iterations * each.setting["batch_size"] for each in tuned.switches)
    assert ROWS <= seen < ROWS + 16


@pytest.mark.parametrize("package", ["lightning", "transformers"])
def test_a_checkpoint_of_the_trainer_counts_for_the_tuner(package: str) -> None:
    pytest.importorskip(package)
    callback = import_module(f"tunewise.integrations.{package}").TunerCallback
    store = open_store(None)
    tuned = Tuner(Space(Ordinal("a", [1, 2])), "samples >= 100", storage=store, name="kept")
    tuned.report(samples=8, seconds=1.0)
    if package == "lightning":
        callback(tuned).on_save_checkpoint(None, None, {})
    else:
        callback(tuned).on_save(None, None, None)
    assert store.runs().events("kept")[-1] == {"saved": True}
