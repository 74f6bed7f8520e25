"""A run that goes on when its call is answered: the id that it goes on under."""

import re

RUNNING_CHARACTERS = 500  # of a result: a host says first of all that a run goes on

_GOES_ON = re.compile(
    r"\brunning (?:with (?:session|cell) ID|in (?:the )?background with (?:ID|PID))\b\W{0,3}([\w-]{1,40})"
    r"|\"session_id\":\s*\"?(\d[\w-]{0,39})",
    re.IGNORECASE,
)


def goes_on_as(text: str) -> str:
    """The id under which a run goes on whose result this is, "" where it ended."""
    found = _GOES_ON.search(text[:RUNNING_CHARACTERS])
    return (found[1] or found[2]) if found else ""
