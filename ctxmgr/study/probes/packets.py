"""The packets in a message, and the lines of a packet.

1. A packet is a text that begins with the mark: a text of a message, or a summary.
2. A section is known by its heading, whatever stands behind it in brackets. Instructions and the scratchpad are
   others' words and have no lines here.
3. A line has the form of its section, or none: a packet says nothing outside its grammar, so under a heading such a
   line holds nothing. What stands above the first heading, says where the rest is, or which messages are not shown,
   states nothing that a recording bears out.
4. What a line quotes and what was said are compared without what nobody sees: runs of white space are one space, a
   quotation mark is `'`, and the marks of a fence, of bold text and characters without a width are gone.
5. What stands between cuts (`…`) is found in one text, one after the other.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from ctxmgr.model import PACKET_MARK

Section = Literal["head", "now", "user", "state", "answers", "summary", "turns", "rest", "unknown"]
Form = Literal["none", "silent", "user", "assistant", "task", "run", "commit", "file", "answer", "summary"]

HEADINGS: dict[str, Section] = {
    "Now": "now",
    "The user said": "user",
    "State": "state",
    "Asked and answered": "answers",
    "From the summary": "summary",
    "From a branch that was left": "summary",
    "Said at the end of earlier turns": "turns",
    "Where the rest is": "rest",
}
SKIPPED = ("Instructions", "Scratchpad")
_AFTER = r"(?: after #\d+)?"
_TASK_ID = r"(?: \((?:task )?#\w+\))?"  # which the host's tool wants to be told
FORMS: dict[Section, tuple[tuple[str, Form], ...]] = {
    "now": (
        (r'- the user asked last(?: \(#\d+\))?: "(.*)"', "user"),
        (r'- the assistant said (?:last|before what follows): "(.*)"', "assistant"),
        (rf"- \[([ ~])\] (.+?){_TASK_ID}", "task"),
    ),
    "user": ((r'- #\d+: "(.*)"', "user"), (r"- #\d+(?: to #\d+)?: not shown", "silent")),
    "state": (
        (
            rf'- (test|lint|types|build): `(.+)` (?:(failed|passed){_AFTER}(, files changed since)?(?:: "(.*)")?'
            rf"|ran{_AFTER}, outcome not shown)",
            "run",
        ),
        (r'- commit ([0-9a-f]{7,40}): "(.*)"', "commit"),
        (r"- (edited|written|deleted)(?: \((?:after #\d+|([^,()]+)(?:, after #\d+)?)\))?: (`.+`)", "file"),
    ),
    "answers": (
        (r'- approved: ".*"', "silent"),
        (r'- (rejected: )?"(.*)" → (?:its result said )?"(.*)"', "answer"),
    ),
    "summary": ((r"#{1,6} .*", "silent"), (rf"(?:[-*] (?:\[.\] )?)?(.+?){_TASK_ID}", "summary")),
    "turns": ((r'- (?:after #\d+|at the start): "(.*)"', "assistant"),),
    "head": ((r".*", "silent"),),
    "rest": ((r".*", "silent"),),
}
_FORMS = {section: tuple((re.compile(text), form) for text, form in forms) for section, forms in FORMS.items()}
_UNSEEN = re.compile(r"```\w*|\*\*|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_MARK = PACKET_MARK.encode()
_decode = msgspec.json.Decoder().decode


class PacketLine(msgspec.Struct, frozen=True):
    """`parts`: what the form leaves open, "" where a part is missing. Of form "none" nothing is known."""

    section: Section
    text: str
    form: Form
    parts: tuple[str, ...] = ()


def packets(raw: bytes) -> list[str]:
    """Those of a message in pi's format (rule 1)."""
    if _MARK not in raw:
        return []
    message = _decode(raw)
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"text": content}, {"text": message.get("summary")}]
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return [text for text in texts if isinstance(text, str) and text.startswith(PACKET_MARK)]


@lru_cache(maxsize=256)
def lines(packet: str) -> tuple[PacketLine, ...]:
    """In their order, without the mark and empty lines."""
    parsed: list[PacketLine] = []
    section: Section | None = "head"
    for line in packet.split("\n")[1:]:
        if line.startswith("## "):
            name = line[3:].partition(" (")[0].strip()
            section = None if name.startswith(SKIPPED) else HEADINGS.get(name, "unknown")
        elif section is not None and line.strip():
            parsed += _parsed(section, line.rstrip())
    return tuple(parsed)


def _parsed(section: Section, text: str) -> Iterator[PacketLine]:
    """One for each file of a line that names several."""
    matches = ((pattern.fullmatch(text), form) for pattern, form in _FORMS.get(section, ()))
    nothing: tuple[re.Match[str] | None, Form] = (None, "none")
    match, form = next((pair for pair in matches if pair[0]), nothing)
    parts = tuple(part or "" for part in match.groups()) if match else ()
    if form != "file":
        yield PacketLine(section, text, form, parts)
        return
    action, tool, paths = parts
    for path in paths.strip("`").split("`, `"):
        yield PacketLine(section, text.replace(paths, f"`{path}`"), form, (action, path, tool))


# quotations


def folded(text: str) -> str:
    """Rule 4."""
    return " ".join(_UNSEEN.sub("", text).replace('"', "'").split())


@lru_cache(maxsize=1 << 12)
def pieces(quoted: str) -> tuple[str, ...]:
    """Rule 5; none where nothing is quoted."""
    return tuple(filter(None, map(folded, quoted.split("…"))))


def within(pieces: Sequence[str], text: str) -> bool:
    """Whether a folded text has these pieces, in this order; False without any."""
    for piece in pieces:
        _, found, text = text.partition(piece)
        if not found:
            return False
    return bool(pieces)
