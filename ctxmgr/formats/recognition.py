"""Recognises the format of messages, by members that only one format has.

1. Marks of a format are roles, members and types of blocks that others do not write. The text of a user, an
   assistant or a system alone is the same in every format: such a message has no mark.
2. One mark of the named format is enough: all other content of such a list stays unchanged.
3. Without one, it is the format with the most marked messages. In a tie the format is unknown.
4. `auto` becomes the format of the first marked messages. Messages that have only marks of other formats than the
   named one are refused, with the name of their format.
5. A null or empty member is no mark: libraries write every member they know.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from ctxmgr.formats.content import UNREADABLE
from ctxmgr.formats.message_format import MarkedBlock, MarkedMessage, MessageFormat
from ctxmgr.formats.table import AUTO, FORMATS
from ctxmgr.model import InvalidParams

_decode = msgspec.json.Decoder(MarkedMessage).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode
_block = msgspec.json.Decoder(MarkedBlock).decode
_TEXT = MarkedBlock("text")


def recognised(raws: Sequence[bytes], wanted: str = "") -> tuple[str, ...]:
    """The formats that these messages may have (rules 2 and 3): usually one name, several in a tie, none without a
    mark. `wanted`: the named format.
    """
    if wanted in FORMATS and any(_names(raw, (wanted,)) for raw in raws):  # no other need be loaded
        return (wanted,)
    votes: Counter[str] = Counter()
    for raw in raws:
        votes.update(_names(raw, FORMATS))
    most = max(votes.values(), default=0)
    return tuple(name for name in FORMATS if most and votes[name] == most)


def messages_of(entries: Sequence[bytes]) -> list[bytes]:
    """The messages in entries of a session tree."""
    messages = []
    for entry in entries:
        try:
            messages.append(bytes(_decode(entry).message))
        except UNREADABLE:
            continue
    return messages


def settled(fmt: MessageFormat, raws: Sequence[bytes], path: str) -> MessageFormat | None:
    """The format of these messages, None if they do not show it: `fmt`, or for `auto` the format of their marks.
    Raises InvalidParams for the member `path` of the params if they have only marks of other formats.
    """
    try:
        names = recognised(raws, fmt.name)
    except (ImportError, OSError):  # another format cannot be loaded now: the call is sent anyway
        return None
    if len(names) == 1 and (fmt.name == AUTO or names == (fmt.name,)):
        return FORMATS[names[0]]
    if not names or fmt.name == AUTO:
        return None
    right = " or ".join(f'"{name}"' for name in names)
    fix = f"set messageFormat, in initialize or session_start, to {right}"
    details = {"path": path}
    if len(names) == 1:
        fix, details = f'{fix}, or to "auto"', {"path": path, "messageFormat": names[0]}
    raise InvalidParams(
        f'invalid params at {path}: the messages are in the format {right}, not "{fmt.name}": {fix}', details
    )


def _names(raw: bytes, among: Iterable[str]) -> frozenset[str]:
    """Those of these formats whose marks this message has."""
    try:
        if raw.lstrip().startswith(b"["):  # the items of one answer
            messages = [_decode(item) for item in _elements(raw)]
        else:
            messages = [_decode(raw)]
        blocks = [block for message in messages for block in _blocks(message)]
    except UNREADABLE:
        return frozenset()
    if all(map(_is_users, messages)) and all(block == _TEXT for block in blocks):
        return frozenset()  # rule 1; most sessions begin like this, and no format is loaded
    return frozenset(name for name in among if _is_marked(FORMATS[name], messages, blocks))


def _blocks(message: MarkedMessage) -> list[MarkedBlock]:
    """Its blocks that are objects. Raises if the content is not a list of blocks."""
    blocks = []
    for raw in _elements(message.content) if bytes(message.content).startswith(b"[") else ():
        try:
            blocks.append(_block(raw))
        except UNREADABLE:
            continue
    return blocks


def _is_users(message: MarkedMessage) -> bool:
    """Whether it is a user's message with only content."""
    return message == MarkedMessage("user", content=message.content)


def _is_marked(fmt: MessageFormat, messages: list[MarkedMessage], blocks: list[MarkedBlock]) -> bool:
    return any(
        (isinstance(message.role, str) and message.role in fmt.own_roles) or fmt.marks_message(message)
        for message in messages
    ) or any(
        (isinstance(block.type, str) and block.type in fmt.own_blocks) or fmt.marks_block(block) for block in blocks
    )
