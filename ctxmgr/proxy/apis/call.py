"""What is read of one request: whose list it holds, and what is to be done with it."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from ctxmgr.proxy.body import ListBody

Headers = Mapping[str, str]  # by name, whatever its case

# `turn`: the next step of a conversation. `compaction`: the program asks for a summary of it. `aside`: a call
# beside any conversation (a title, a count of tokens), or of a talk without tools, of which nothing that leaves
# could be fetched again: it passes untouched.
Kind = Literal["turn", "compaction", "aside"]


BYTES_A_TOKEN = 4
MARK = b'"cache_control"'
MARKED = ("system", "tools")  # members beside the list that hold marks


class Speaker(msgspec.Struct, frozen=True):
    """Who sends a list, as far as the program says: its name, its conversation, and its sub-agent. "" where it says
    nothing. `window_id`: changes where the program begins its list anew."""

    program: str
    conversation: str = ""
    agent: str = ""
    is_subagent: bool = False
    window_id: str = ""


class ListCall(msgspec.Struct, frozen=True):
    """One request with a list. `rival`: what of the request makes the provider itself drop or add messages, ""
    where nothing does. `overhead_bytes`: of what is sent beside the list and counts as input.
    `window_tokens`: of the window that the request asks for, 0 where it asks for none."""

    format: str
    model: str
    kind: Kind
    speaker: Speaker
    body: ListBody
    rival: str = ""
    overhead_bytes: int = 0
    window_tokens: int = 0

    @property
    def overhead_tokens(self) -> int:
        """Roughly: JSON of prompts and of tools."""
        return self.overhead_bytes // BYTES_A_TOKEN

    @property
    def own_marks(self) -> int:
        """Cache marks outside of the list; a member of the request's own sets one on its last block."""
        within = sum(self.body.members.get(name, b"").count(MARK) for name in MARKED)
        return within + ("cache_control" in self.body.members)


def text_of(raw: bytes | None) -> str:
    """A JSON string's text, "" where it is none."""
    try:
        value = msgspec.json.decode(raw or b"null")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    return value if isinstance(value, str) else ""


def is_empty(raw: bytes | None) -> bool:
    """Is the member missing, null, or an empty list?"""
    return raw is None or raw.strip() in (b"", b"null") or raw.replace(b" ", b"") == b"[]"


# Programs that name their conversation whatever API they speak: the header with its name, and the one that a
# sub-agent adds. (opencode 1.18.33, tried.)
NAMING = {"opencode": ("x-session-id", "x-parent-session-id")}


def speaker_of(headers: Headers) -> Speaker:
    """Who sends a list, where the API itself tells nothing of it."""
    program = program_of(headers)
    name, parent = NAMING.get(program, ("", ""))
    return Speaker(program, headers.get(name, ""), "", bool(headers.get(parent)))


def program_of(headers: Headers) -> str:
    """The name that a program gives itself: the first word of its user agent."""
    product = headers.get("user-agent", "").split("/")[0].split("(")[0].strip().lower()
    return "-".join(product.split()) if product.isprintable() else ""
