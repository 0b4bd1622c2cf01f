"""Trainers of Lightning and Hugging Face report snapshots, while they train small networks."""

from pathlib import Path
from typing import Any

import pytest

from tunewise.errors import MeasurementError
from tunewise.execution.running_trial import RunningTrial, reporting
from tunewise.history import Trial
from tunewise.integrations.progress import Reporter
from tunewise.study.executor import Report


def trial(fraction: float = 1.0) -> RunningTrial:
    return RunningTrial.of(Trial(0, {"x": 1.0}, fraction))


def told(run: Any) -> list[Report]:
    reports: list[Report] = []
    with reporting(reports.append):
        run()
    return reports


def test_what_is_logged_half_way_is_a_snapshot_at_half_the_fraction() -> None:
    reporter = Reporter(trial(0.5), {"accuracy": "val_acc"})
    (report,) = told(lambda: reporter.report({"val_acc": 0.8, "loss": 1.0}, done=0.5))
    assert report.fraction == pytest.approx(0.25)
    assert report.metrics == {"accuracy": 0.8}


def test_the_end_of_a_training_is_left_to_its_job() -> None:
    reporter = Reporter(trial(), {"accuracy": "val_acc"})
    assert told(lambda: reporter.report({"val_acc": 0.9}, done=1.0)) == []
    assert reporter.last == {"accuracy": 0.9}


def test_a_name_that_is_not_logged_is_refused_with_the_nearest() -> None:
    reporter = Reporter(trial(), {"accuracy": "val_acc"})
    with pytest.raises(MeasurementError, match="logged no 'val_acc'; did you mean 'val_accuracy'"):
        reporter.report({"val_accuracy": 0.9}, done=0.5)


def test_a_trial_that_does_not_run_is_refused() -> None:
    with pytest.raises(MeasurementError, match="expected the trial that the job was called with"):
        Reporter(Trial(0, {"x": 1.0}), {"accuracy": "val_acc"})
    with pytest.raises(MeasurementError, match="metrics is empty"):
        Reporter(trial(), {})


def test_several_metrics_are_reported_under_their_own_names_as_far_as_they_are_logged() -> None:
    reporter = Reporter(trial(), {"accuracy": "val_acc", "error": "val_loss"})
    reports = told(lambda: reporter.report({"val_loss": 2, "other": "x"}, done=0.25))
    assert [(r.metrics, r.fraction) for r in reports] == [({"error": 2.0}, 0.25)]
    told(lambda: reporter.report({"val_acc": 0.5, "val_loss": 1.0}, done=0.5))
    assert reporter.last == {"accuracy": 0.5, "error": 1.0}


@pytest.mark.parametrize("done", [0.0, 1.0, 1.5])
def test_what_is_logged_before_or_after_the_training_is_no_snapshot(done: float) -> None:
    reporter = Reporter(trial(0.5), {"accuracy": "val_acc"})
    assert told(lambda: reporter.report({"val_acc": 0.8}, done)) == []
    assert reporter.last == {"accuracy": 0.8}


def test_where_nothing_was_logged_nothing_is_reported() -> None:
    reporter = Reporter(trial(), {"accuracy": "val_acc"})
    assert told(lambda: reporter.report({}, 0.5)) == []
    assert reporter.last == {}


@pytest.mark.filterwarnings("ignore")
def test_lightning_reports_after_each_validation(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs torch")
    lightning = pytest.importorskip("lightning.pytorch", reason="needs Lightning")
    from tunewise.integrations.lightning import TunewiseCallback

    class Line(lightning.LightningModule):  # type: ignore[name-defined,misc] # no types
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)

        def training_step(self, batch: Any, _: int) -> Any:
            return ((self.layer(batch[0])[:, 0] - batch[1]) ** 2).mean()

        def validation_step(self, batch: Any, _: int) -> None:
            self.log("val_error", ((self.layer(batch[0])[:, 0] - batch[1]) ** 2).mean())

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    torch.manual_seed(0)
    x = torch.randn(64, 2)
    data = torch.utils.data.TensorDataset(x, x.sum(dim=1))
    loader = torch.utils.data.DataLoader(data, batch_size=16)
    callback = TunewiseCallback(trial(), {"error": "val_error"})
    trainer = lightning.Trainer(
        max_epochs=4,
        callbacks=[callback],
        default_root_dir=tmp_path,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        accelerator="cpu",
    )
    reports = told(lambda: trainer.fit(Line(), loader, loader))
    assert [report.fraction for report in reports] == pytest.approx([0.25, 0.5, 0.75])
    errors = [report.metrics["error"] for report in reports]
    assert errors[0] > errors[-1] > callback.last["error"]


@pytest.mark.filterwarnings("ignore")
def test_hugging_faces_trainer_reports_after_each_evaluation(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs torch")
    transformers = pytest.importorskip("transformers", reason="needs transformers")
    pytest.importorskip("accelerate", reason="needs accelerate")
    from tunewise.integrations.transformers import TunewiseCallback

    class Line(torch.nn.Module):  # type: ignore[name-defined,misc] # no types
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)

        def forward(self, x: Any, labels: Any) -> Any:
            out = self.layer(x)[:, 0]
            return {"loss": ((out - labels) ** 2).mean(), "logits": out}

    torch.manual_seed(0)
    x = torch.randn(64, 2)
    data = [{"x": row, "labels": row.sum()} for row in x]
    callback = TunewiseCallback(trial(), {"error": "eval_loss"})
    trainer = transformers.Trainer(
        Line(),
        transformers.TrainingArguments(
            str(tmp_path),
            num_train_epochs=4,
            per_device_train_batch_size=16,
            learning_rate=0.1,
            eval_strategy="epoch",
            save_strategy="no",
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=data,
        eval_dataset=data,
        callbacks=[callback],
    )
    reports = told(trainer.train)
    assert [report.fraction for report in reports] == pytest.approx([0.25, 0.5, 0.75])
    errors = [report.metrics["error"] for report in reports]
    assert errors[0] > callback.last["error"]
