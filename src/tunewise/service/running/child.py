"""Started as `python -m tunewise.service.running.child ARGUMENTS...`: a command of `tunewise`.

It ends when the process ends that started it, whatever becomes of that one.
"""

import os
import runpy
import sys

from tunewise.execution.process_tree import die_with

if __name__ == "__main__":
    die_with(int(os.environ.pop("TUNEWISE_PARENT")))
    sys.argv[0] = "tunewise"
    runpy.run_module("tunewise", run_name="__main__")
