"""Turns a command into the one line that tells it: as it was run, or how a script begins, how long it is, and a
digest of the whole, so that two scripts that begin alike are two."""

import hashlib
import re

from ctxmgr.engine.memory.one_line import code
from ctxmgr.engine.memory.wording import plain, shorten

COMMAND_CHARACTERS = 240
DIGEST_CHARACTERS = 8  # hexadecimal, of sha256

_SCRIPT = re.compile(r" \(\d+ lines?, sha256 [0-9a-f]{8}\)$")


def command_line(command: str) -> str:
    """The command on one line of at most COMMAND_CHARACTERS."""
    command = command.strip()
    told = plain(command.replace("\\\n", " "))
    if len(told) <= COMMAND_CHARACTERS and "\n" not in command.replace("\\\n", ""):
        return told
    lines = command.count("\n") + 1
    digest = hashlib.sha256(command.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]
    size = f" ({lines} line{'s' if lines > 1 else ''}, sha256 {digest})"
    shown = command if "<<" in command else re.sub(r"\s*\n\s*", "; ", command)
    return f"{shorten(plain(shown), COMMAND_CHARACTERS - len(size))}{size}"


def is_script(text: str) -> bool:
    """Does such a line tell a command by how it begins alone?"""
    return _SCRIPT.search(text) is not None


def coded_command(text: str, limit: int = COMMAND_CHARACTERS) -> str:
    """Such a line with the command as inline code; what is said of a script stands whole behind it."""
    said = _SCRIPT.search(text)
    return f"{code(text[: said.start()], limit)}{said[0]}" if said else code(text, limit)
