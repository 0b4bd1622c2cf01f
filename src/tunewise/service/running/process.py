"""One process that answers requests, on a socket that it was given.

Started as `python -m tunewise.service.running.process DESCRIPTOR`.
"""

import gc
import logging
import os
import socket
import sys
from types import FrameType

import uvicorn

from tunewise.execution.process_tree import die_with
from tunewise.service.app import create_app
from tunewise.service.context import LOCAL, Context, Settings
from tunewise.service.pages import prepare
from tunewise.service.running.plan import VARIABLE, Plan, is_loopback

GRACE = 10
"""Seconds that requests may take to end when the service does."""


class Server(uvicorn.Server):
    """Tells the context when it begins to end: streams would go on for ever."""

    def __init__(self, config: uvicorn.Config, context: Context) -> None:
        """Of a context."""
        super().__init__(config)
        self._context = context

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer requests until a signal ends it."""
        prepare(self._context)
        # What is there now stays: a walk through all of it would hold up every request meanwhile.
        gc.collect()
        gc.freeze()
        super().run(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """On a signal."""
        self._context.stop()
        super().handle_exit(sig, frame)


def settings_of(plan: Plan) -> Settings:
    """What the plan says about each process."""
    local = is_loopback(plan.host) and plan.address is None
    return Settings(
        address=plan.address,
        secure=plan.address is not None and plan.address.startswith("https://"),
        hosts=LOCAL if local else (),
        jobs=plan.jobs,
    )


def run(plan: Plan, listening: socket.socket) -> None:
    """Answer requests until a signal ends it."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(message)s")
    context = Context.open(plan.url, accounts=plan.accounts, settings=settings_of(plan))
    config = uvicorn.Config(
        create_app(context),
        loop="uvloop",
        http="httptools",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    Server(config, context).run(sockets=[listening])


if __name__ == "__main__":
    die_with(int(os.environ.pop("TUNEWISE_PARENT")))
    run(Plan.unpacked(os.environ.pop(VARIABLE)), socket.socket(fileno=int(sys.argv[1])))
