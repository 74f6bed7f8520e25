"""Turns a list, and the last projection there was, into what to send where ctxmgr does not answer.

Rules:
1. The last projection and what came since, where the list begins with what that projection was of, and it fits.
2. Else the program's own list, where that fits.
3. Else of the first of them the newest part that fits (`cutting`).
4. `fits` says whether it is likely to fit. Where it is false, compact before the call.

What a list weighs is a guess that errs on the heavy side: 4 characters a token, and a quarter more, as ctxmgr
starts with.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from ctxmgr.client.cutting import newest
from ctxmgr.model.api import M

CHARACTERS_A_TOKEN = 4 / 1.25
IMAGE_CHARACTERS = 4_800  # an image's text is no measure of its tokens; pi's estimate
IMAGES = ("image", "image_url", "input_image")
RESERVE = 16_384  # tokens kept free for the reply, as ctxmgr does
MOST_RESERVE = 0.25  # and never more than this share of the window

Source = Literal["answered", "kept", "own", "cut"]


class SentList(msgspec.Struct, frozen=True):
    """What was sent, message by message as JSON, and the list that came of it."""

    raws: tuple[bytes, ...]
    sent: tuple[Any, ...]


class Unaided(msgspec.Struct, frozen=True):
    """The list to send, by which of the rules, and whether it is likely to fit."""

    messages: list[Any]
    source: Source
    fits: bool


def room(window: float, overhead: float) -> float:
    """Of a message list; all in tokens. `overhead`: system prompt and tools."""
    return window - min(RESERVE, window * MOST_RESERVE) - overhead


def unaided(given: Sequence[M], raws: Sequence[bytes] | None, last: SentList | None, room: float) -> Unaided:
    """`raws`: the JSON of what is given; None where it can not be written. `room` in tokens."""
    kept: list[Any] | None = None
    if last is not None and raws is not None and begins_with(raws, last):
        kept = [*last.sent, *given[len(last.raws) :]]
        if _tokens(kept) <= room:
            return Unaided(kept, "kept", True)
    own = list(given)
    if _tokens(own) <= room:
        return Unaided(own, "own", True)
    whole = own if kept is None else kept
    places = newest([_value(one) for one in whole], [tokens(one) for one in whole], room)
    cut = [whole[place] for place in places]
    source: Source = "cut" if len(cut) < len(whole) else "own" if kept is None else "kept"
    return Unaided(cut, source, _tokens(cut) <= room)


def begins_with(raws: Sequence[bytes], last: SentList) -> bool:
    """Byte for byte: a message that was changed in place is another one."""
    return len(raws) >= len(last.raws) and tuple(raws[: len(last.raws)]) == last.raws


def _tokens(messages: Sequence[Any]) -> float:
    return sum(map(tokens, messages))


def tokens(message: Any) -> float:
    """Roughly, of a message as it is held."""
    return _characters(_value(message)) / CHARACTERS_A_TOKEN


def _value(message: Any) -> Any:
    if not isinstance(message, bytes):
        return message
    try:
        return msgspec.json.decode(message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return message.decode("utf-8", "replace")


def _characters(value: Any) -> int:
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, Mapping):
        if value.get("type") in IMAGES:
            return IMAGE_CHARACTERS
        return 2 + sum(len(str(name)) + 4 + _characters(inner) for name, inner in value.items())
    if isinstance(value, list | tuple):
        return 2 + sum(_characters(inner) + 1 for inner in value)
    return 5
