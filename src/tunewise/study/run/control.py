"""Control of a study's runs from outside: any process may ask them to end."""

from dataclasses import replace

from tunewise.study.record import Notes
from tunewise.study.store import Store


def ask_to_end(store: Store, study: str) -> None:
    """Have every run of the study, in whatever process, begin no more trials."""
    noted = Notes.of(store.notes(study))
    asked = replace(noted, stop_requests=noted.stop_requests + 1)
    store.annotate(study, asked.changed("stop_requests"))


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
        return Notes.of(self._store.notes(self._study)).stop_requests
