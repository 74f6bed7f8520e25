"""What others told the model (files of rules, skills, memories) and what of it still holds, and the task: the plan
that the user approved, the host's summary, the user's long requests. All that stays in a list as it came, or stands
word for word in the packet; also where a host took it away.

Knows no preset and no session. What such a file or tool is called, `engine.tools` knows.
"""

from ctxmgr.engine.instructions.copies import QUOTED_WEIGHT, TASK_HEADING, Copies, InPlace, Quoted, leaving, quoted
from ctxmgr.engine.instructions.globs import PATH_CHARACTERS, globs
from ctxmgr.engine.instructions.places import INSTRUCTIONS_SHARE, Instructions, instructions
from ctxmgr.engine.instructions.remembered import absent, remembered
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
    "instructions",
    "leaving",
    "quoted",
    "remembered",
    "task",
]
