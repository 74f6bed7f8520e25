"""Writes the one line that replaces a removed tool result, and recognizes its own lines; and the handle in it, the
short name by which a model can request the original.

A marker names the tool, its key arguments (those a model would repeat to get the output again) and the tokens of
the removed output, so that the model knows what it no longer sees. Markers are never pruned or distilled.

Rules of handles:
1. A handle depends on its decision's key only, so that a marker has the same bytes in every process, and a decision
   that is undone and made again gets the same handle.
2. It is short, since every marker has one, and has one spelling: small letters and the digits 2 to 7.
3. Two keys of one session may share a handle: once in 88 000 sessions of 5,000 decisions. A longer handle would
   cost tokens in every marker, and extending one on collision would depend on the order of decisions. So a lookup
   finds both and returns neither: a wrong text would be worse than none.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from ctxmgr.engine.tools import key_arguments
from ctxmgr.model import Call, Media, expression

LINK_BYTES = 2_000  # shorter data without a size in pixels is a link, or a file's id
PRUNED = "[output pruned — "
DISTILLED = "[output distilled — "
HEAD = expression(r"\[output (?:pruned|distilled) — ~[0-9,]+ tokens \| [^\n]{1,1600}\]")
DISTILLED_AT_MOST = 4_000  # characters below the head; we distill to no longer text
ARGUMENT_LENGTH = 120  # characters of one argument's value
CALL_LENGTH = 1_500  # characters of all arguments, since HEAD must recognize it


def pruned(of: Call, weight: int) -> str:
    """`[output pruned — ~12,500 tokens | read path="src/App.tsx"]`; `weight` in tokens, uncalibrated."""
    return f"{PRUNED}~{weight:,} tokens | {call(of)}]"


def distilled(of: Call, weight: int) -> str:
    """The head line of a distilled result."""
    return f"{DISTILLED}~{weight:,} tokens | {call(of)}]"


def cut(whole: int, left: int, handle: str) -> str:
    """The line in the gap of a text that was cut to fit; both in tokens, `handle` "" without an archive."""
    line = f"[cut to fit — ~{left:,} of ~{whole:,} tokens are left out here]"
    return with_handle(line, handle) if handle else line


def arrived(whole: int, left: int, where: str) -> str:
    """The line in the gap of a result that was cut on arrival; both in tokens. `where`: which part is missing, and
    how to get it.
    """
    return f"[cut — ~{left:,} of ~{whole:,} tokens are left out here, {where}]"


def media(item: Media) -> str:
    """The replacement of a picture or document: `[image left out — 1.4 MB, 1200 x 800 pixels]`; for a link to one,
    `[image left out]`.
    """
    sizes = [_size(item.size_bytes)] if item.width or item.size_bytes > LINK_BYTES else []
    if item.width and item.height:
        sizes.append(f"{item.width} x {item.height} pixels")
    elif item.pages > 1:
        sizes.append(f"about {item.pages} pages")
    return f"[{item.kind} left out{' — ' if sizes else ''}{', '.join(sizes)}]"


def _size(size_bytes: int) -> str:
    if size_bytes < 1_000:
        return f"{size_bytes} bytes"
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes >= 100_000 else f"{size_bytes / 1e3:.1f} kB"


def with_handle(text: str, handle: str) -> str:
    """Our text, with its original named in the head line: `... | retrieve k3f7a2bq]`."""
    head, line_end, body = text.partition("\n")
    return f"{head[:-1]} | retrieve {handle}]{line_end}{body}"


def is_marker(text: str) -> bool:
    """Whether we wrote this whole text; a tool may print one of our lines too."""
    head, _, body = text.partition("\n")
    if not HEAD.fullmatch(head):
        return False
    return len(body) <= DISTILLED_AT_MOST if head.startswith(DISTILLED) else not body


def call(of: Call) -> str:
    """The tool and its key arguments in one line; without a known argument, the first short ones."""
    parts = [" ".join(of.tool.split())[:ARGUMENT_LENGTH] or "tool"]
    room = CALL_LENGTH
    for name, value in key_arguments(of):
        part = f"{' '.join(name.split())}={_value(value)}"
        if len(part) > room:
            break
        room -= len(part)
        parts.append(part)
    return " ".join(parts)


def _value(value: Any) -> str:
    if isinstance(value, str):
        one_line = " ".join(value.split())
        if len(one_line) > ARGUMENT_LENGTH:
            one_line = one_line[: ARGUMENT_LENGTH - 1] + "…"
        return json.dumps(one_line, ensure_ascii=False)
    text = " ".join(json.dumps(value, ensure_ascii=False, default=str).split())
    return text if len(text) <= ARGUMENT_LENGTH else text[: ARGUMENT_LENGTH - 1] + "…"


CHARACTERS = 8  # of 5 bits each
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_HANDLE = expression(rf"(?<![a-z0-9])[a-z2-7]{{{CHARACTERS}}}(?![a-z0-9])")


def handle(key: str) -> str:
    """Eight characters, such as `k3f7a2bq`."""
    state = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=CHARACTERS)
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in state.digest())


def handles_in(text: str) -> Iterator[str]:
    """Whatever in a text may be a handle, since a model may decorate the one it was shown."""
    for match in _HANDLE.finditer(text):
        yield match[0]
