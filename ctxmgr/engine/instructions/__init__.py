"""What others told the model (files of rules, skills, memories) and still holds, and the task: the plan that the
user approved, the host's summary, the user's long requests. All of it stays in the list unchanged, or is quoted in
the packet, even if the host removed it.

Knows no preset and no session. `engine.tools` knows the names of such files and tools.
"""

from ctxmgr.engine.instructions.copies import QUOTED_WEIGHT, TASK_HEADING, Copies, InPlace, Quoted, leaving, quoted
from ctxmgr.engine.instructions.places import (
    INSTRUCTIONS_SHARE,
    PATH_CHARACTERS,
    Instructions,
    globs,
    instructions,
)
from ctxmgr.engine.instructions.remembered import absent, held_on_path, remembered
from ctxmgr.engine.instructions.task import PLAN, Task, task

__all__ = [
    "Copies",
    "InPlace",
    "Instructions",
    "INSTRUCTIONS_SHARE",
    "PATH_CHARACTERS",
    "PLAN",
    "QUOTED_WEIGHT",
    "Quoted",
    "TASK_HEADING",
    "Task",
    "absent",
    "globs",
    "held_on_path",
    "instructions",
    "leaving",
    "quoted",
    "remembered",
    "task",
]
