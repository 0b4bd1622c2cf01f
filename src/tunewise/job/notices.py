"""What is sound in a job file, and still looks like an oversight."""

from tunewise.execution import Command
from tunewise.execution.command.arguments import variable
from tunewise.job.jobfile import JobFile
from tunewise.study import Job


def notices(file: JobFile, work: Job) -> list[str]:
    """Sentences for a person, before anything is run: what the command leaves unused.

    A command may read the environment without saying so: nothing here is an error.
    """
    if not isinstance(work, Command):
        return []
    unused = [name for name in file.problem.space.names if not work.uses(name, variable(name))]
    found = []
    if unused:
        listed = ", ".join(f"{{{name}}}" for name in unused)
        read = " and ".join(f"${variable(name)}" for name in unused)
        found.append(
            f"the command never uses {listed}: unless it reads {read}, all values train alike"
        )
    if file.problem.epochs and not work.uses("epochs", "TUNEWISE_EPOCHS"):
        found.append(
            "trials differ in epochs, and the command never uses {epochs}: unless it reads"
            " $TUNEWISE_EPOCHS, every trial trains alike"
        )
    elif len(file.problem.fractions) > 1 and not work.uses("fraction", "TUNEWISE_FRACTION"):
        found.append(
            "there are fractions, and the command never uses {fraction}: unless it reads"
            " $TUNEWISE_FRACTION, every trial trains on all the data"
        )
    return found
