"""Optuna studies as histories that a study of ours learns from."""

from collections.abc import Sequence

import optuna

from tunewise.errors import StudyError, nearest
from tunewise.history import History, Trial, TrialState
from tunewise.integrations.optuna.trials import measured, share
from tunewise.study.folders import sqlite_file


def history_of(
    study: optuna.Study, metrics: str | Sequence[str] = "value", fraction: str = "fraction"
) -> History:
    """The complete and failed trials of an Optuna study.

    Args:
        study: Where they are.
        metrics: How its values are called here, such as "accuracy"; one name for each direction.
        fraction: The param or user attribute that is the share of the data, where there is one.

    Raises:
        StudyError: For other numbers of values than names, or a share that is none.
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if len(names) != len(study.directions):
        raise StudyError(
            f"study {study.study_name!r} has {len(study.directions)} values a trial; expected so"
            f" many names of metrics, got {names!r}"
        )
    found: list[Trial] = []
    for trial in study.get_trials(deepcopy=False):
        outcome = measured(trial, names)
        if outcome is None or trial.state == optuna.trial.TrialState.PRUNED:
            continue  # how far one had come is known only beside others of the same study
        said = trial.params.get(fraction, trial.user_attrs.get(fraction, 1.0))
        used = share(said)
        if used is None:
            raise StudyError(
                f"trial {trial.number} of study {study.study_name!r} has {fraction!r} = {said!r};"
                " expected a share of the data, above 0 and at most 1. If it is another param, name"
                " the share: fraction='share'"
            )
        config = {name: value for name, value in trial.params.items() if name != fraction}
        asked = Trial(len(found), config, used, state=TrialState.RUNNING)
        found.append(asked.told(outcome))
    return History(found)


def load_history(
    storage: str,
    study_name: str = "",
    metrics: str | Sequence[str] = "value",
    fraction: str = "fraction",
) -> History:
    """The trials of a study in an Optuna storage: `tw.Study(..., warm_start=load_history(...))`.

    Raises:
        StudyError: When the storage has no such study, or is a file that is not there.
    """
    if not isinstance(storage, str):
        raise StudyError(
            f"storage is {storage!r}; expected a URL, as in load_history(storage, study_name), or"
            " history_of(study) for a study that is at hand"
        )
    file = sqlite_file(storage.partition("?")[0])
    named = file is not None and not str(file).startswith("file:")  # SQLite has URIs of its own
    if named and not file.exists():  # type: ignore[union-attr] # asked just before; Optuna would make it
        raise StudyError(f"there is no file {str(file)!r}; expected an Optuna storage")
    names = optuna.get_all_study_names(storage)
    if study_name not in names:
        raise StudyError(
            f"the Optuna storage has no study {study_name!r}{nearest(study_name, names)}"
        )
    study = optuna.load_study(study_name=study_name, storage=storage)
    return history_of(study, metrics, fraction)
