"""Turns text into the exact values in it: what is said again letter by letter or is wrong.

1. Values are addresses, numbers of issues and tickets, versions, hashes, ids of runs and hosts with a port. A name
   of code is an identifier (`identifiers`), a path is a file.
2. What is longer than LONGEST is no value that somebody says again.
3. One time through the text: nothing here takes longer than in the length of it.
"""

import re

LONGEST = 120  # characters

_VALUE = re.compile(
    r"https?://[^\s<>()\"'`\\\]},|]++"
    r"|(?<![\w#&/.])#\d{1,7}(?![\w-])"
    r"|(?<![\w./#-])[A-Z]{2,8}-\d{1,6}(?![\w-])"
    r"|(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])"
    r"|(?<![\w/#@-])(?<!\w\.)(?=[0-9]{0,39}[a-f])(?=[a-f]{0,39}[0-9])[0-9a-f]{7,40}(?![\w/-])(?!\.\w)"
    r"|(?<![\w./:-])(?:localhost|\d{1,3}(?:\.\d{1,3}){3}):\d{2,5}(?![\w:])(?!\.\w)"
    r"|(?<![\w./-])v?\d{1,5}(?:\.\d{1,6}){2,3}(?:[-+][\w.]{1,40})?(?!\w)(?!\.\d)"
    r"|(?<![\w./#:,-])\d{7,20}(?![\w:/-])(?![.,]\w)"
)
_ENDS = ".,;:!?*_"


def exact_values(text: str) -> list[str]:
    """Each once, in the order in which they stand there first."""
    found = (value.rstrip(_ENDS) for value in _VALUE.findall(text))
    return list(dict.fromkeys(value for value in found if len(value) <= LONGEST))
