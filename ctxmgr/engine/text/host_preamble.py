"""Turns a user's message into what is left of it without the instructions that a host put around the request.

Hosts put text into the user's mouth: capabilities of the model, rules files, the state of an editor. Rules:
1. Only a message that *starts* like such a text is one, and has several headings or is long: people write "you are"
   too.
2. The request stands under a heading that says so ("## Task", "## My request for Codex"), or after the last rule
   line; where there is neither, the message holds none.
"""

import re

LEAST_HEADINGS = 3
LEAST_CHARACTERS = 1_500  # without headings; nobody types such a start at such a length
START_CHARACTERS = 400

_START = re.compile(
    r"\s*(?:(?:#{1,3}[ \t]+|\*\*)?(?:your (?:capabilities|role|instructions|environment)|system (?:prompt|message)"
    r"|(?:agents|claude|gemini|contributing)\.md\b|repository (?:guidelines|instructions)|instructions for\b"
    r"|context from my ide\b|environment(?: context)?\b|(?:available|allowed) (?:tools|models))[^\n]*\n"
    r"|(?:#{1,3}[^\n]*\n\s*)?you are (?:an? |the |\*\*)[\w .*-]{2,60}[.,:\n])",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^#{1,6}[ \t]+\S", re.MULTILINE)
_REQUEST = re.compile(
    r"^(?:#{1,6}[ \t]+|\*\*)(?:(?:the|my|your|user'?s?|actual|current|original|new)[ \t]+)*"
    r"(?:task|request|question|query|prompt|message|goal|objective)(?:[ \t]+(?:for|from"
    r"|of)[ \t][^\n:]{1,30})?:?(?:\*\*)?:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_RULE = re.compile(r"^[ \t]*(?:-{3,}|={3,}|\*{3,})[ \t]*$", re.MULTILINE)


def without_preamble(text: str) -> str:
    """What of a message is the user's; the whole of it where it starts as people write."""
    if not _START.match(text[:START_CHARACTERS]):
        return text
    if len(text) < LEAST_CHARACTERS and len(_HEADING.findall(text)) < LEAST_HEADINGS:
        return text
    for mark in (_REQUEST, _RULE):
        ends = [found.end() for found in mark.finditer(text)]
        if ends:
            return text[ends[-1] :]
    return ""
