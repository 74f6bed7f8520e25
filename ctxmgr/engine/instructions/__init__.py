"""What others told the model (files of rules, skills, memories) and what of it still holds: that stays in a list as
it came, or stands word for word in the packet.

Knows no preset and no session. What such a file or tool is called, `engine.tools` knows.
"""

from ctxmgr.engine.instructions.places import INSTRUCTIONS_SHARE, Instructions, instructions
from ctxmgr.engine.instructions.verbatim import word_for_word

__all__ = ["Instructions", "INSTRUCTIONS_SHARE", "instructions", "word_for_word"]
