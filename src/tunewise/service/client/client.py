"""A service from afar."""

import os
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tunewise.errors import TaskError, TunewiseError
from tunewise.service.client.http import Http
from tunewise.service.client.task import RemoteTask


class Client:
    """Speaks to a service: `tw.Client("http://127.0.0.1:8700", token="tw_…").task("clothes")`."""

    def __init__(self, address: str, token: str | None = None) -> None:
        """Nothing is asked yet.

        Args:
            address: Of the service.
            token: What lets a program in; default: the variable TUNEWISE_TOKEN.
        """
        self._http = Http(address, token or os.environ.get("TUNEWISE_TOKEN"))

    def task(self, name: str, program: str | None = None, **settings: Any) -> RemoteTask:
        """The task of this name; with a program it is declared.

        Args:
            name: Of the task.
            program: What goes in and what comes out.
            settings: `label`, `weight`, `latency`, `quota`, `shared`, `rates`, as of `tw.Task`.
        """
        if settings.pop("vectors", None) is not None:
            raise TaskError(
                "word vectors are a file, which is not sent to the service; leave them out,"
                f" or declare {name!r} where the service runs, in its storage"
            )
        if settings and program is None:
            raise TaskError(
                f"{', '.join(settings)} can be said of a new task alone; give its program, too"
            )
        if program is not None:
            given = {"name": name, "program": program, **settings}
            self._http.call("POST", "tasks", data=given)
        return RemoteTask(self._http, name)

    def tasks(self) -> list[str]:
        """The names of all tasks."""
        return [row["name"] for row in self._pages("tasks")]

    def studies(self) -> list[dict[str, Any]]:
        """All studies, with what is counted about each."""
        return self._pages("studies")

    def trainings(self) -> list[dict[str, Any]]:
        """All trainings that are tuned while they run."""
        return self._pages("trainings")

    def download(self, name: str, file: Path, training: bool = False) -> None:
        """A study, or a training, as a storage of its own: a SQLite file."""
        kind = "trainings" if training else "studies"
        file.write_bytes(self._http.get(kind, name, "storage"))

    def enqueue(self, study: str, config: dict[str, Any], fraction: float = 1.0) -> dict[str, Any]:
        """Have a config of a study tried next: its trial; what it does not say is drawn."""
        given = {"config": config, "fraction": fraction}
        told: dict[str, Any] = self._http.call("POST", "studies", study, "enqueue", data=given)
        return told

    def stop(self, study: str) -> str:
        """Have a study begin no more trials, and end those that run: what became of it."""
        return str(self._http.call("POST", "studies", study, "stop")["sentence"])

    def resume(self, study: str) -> str:
        """Run a study again that was submitted as a job file."""
        return str(self._http.call("POST", "studies", study, "resume")["sentence"])

    def note(self, study: str, text: str) -> None:
        """Keep what a person says about a study."""
        self._http.call("POST", "studies", study, "notes", data={"text": text})

    def delete(self, name: str, training: bool = False) -> None:
        """Forget a study with its trials and their logs, or a training."""
        self._http.call("DELETE", "trainings" if training else "studies", name)

    def tenant(self, name: str, **quotas: float | None) -> dict[str, Any]:
        """Add a tenant, or change what it may use: `usd`, `seconds`, `bytes`, `weight`."""
        try:
            known = {each["name"] for each in self._pages("tenants")}
        except TunewiseError as error:
            if str(error) != "Not Found":
                raise
            said = "only an operator of the service sees and changes tenants; this account may not"
            raise type(error)(said) from None
        if name not in known:
            self._http.call("POST", "tenants", data={"name": name})
        told: dict[str, Any] = self._http.call("PATCH", "tenants", name, data=quotas)
        return told

    def invite(self, role: str = "member", days: float = 7.0, tenant: str | None = None) -> str:
        """A link that lets one person into a tenant; default: into one's own."""
        path = ("invitations",) if tenant is None else ("tenants", tenant, "invitations")
        told = self._http.call("POST", *path, data={"role": role, "days": days})
        return str(told["link"])

    def invitations(self) -> list[dict[str, Any]]:
        """Invitations into one's tenant that nobody has used yet: not their links."""
        told: list[dict[str, Any]] = self._http.call("GET", "invitations")["invitations"]
        return told

    def withdraw(self, invitation: str) -> None:
        """End the invitation of this id: its link lets nobody in any more."""
        self._http.call("DELETE", "invitations", invitation)

    def set_role(self, member: str, role: str) -> None:
        """Let a member of one's tenant do more or less: "admin", "member" or "viewer"."""
        self._http.call("PATCH", "members", member, data={"role": role})

    def let_go(self, member: str) -> None:
        """End a member's tokens, sessions and membership of one's tenant."""
        self._http.call("DELETE", "members", member)

    def tokens(self) -> list[dict[str, Any]]:
        """One's own tokens, and those of all members for an admin: not what makes them tokens."""
        return self._pages("tokens")

    def new_token(self, name: str, scope: str | None = None, days: float | None = 90.0) -> str:
        """A token of one's own, shown this once; a scope such as "task:clothes" narrows it."""
        given = {"name": name, "scope": scope, "days": days}
        return str(self._http.call("POST", "tokens", data=given)["token"])

    def revoke(self, token: int) -> None:
        """End the token of this number at once."""
        self._http.call("DELETE", "tokens", str(token))

    def change_password(self, now: str, new: str) -> None:
        """Change one's own password; whoever is signed in by the old one has to do so again."""
        self._http.call("PATCH", "session", data={"password": now, "new": new})

    def submit(
        self,
        job: str | Path,
        name: str | None = None,
        *,
        files: Sequence[str | Path] = (),
        **changes: Any,
    ) -> dict[str, Any]:
        """Have a job file run by the service; what it says of it.

        What its command names of the job file's folder is sent, too, with the modules that Python
        files import from there.

        Args:
            job: The job file.
            name: Of the study; default: as the file says.
            files: More that the job reads: files and folders of that folder.
            changes: What replaces fields of the file: `trials`, `budget`, ….
        """
        path = Path(job)
        from tunewise.job.jobfile import read_text
        from tunewise.job.tuning.sending import files_of

        text = read_text(path)
        sent = files_of(path, text, files)
        given = {"text": text, "changes": changes, "name": name}
        given["files"] = {each: b64encode(content).decode() for each, content in sent.items()}
        told: dict[str, Any] = self._http.call("POST", "jobs", data=given)
        return told

    def _pages(self, what: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        after = None
        while True:
            page = self._http.call("GET", what, after=after, limit=200)
            found += page[what]
            after = page["next"]
            if after is None:
                return found

    def __repr__(self) -> str:
        """Its address."""
        return f"Client({self._http.address!r})"
