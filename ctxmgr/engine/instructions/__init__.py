"""What others told the model (files of rules, skills, memories) and what of it still holds: that stays in a list as
it came, or stands word for word in the packet; also where a host took it away.

Knows no preset and no session. What such a file or tool is called, `engine.tools` knows.
"""

from ctxmgr.engine.instructions.copies import leaving, word_for_word
from ctxmgr.engine.instructions.globs import PATH_CHARACTERS, globs
from ctxmgr.engine.instructions.places import INSTRUCTIONS_SHARE, Instructions, instructions
from ctxmgr.engine.instructions.remembered import absent, remembered

__all__ = [
    "Instructions",
    "INSTRUCTIONS_SHARE",
    "PATH_CHARACTERS",
    "absent",
    "globs",
    "instructions",
    "leaving",
    "remembered",
    "word_for_word",
]
