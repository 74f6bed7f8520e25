"""Chooses the list to send if ctxmgr does not answer, from the program's list and the last projection.

Rules (docs/guide/without-an-answer.md, the same in every client):
1. The last projection and the new messages, if the list starts with what that projection was made of, and it fits.
2. Otherwise the program's own list, unchanged, whether or not it fits. A client never decides what is removed. A
   program that sends its own list compacts as it does without ctxmgr.
3. `fits` says whether the list probably fits the context window minus the reserve. If it is false, compact before
   the call.

ctxmgr reports the token count of each projection. Other messages are estimated on the high side: 4 characters per
token plus a quarter, which is also the first estimate of ctxmgr.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from ctxmgr.model.api import M

CHARACTERS_A_TOKEN = 4 / 1.25
IMAGE_CHARACTERS = 4_800  # pi's estimate; an image's text does not show its tokens
IMAGES = ("image", "image_url", "input_image")
RESERVE = 16_384  # tokens reserved for the reply, if the policy does not say
MOST_RESERVE = 0.25  # at most this fraction of the window, as in ctxmgr

Source = Literal["answered", "kept", "own"]


class SentList(msgspec.Struct, frozen=True):
    """The messages that were sent, each as JSON, the list that ctxmgr made of them, and its token count (0:
    unknown)."""

    raws: tuple[bytes, ...]
    sent: tuple[Any, ...]
    tokens: float = 0


class Fallback(msgspec.Struct, frozen=True):
    """The list to send, the rule that chose it, and whether it probably fits."""

    messages: list[Any]
    source: Source
    fits: bool


def reserve(policy: Mapping[str, Any], model_id: str) -> float:
    """Tokens reserved for the reply, by the policy keys that were set."""
    models = policy.get("models")
    of_model = models.get(model_id) if isinstance(models, Mapping) else None
    reserves = [keys.get("reserve") for keys in (of_model, policy) if isinstance(keys, Mapping)]
    return next((float(tokens) for tokens in reserves if isinstance(tokens, int | float)), RESERVE)


def room(window: float, reserve: float, overhead: float) -> float:
    """Tokens that a message list may have. `overhead`: tokens of system prompt and tools."""
    return window - min(reserve, window * MOST_RESERVE) - overhead


def fallback(given: Sequence[M], raws: Sequence[bytes] | None, last: SentList | None, room: float) -> Fallback:
    """Chooses the list. `raws`: the JSON of each message; None if it cannot be encoded. `room`: in tokens."""
    if last is not None and raws is not None and begins_with(raws, last):
        since = given[len(last.raws) :]
        if (last.tokens or _tokens(last.sent)) + _tokens(since) <= room:
            return Fallback([*last.sent, *since], "kept", True)
    return Fallback(list(given), "own", _tokens(given) <= room)


def begins_with(raws: Sequence[bytes], last: SentList) -> bool:
    """Whether the list starts with the messages of the last one. Compares bytes: a message that was changed in
    place is a different message.
    """
    return len(raws) >= len(last.raws) and tuple(raws[: len(last.raws)]) == last.raws


def _tokens(messages: Sequence[Any]) -> float:
    return sum(map(tokens, messages))


def tokens(message: Any) -> float:
    """A rough token count of a message."""
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
