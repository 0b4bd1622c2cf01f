"""Control of a study's runs from outside: any process may ask them to end."""

from tunewise.study.store import Store

_NOTE = "stop_requests"
"""How often a person asked the runs of a study to end; a run ends when it sees this rise."""


def ask_to_end(store: Store, study: str) -> None:
    """Have every run of the study, in whatever process, begin no more trials."""
    store.annotate(study, {_NOTE: store.notes(study).get(_NOTE, 0) + 1})


class EndRequests:
    """Tells whether a person has asked the runs of a study to end since this was made."""

    def __init__(self, store: Store, study: str) -> None:
        """Requests from before do not count."""
        self._store, self._study = store, study
        self._before = self._count()

    def made(self) -> bool:
        """Whether there is a new one."""
        return self._count() > self._before

    def _count(self) -> int:
        return int(self._store.notes(self._study).get(_NOTE, 0))
