"""What people see: a console, and recorded text made safe for a terminal."""

import re
import sys
from typing import TextIO

from rich.console import Console
from rich.text import Text

PIPED_COLUMNS = 160  # where no terminal says how wide it is: tables must not fold

# C0 but newline and tab, DEL, C1, and what turns the direction of text or hides it: a recording may hold any.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def safe(text: str) -> str:
    """The text with each character that a terminal would obey written as its escape."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain(text: str, style: str = "") -> Text:
    """Safe text for rich; brackets in it are no markup."""
    return Text(safe(text), style=style)


def console(stream: TextIO | None = None) -> Console:
    """For stdout unless told. Wide and without colours where it is no terminal; what can not be encoded there
    is replaced."""
    stream = stream or sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    made = Console(file=stream, highlight=False)
    if not made.is_terminal:
        made = Console(file=stream, highlight=False, width=PIPED_COLUMNS, no_color=True)
    return made
