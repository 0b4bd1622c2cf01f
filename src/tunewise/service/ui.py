"""The pages on a local store: read-only, without accounts, on loopback alone."""

import socket
import webbrowser
from collections.abc import Callable
from threading import Thread

from tunewise.errors import StorageError
from tunewise.service.context import LOCAL, Context, Settings

LOOPBACK = "127.0.0.1"


def listening(port: int = 0) -> socket.socket:
    """A free port of this machine, or the one that is asked for, that nobody else reaches.

    Raises:
        StorageError: Somebody else has it.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((LOOPBACK, port))
        found.listen(128)  # whoever asks before the pages are ready waits instead of being refused
    except OSError as error:
        found.close()
        raise StorageError(
            f"port {port} is taken ({error.strerror}); leave out --port for a free one"
        ) from error
    return found


def serve(url: str, port: int, browser: bool, tell: Callable[[str], None]) -> None:
    """Show a store's pages until the process is interrupted; `tell` is given the address."""
    import uvicorn

    from tunewise.service.app import create_app
    from tunewise.service.running.process import GRACE, Server

    here = Context.open(url, read_only=True, accounts=False, settings=Settings(hosts=LOCAL))
    taken = listening(port)
    address = f"http://{LOOPBACK}:{taken.getsockname()[1]}"
    config = uvicorn.Config(
        create_app(here), log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE
    )
    tell(address)
    if browser:
        # Beside the server: some browsers return only when they are closed.
        Thread(target=webbrowser.open, args=[address], daemon=True).start()
    Server(config, here).run(sockets=[taken])
