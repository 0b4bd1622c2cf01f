"""Programs: checked as they are typed, or proposed from data."""

from typing import Annotated

from fastapi import APIRouter, File, Form, UploadFile

from tunewise.declarative.proposal import propose
from tunewise.declarative.schema import parse
from tunewise.declarative.templates import candidates, match
from tunewise.errors import TaskError
from tunewise.service.api.models import ProgramCheck, ProgramText, Proposed
from tunewise.service.api.uploads import Uploaded, saved
from tunewise.service.viewer import Who

router = APIRouter(tags=["programs"])


@router.post("/programs/check", name="check_program")
def check_program(who: Who, given: ProgramText) -> ProgramCheck:
    """What a program is taken for, or what is wrong with it so far."""
    try:
        program = parse(given.program)
        found = match(program)
        models = [one.name for one in candidates(program)]
    except (TaskError, RecursionError) as error:
        said = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        return ProgramCheck(ok=False, sentence=said)
    said = f"{found.name}: {len(models)} models fit"
    return ProgramCheck(
        ok=True, sentence=said, program=str(program), template=found.name, models=models
    )


@router.post("/programs/propose", name="propose_program")
def propose_program(
    who: Who,
    files: Annotated[list[UploadFile], File(description="With their paths as names.")],
    label: Annotated[str | None, Form(max_length=200)] = None,
) -> Proposed:
    """The program of some data, so that nobody has to write one."""
    with saved([Uploaded(each.filename or "", each.file) for each in files]) as path:
        found = propose(path, label or None)
    return Proposed(
        program=str(found.program),
        shown=found.shown,
        notes=found.notes,
        columns=list(found.columns),
        answer=found.answer,
    )
