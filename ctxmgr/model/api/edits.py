"""Turns an answer to `context`, and the list that it is about, into the list that it means.

Rules:
1. A message that is kept is the very object that was given, for programs that remember things by identity.
2. An answer is taken only where it means a list that can be: messages of the given list in their order, each once,
   and new ones that are messages. A provider would refuse any other.
3. Where ctxmgr's own projection failed, whole messages are answered in place of edits: those that are the bytes of
   given ones, in their order, are the given ones.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.model.api.given import M
from ctxmgr.model.api.lifecycle import RawList, Wire
from ctxmgr.model.api.reports import Report


class Edit(Wire, frozen=True):
    """`keep`: [from, to), half-open, of the given list; `put`: a message that is not of it. One of the two."""

    keep: tuple[int, int] | None = None
    put: msgspec.Raw = msgspec.Raw()


class ListAnswer(Wire, frozen=True):
    """The answer to `context` with its messages still JSON. One of `messages`, `edits` and `unchanged`."""

    base: str
    report: Report
    seq: int
    messages: RawList | None = None
    edits: list[Edit] | None = None
    unchanged: bool | None = None


class NoList(ValueError):
    """The answer means no list that can be; the text says why, without conversation."""


def applied(given: Sequence[M], raws: Sequence[bytes], answer: ListAnswer) -> list[M]:
    """The list to send. `raws`: the JSON of what was given, message by message. Raises NoList."""
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
    kept = 0  # all before it is kept or left out
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
    following = 0  # rule 2: what is matched from here on
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
    """Of every format a message has a role, or as an item a type."""
    try:
        message = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("role", message.get("type")), str):
        raise NoList("what it puts in is no message")
    return bytes(raw) if as_bytes else message
