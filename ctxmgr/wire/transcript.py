"""Transcripts: a JSON-RPC conversation as JSON lines, written as bytes and read back; and which rules one was
recorded with, and who can replay it.

A header line, then one line per message: who wrote it, and the message unchanged. A body that is not JSON is stored
as text under `broken`, one character per byte. Further lines record everything else that an answer may depend on,
so that a transcript can be replayed without snapshot, archive, store, clock and network: a vocabulary was loaded or
lost, a session was restored, a deadline passed, a compaction was prepared ahead, an endpoint or the archive
answered, a session was saved in a store.

`RULES` is the version of the rules by which a release decides:

1. A transcript names its rules in the header; without a name they are 1.
2. The same rules give the same bytes for the same calls. A change of an answer's bytes needs new rules, unless no
   release has recorded the old ones.
3. A release replays the rules in `REPLAYED`. It refuses others, and names the release that replays them: the one in
   `RELEASES`, or for later rules, the one that wrote the transcript. That one is not named if it has this release's
   own version, because it is another build with the same number.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

RULES = 3
"""The rules by which this release decides, and which it records."""

REPLAYED: tuple[int, ...] = (3,)

RELEASES: Mapping[int, str] = {1: "0.1", 2: "0.2", 3: "0.3"}
"""The newest release that replays these rules."""


def refusal(header: Mapping[str, Any], version: str) -> str | None:
    """Why this version of ctxmgr does not replay a transcript with this header, or None if it does."""
    number = header.get("rules", 1)
    if type(number) is not int or number < 1:
        return f"its header names no rules: {number!r}"
    if number in REPLAYED:
        return None
    release = RELEASES.get(number) or header.get("serverVersion")
    age = "an earlier" if number < max(REPLAYED) else "a later"
    replaying = f"ctxmgr {release}" if release and not _is_this(str(release), version) else f"{age} ctxmgr"
    listed = ", ".join(map(str, REPLAYED))
    this = f"ctxmgr {version} (rules {listed})"
    return f"the transcript has rules {number}, which {replaying} replays; this is {this}"


def _is_this(release: str, version: str) -> bool:
    """Whether the release has this version. Rules may change before the version does, so it may replay other
    rules.
    """
    return f"{version}.".startswith(f"{release}.")


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode
_string = msgspec.json.Decoder(str).decode
_is_json = msgspec.json.Decoder(msgspec.Raw).decode
_LINE_BREAKS = bytes.maketrans(b"\r\n", b"  ")  # in JSON they occur only between tokens

# a request to the archive, as in a line: {"put": handles}, {"retrieve": handle}, {"search": query, ...}
Asked = Mapping[str, Any]


Kind = Literal[
    "header",
    "message",
    "broken",
    "weigher",
    "restored",
    "woke",
    "completed",
    "prepared",
    "archive",
    "stored",
    "unknown",
]


class TranscriptLine(msgspec.Struct, frozen=True):
    """One line. `body` is unchanged from the wire; `fields` are of a line that is not a message."""

    kind: Kind
    number: int
    sender: str = ""
    body: bytes = b""
    fields: dict[str, Any] = {}


def header(protocol_version: str, server_version: str, tokenizer: str, rules: int = 1) -> bytes:
    """`rules`: the version of the rules that decided what ctxmgr says in it (`RULES`); 1 is
    omitted.
    """
    fields = {"protocolVersion": protocol_version, "serverVersion": server_version, "tokenizer": tokenizer}
    return _encode({"ctxmgr": {**fields, **({"rules": rules} if rules != 1 else {}), "policy": None}})


def line(sender: Literal["host", "ctxmgr"], body: bytes) -> bytes:
    try:
        _is_json(body)
        body.isascii() or body.decode()  # the decoder does not check strings that it skips
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _encode({"from": sender, "broken": body.decode("latin-1")})
    return b'{"from":"%b","message":%b}' % (sender.encode(), body.translate(_LINE_BREAKS))


def weigher(name: str) -> bytes:
    return _encode({"from": "ctxmgr", "weigher": name})


def weigher_lost(name: str, note: str) -> bytes:
    """The vocabulary is no longer available; `note` as in the status."""
    return _encode({"from": "ctxmgr", "weigher": name, "lost": note})


def restored(
    session_id: str, lines: Iterable[bytes], fault: str | None = None, refused: bool = False, stored: Any = None
) -> bytes:
    """`lines` are the snapshot's, without checksums; `fault` says what was wrong with it. `stored`: how far it is
    saved in a store, as a `Stored`.
    """
    body = {"from": "ctxmgr", "restored": session_id, "lines": [msgspec.Raw(line) for line in lines]}
    wrong = ({"fault": fault} if fault else {}) | ({"refused": True} if refused else {})
    return _encode(body | wrong | ({"as": stored} if stored is not None else {}))


def woke(ticket: int) -> bytes:
    """A deadline passed."""
    return _encode({"from": "ctxmgr", "woke": ticket})


def completed(ticket: int, completion: Any) -> bytes:
    """The answer of an endpoint, as a `Completion`."""
    return _encode({"from": "ctxmgr", "completed": ticket, "completion": completion})


def prepared(session_id: str) -> bytes:
    """From here on the session has a compaction that was prepared ahead."""
    return _encode({"from": "ctxmgr", "prepared": session_id})


def archive(session_id: str, asked: Asked, answer: Any) -> bytes:
    """The answer of the archive, as an `ArchiveAnswer`: to a `put` of rows with these handles, a `retrieve` of one,
    or a `search`.
    """
    return _encode({"from": "ctxmgr", "archive": session_id, **asked, "answer": answer})


def stored(session_id: str, stored: Any) -> bytes:
    """How far the session is saved in the store from here on, as a `Stored`."""
    return _encode({"from": "ctxmgr", "stored": session_id, "as": stored})


def read(text: bytes) -> Iterator[TranscriptLine]:
    """The lines of a transcript. Raises ValueError, with the line's number, for one that is not a JSON object."""
    for number, raw in enumerate(text.split(b"\n"), 1):
        if raw.strip():
            yield _line(raw, number)


_NULL = msgspec.Raw(b"null")
SHAPES: dict[Kind, dict[str, tuple[str, Any]]] = {
    "weigher": {"weigher": ("weigher", str), "lost": ("lost", str | None)},
    "woke": {"ticket": ("woke", int)},
    "prepared": {"session": ("prepared", str)},
    "stored": {"session": ("stored", str), "as": ("as", dict[str, Any])},
    "archive": {
        "session": ("archive", str),
        "put": ("put", list[str] | None),
        "answer": ("answer", dict[str, Any]),
    },
    "completed": {"ticket": ("completed", int), "completion": ("completion", dict[str, Any])},
    "restored": {
        "session": ("restored", str),
        "lines": ("lines", list[msgspec.Raw]),
        "fault": ("fault", str | None),
        "refused": ("refused", bool | None),
        "as": ("as", dict[str, Any] | None),
    },
}
"""The fields of lines that are not messages: for each the member that contains it, and its type."""


def _line(raw: bytes, number: int) -> TranscriptLine:
    try:
        members = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        sender = _string(members["from"]) if "from" in members else ""
        if "ctxmgr" in members:
            return TranscriptLine("header", number, fields=_decode(members["ctxmgr"]))
        if "message" in members:
            return TranscriptLine("message", number, sender, bytes(members["message"]))
        if "broken" in members:
            return TranscriptLine("broken", number, sender, _string(members["broken"]).encode("latin-1"))
        for kind, shape in SHAPES.items():
            if kind in members:
                fields = {
                    name: msgspec.json.decode(members.get(member, _NULL), type=type_)
                    for name, (member, type_) in shape.items()
                }
                return TranscriptLine(kind, number, sender, fields=fields)
    except (msgspec.DecodeError, UnicodeError, RecursionError, TypeError) as fault:
        why = f": {fault}" if isinstance(fault, msgspec.DecodeError) else ""
        raise ValueError(f"line {number} is no line of a transcript{why}") from None
    return TranscriptLine("unknown", number, sender)
