"""Applies operations to a scratchpad: the model's own notes, kept over compactions.

Rules:
1. Operations apply in order, all or none: a half-edited note is worse than an error.
2. A replacement must match exactly once: the model must know which place it changes.
3. The text is limited, so that notes never fill the window they are meant to save.
"""

from collections.abc import Sequence

from ctxmgr.model import invalid_params
from ctxmgr.model.api import compaction as wire

CHARACTERS_AT_MOST = 8_000  # about 2,000 tokens: an eighth of the default reserve


def edited(text: str, operations: Sequence[wire.ScratchpadOperation]) -> str:
    """The text after all operations. Raises InvalidParams, and then nothing has changed."""
    for number, operation in enumerate(operations):
        text = _applied(text, operation, f"$.operations[{number}]")
    if len(text) > CHARACTERS_AT_MOST:
        what = f"the scratchpad would hold {len(text)} of at most {CHARACTERS_AT_MOST} characters"
        raise invalid_params(what, "$.operations")
    return text


def _applied(text: str, operation: wire.ScratchpadOperation, path: str) -> str:
    if isinstance(operation, wire.Overwrite):
        return operation.text
    if isinstance(operation, wire.Insert):
        return _inserted(text, operation, path)
    if not operation.old_text:
        raise invalid_params("an empty text matches everywhere", f"{path}.oldText")
    count = text.count(operation.old_text)
    if count != 1:
        count_text = "is not there" if not count else f"is there {count} times"
        raise invalid_params(f"the text to replace {count_text}; it must be there once", f"{path}.oldText")
    return text.replace(operation.old_text, operation.new_text)


def _inserted(text: str, operation: wire.Insert, path: str) -> str:
    """After line `line`, counted from 1; 0 is before the first, a missing line means the end."""
    lines = text.splitlines(keepends=True)
    number = len(lines) if operation.line is None else int(operation.line)
    if number > len(lines):
        raise invalid_params(f"there are {len(lines)} lines", f"{path}.line")
    before, after = "".join(lines[:number]), "".join(lines[number:])
    if before and not before.endswith("\n"):
        before += "\n"
    gap = "\n" if after and not operation.text.endswith("\n") else ""
    return f"{before}{operation.text}{gap}{after}"
