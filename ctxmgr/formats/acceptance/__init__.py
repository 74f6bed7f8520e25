"""What each provider refuses of a list: the last look at one before it leaves, one function a format.

    accept(progress, said) -> Progress      `said`: (bytes, view) of each message, in order

A list that only grew is looked at by its new messages alone. `refused` gives what is wrong at its end. The rules
are the providers', read off the bytes that leave; they know nothing of how the list was made. No alternation is
asked for: all of these providers take messages of one role after each other.
"""

from ctxmgr.formats.acceptance.anthropic import accept as accept_anthropic
from ctxmgr.formats.acceptance.gemini import accept as accept_gemini
from ctxmgr.formats.acceptance.openai import accept as accept_openai
from ctxmgr.formats.acceptance.pi import accept as accept_pi
from ctxmgr.formats.acceptance.progress import BEGINNING, Progress, refused
from ctxmgr.formats.acceptance.responses import accept as accept_responses

__all__ = [
    "BEGINNING",
    "Progress",
    "accept_anthropic",
    "accept_gemini",
    "accept_openai",
    "accept_pi",
    "accept_responses",
    "refused",
]
