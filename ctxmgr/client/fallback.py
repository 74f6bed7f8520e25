"""Turns a list, and the last projection there was, into what to send where ctxmgr does not answer.

Rules (docs/guide/without-an-answer.md, the same in every client):
1. The last projection and what came since, where the list begins with what that projection was of, and it fits.
2. Else the program's own list, untouched, whether or not it fits: what leaves is never a client's to decide, and a
   program that sends its own list compacts as it does without ctxmgr.
3. `fits` says whether it is likely to fit the window less the reserve. Where it is false, compact before the call.

What the last projection weighs was told with it; the rest is guessed on the heavy side: 4 characters a token, and a
quarter more, as ctxmgr starts with.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from ctxmgr.model.api import M

CHARACTERS_A_TOKEN = 4 / 1.25
IMAGE_CHARACTERS = 4_800  # an image's text is no measure of its tokens; pi's estimate
IMAGES = ("image", "image_url", "input_image")
RESERVE = 16_384  # tokens kept free for the reply, where the policy does not say
MOST_RESERVE = 0.25  # and never more than this share of the window, as ctxmgr has it

Source = Literal["answered", "kept", "own"]


class SentList(msgspec.Struct, frozen=True):
    """What was sent, message by message as JSON, what came of it, and that one's weight in tokens (0: not told)."""

    raws: tuple[bytes, ...]
    sent: tuple[Any, ...]
    tokens: float = 0


class Fallback(msgspec.Struct, frozen=True):
    """The list to send, by which of the rules, and whether it is likely to fit."""

    messages: list[Any]
    source: Source
    fits: bool


def reserve(policy: Mapping[str, Any], model_id: str) -> float:
    """Tokens kept free for the reply, by the policy's keys as they were set."""
    models = policy.get("models")
    of_model = models.get(model_id) if isinstance(models, Mapping) else None
    reserves = [keys.get("reserve") for keys in (of_model, policy) if isinstance(keys, Mapping)]
    return next((float(tokens) for tokens in reserves if isinstance(tokens, int | float)), RESERVE)


def room(window: float, reserve: float, overhead: float) -> float:
    """Of a message list; all in tokens. `overhead`: system prompt and tools."""
    return window - min(reserve, window * MOST_RESERVE) - overhead


def fallback(given: Sequence[M], raws: Sequence[bytes] | None, last: SentList | None, room: float) -> Fallback:
    """`raws`: the JSON of what is given; None where it cannot be written. `room` in tokens."""
    if last is not None and raws is not None and begins_with(raws, last):
        since = given[len(last.raws) :]
        if (last.tokens or _tokens(last.sent)) + _tokens(since) <= room:
            return Fallback([*last.sent, *since], "kept", True)
    return Fallback(list(given), "own", _tokens(given) <= room)


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
