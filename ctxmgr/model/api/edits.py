"""Applies an answer to `context` to the list that was sent, and returns the resulting list.

Rules:
1. A kept message is the same object that was given, for programs that identify messages by object identity.
2. An answer is accepted only if the result is a valid list: messages of the given list in their order, each at most
   once, and new ones that are messages. A provider would refuse any other.
3. If ctxmgr's own projection failed, the answer contains whole messages instead of edits. Those with the same bytes
   as given ones, in their order, are the given ones.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.model.api.given import M
from ctxmgr.model.api.lifecycle import RawList, Wire
from ctxmgr.model.api.reports import Report


class Edit(Wire, frozen=True):
    """`keep`: [from, to), half-open, of the given list. `put`: a message that is not in it. Exactly one of
    the two.
    """

    keep: tuple[int, int] | None = None
    put: msgspec.Raw = msgspec.Raw()


class ListAnswer(Wire, frozen=True):
    """The answer to `context`, with messages as raw JSON. Exactly one of `messages`, `edits` and `unchanged`."""

    base: str
    report: Report
    seq: int
    messages: RawList | None = None
    edits: list[Edit] | None = None
    unchanged: bool | None = None


class NoList(ValueError):
    """The answer does not describe a valid list. The text says why, without conversation text."""


def applied(given: Sequence[M], raws: Sequence[bytes], answer: ListAnswer) -> list[M]:
    """The list to send. `raws`: the JSON of each given message. Raises NoList."""
    if answer.unchanged:
        return list(given)
    as_bytes = bool(given) and isinstance(given[0], bytes)
    if answer.edits is not None:
        made = _edited(given, answer.edits, as_bytes)
    elif answer.messages is not None:
        made = _matched(given, raws, answer.messages, as_bytes)
    else:
        raise NoList("neither messages nor edits")
    if given and not made:
        raise NoList("an empty list")
    return made


def _edited(given: Sequence[M], edits: Sequence[Edit], as_bytes: bool) -> list[M]:
    made: list[M] = []
    kept = 0  # everything before this index is kept or removed
    for edit in edits:
        if edit.keep is not None:
            start, end = edit.keep
            if not kept <= start <= end <= len(given):
                raise NoList("an edit outside the list or out of order")
            made += given[start:end]
            kept = end
        else:
            made.append(_message(edit.put, as_bytes))
    return made


def _matched(given: Sequence[M], raws: Sequence[bytes], messages: RawList, as_bytes: bool) -> list[M]:
    made: list[M] = []
    following = 0  # index from which messages may match (rule 2)
    places: dict[bytes, list[int]] = {}
    for number, raw in enumerate(raws):
        places.setdefault(raw, []).append(number)
    for message in messages:
        number = next((number for number in places.get(bytes(message), ()) if number >= following), -1)
        if number < 0:
            made.append(_message(message, as_bytes))
        else:
            made.append(given[number])
            following = number + 1
    return made


def _message(raw: msgspec.Raw, as_bytes: bool) -> Any:
    """Decodes a new message. In every format, a message has a role, or an item a type."""
    try:
        message = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("role", message.get("type")), str):
        raise NoList("what it puts in is no message")
    return bytes(raw) if as_bytes else message
