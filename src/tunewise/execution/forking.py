"""Forking a process that runs a function and nothing else."""

import os
import sys
import traceback
import warnings
from collections.abc import Callable


def forked(main: Callable[[], None]) -> int:
    """Fork a child that calls `main` and ends, whatever happens; returns its pid."""
    with warnings.catch_warnings():
        # Python warns of deadlocks after a fork beside threads. The children made here never wait
        # for another thread's locks: they run `main` and leave without cleaning up after others.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        main()
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)
