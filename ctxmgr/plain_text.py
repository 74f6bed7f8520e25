"""Makes recorded text, and tables of it, safe for a terminal and free of secrets. For code that runs without
`rich`.
"""

import errno
import json
import os
import re
import shutil
import sys
import textwrap
import traceback
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ctxmgr.masking import values_without_secrets, without_secrets

PIPED_COLUMNS = 160  # if no terminal says how wide it is; tables must not wrap
GAP = "  "  # between columns
NARROWEST = 20  # characters of the last column, however narrow the terminal

# C0 except newline and tab, DEL, C1, and characters that change the direction of text or hide it. A recording may
# contain any.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def safe(text: str) -> str:
    """The text without secrets, `escaped`. Make a text safe before you cut it: half a secret is not recognised."""
    return escaped(without_secrets(text))


def escaped(text: str) -> str:
    """The text with each terminal control character as its escape."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def fault_text(fault: Exception) -> str:
    """An unexpected fault on one line: the system's message, otherwise its class, its text and its place."""
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror
    return f"{type(fault).__name__}: {fault}{_raised_at(fault)}"


def unquoted_fault_text(fault: Exception) -> str:
    """The same without the fault's text, which may quote the input."""
    return f"{type(fault).__name__}{_raised_at(fault)}"


def _raised_at(fault: Exception) -> str:
    places = traceback.extract_tb(fault.__traceback__)
    return f" ({Path(places[-1].filename).name}, line {places[-1].lineno})" if places else ""


def missing_text(paths: Sequence[str]) -> str:
    """Which of these paths are not files, on one line, or "" if all are."""
    folders = [path for path in paths if Path(path).is_dir()]
    if folders:
        return f"{safe(folders[0])} is a folder: name the files in it"
    missing = [path for path in paths if not Path(path).is_file()]
    return f"no such file: {safe(', '.join(missing))}" if missing else ""


def unwritable_text(path: str) -> str:
    """Why a file cannot be written there, on one line, or "". Checks without writing."""
    file = Path(path)
    if file.is_dir():
        why = errno.EISDIR
    elif not file.parent.is_dir():
        why = errno.ENOENT
    elif not os.access(file if file.exists() else file.parent, os.W_OK):
        why = errno.EACCES
    else:
        return ""
    return f"{safe(path)} cannot be written: {os.strerror(why)}"


def file_text(fault: OSError, path: str) -> str:
    """Why a file could not be read, on one line."""
    if isinstance(fault, FileNotFoundError):
        return f"no such file: {safe(path)}"
    return f"{safe(path)} cannot be read: {fault.strerror or type(fault).__name__}"


def start_text(fault: OSError) -> str:
    """Why a command could not be started, on one line."""
    named = f"{safe(str(fault.filename))}: " if fault.filename else ""
    return f"the command cannot be started: {named}{fault.strerror or type(fault).__name__}; --command names it"


def write(text: str, has_secrets: bool = False) -> None:
    """Writes safe text to stdout. Characters that cannot be encoded there are replaced. `has_secrets`: whether
    secrets may be shown.
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    print(escaped(text) if has_secrets else safe(text))


def write_json(value: Any) -> None:
    """Writes JSON to stdout, without secrets. The value may contain structs."""
    print(json.dumps(values_without_secrets(msgspec.to_builtins(value)), indent=2))


def complain(command: str, text: str, code: int) -> int:
    """Writes an error to standard error, made safe. Returns the exit code."""
    print(f"ctxmgr {command}: {safe(text)}", file=sys.stderr)
    return code


def columns() -> int:
    """The number of characters in a line."""
    return shutil.get_terminal_size((PIPED_COLUMNS, 0)).columns if sys.stdout.isatty() else PIPED_COLUMNS


def table(rows: Sequence[Sequence[str]], right: Collection[int] = (), cut: bool = False) -> str:
    """A table of safe text. The last column is wrapped if it is too long for a line, or cut with `cut`. `right`:
    right-aligned columns.
    """
    cells = [[safe(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]) - 1)] if cells else []
    indent = sum(widths) + len(GAP) * len(widths)
    lines = []
    for *first, last in cells:
        lead = "".join(
            (cell.rjust(wide) if column in right else cell.ljust(wide)) + GAP
            for column, (cell, wide) in enumerate(zip(first, widths, strict=True))
        )
        width = max(columns() - indent, NARROWEST)
        folded = [last if len(last) <= width else f"{last[: width - 3]}..."] if cut else _folded(last, width)
        lines += [(lead + folded[0]).rstrip(), *((" " * indent + more).rstrip() for more in folded[1:])]
    return "\n".join(lines)


def _folded(text: str, width: int) -> list[str]:
    lines = [part for line in text.split("\n") for part in (textwrap.wrap(line, width) or [""])]
    return lines or [""]
